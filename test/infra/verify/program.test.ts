import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordRunningService } from '../../../infra/local/running-service.ts';
import { targetOfUrl } from '../../../infra/verify/target.ts';
import { verify } from './verify-run.ts';

describe('verify refuses wrong usage with status 2, in one sentence', () => {
  test.each([
    [[], 'Name what to verify: --url BASE_URL or --stack NAME.'],
    [['--url', 'https://a.example', '--stack', 'b'], 'Name either --url or --stack, not both.'],
    [
      ['--url', 'leads.example.com'],
      'that begins with https://, or http:// for a service on this machine.',
    ],
    [['--url', 'http://leads.example.com'], 'must not be sent over plain HTTP.'],
    [['--url', 'https://a.example/live/api/v1'], 'the part of the address before /api/v1.'],
    [['--url', 'https://a.example?key=1'], 'without a query, a fragment or a password.'],
    [['--stak', 'b'], "Unknown option '--stak'. Did you mean --stack?"],
    [['now'], "accepts none; remove 'now'"],
  ])('%j', async (args, sentence) => {
    const { status, lines, stderr } = await verify(args);

    expect({ status, lines }).toEqual({ status: 2, lines: [''] });
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

test('verify --write without a table says where to get it, and sends nothing', async () => {
  const reply = await verify(['--url', 'http://127.0.0.1:1', '--write']);

  expect(reply).toMatchObject({ status: 1, lines: [''] });
  expect(reply.stderr).toMatch(/^--write needs the table of .*: set LEADS_TABLE/);
});

test('the table of a running local service is found by its address, until it ends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lead-service-'));
  mkdirSync(join(folder, 'dynoxide'));
  const environment = { LEADS_TABLE: 'leads', AWS_REGION: 'ap-south-1' };
  const baseUrl = 'http://127.0.0.1:4010';

  const forget = recordRunningService(folder, 'dynoxide', { baseUrl, environment });

  const variables = (url: string) => targetOfUrl(url, {}, folder).variables;
  expect(variables('http://localhost:4010/')).toEqual(environment);
  expect(variables('http://127.0.0.1:4011')).toBeUndefined();
  expect(targetOfUrl(baseUrl, { LEADS_TABLE: 'own' }, folder).variables).toEqual({
    LEADS_TABLE: 'own',
  });
  forget();
  expect(variables(baseUrl)).toBeUndefined();
  rmSync(folder, { recursive: true });
});
