import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { referencePage, writeSite } from '../../../../infra/openapi/page/site.ts';
import { endpoints } from '../../../../shared/contract/endpoints.ts';
import { node24, projectFolder, runProgram } from '../../../support/service-process.ts';
import { useFolder } from '../../given-folder.ts';

const files = useFolder();

test('--out writes the page with its script and style, openapi.json and llms.txt', async () => {
  const site = files.path('new', 'site');

  const args = ['infra/openapi/page/main.ts', '--out', site];
  const { status, stdout } = await runProgram(node24, args);

  expect(status).toBe(0);
  expect(stdout).toContain(site);
  expect(readdirSync(site).sort()).toEqual([
    'index.html',
    'llms.txt',
    'openapi.json',
    'reference.css',
    'reference.js',
    'swagger-ui-bundle.js',
    'swagger-ui.css',
  ]);
  const read = (name: string) => readFileSync(join(site, name), 'utf8');
  expect(read('openapi.json')).toBe(readFileSync(join(projectFolder, 'openapi.json'), 'utf8'));
  for (const { method, path } of endpoints)
    expect(read('llms.txt')).toContain(`\n- \`${method} ${path}\`: `);
  expect(read('llms.txt')).toContain('\n## API keys\n');
  expect(read('index.html')).not.toContain('leads_live_');
  expect(read('swagger-ui-bundle.js').length).toBeGreaterThan(1_000_000);
});

test('--out refuses a folder that is not empty, and a file, and changes neither', () => {
  const full = files.newFolder('full');
  writeFileSync(join(full, 'mine.txt'), 'mine');

  expect(() => writeSite(full)).toThrow(/the folder is not empty: name a new folder/);
  expect(() => writeSite(join(full, 'mine.txt'))).toThrow(
    /the folder cannot be written: a file is in the way\. Name another folder\./,
  );
  expect(readdirSync(full)).toEqual(['mine.txt']);
});

test('the page names no other host for what it loads, and lets the browser ask none', () => {
  const html = referencePage('{}', { sendsRequests: false });

  const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(loaded.filter((url) => !url?.startsWith('#')).sort()).toEqual([
    'data:,',
    'reference.css',
    'reference.js',
    'swagger-ui-bundle.js',
    'swagger-ui.css',
  ]);
  expect(html).toContain(`content="default-src 'self';`);
});

test('the API description cannot end the script that it is in', () => {
  const openApi = JSON.stringify({ info: { description: '</script><b>' } });

  expect(referencePage(openApi, { sendsRequests: true })).not.toContain('</script><b>');
});

test('a page that sends requests fills in no example of an optional parameter', () => {
  const parameters = [
    { name: 'leadId', in: 'path', required: true, example: 7_000_001 },
    { name: 'cursor', in: 'query', required: false, example: 7_000_002 },
  ];
  const pageThat = (sendsRequests: boolean) =>
    referencePage(JSON.stringify({ parameters }), { sendsRequests });

  expect(pageThat(true).match(/700000\d/g)).toEqual(['7000001']);
  expect(pageThat(false)).toContain('7000002');
});
