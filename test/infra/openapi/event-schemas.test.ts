import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { jsonSchema } from '../../../infra/openapi/event-schemas.ts';
import { node24, projectFolder } from '../../support/service-process.ts';

test('npm run events writes the schema of every event into a folder that it creates', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'event-schemas-'));
  const out = join(folder, 'new', 'schemas');
  try {
    const { stdout } = await promisify(execFile)(
      node24,
      ['infra/openapi/event-schemas.ts', '--out', out],
      { cwd: projectFolder },
    );

    expect(stdout).toBe(`Wrote 8 schemas to ${out}.\n`);
    expect(await readdir(out)).toHaveLength(8);
    const written = await readFile(join(out, 'LeadCaptured.json'), 'utf8');
    expect(JSON.parse(written)).toEqual(jsonSchema('LeadCaptured'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
