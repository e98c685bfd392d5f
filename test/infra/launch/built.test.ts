import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildAdmin } from '../../../infra/admin/build.ts';
import { node24, projectFolder } from '../../support/service-process.ts';

const run = promisify(execFile);

/** What the launcher would start for the admin program of a checkout; it is plain JavaScript. */
async function builtProgram(folder: string): Promise<string | undefined> {
  const { builtProgram: find } = await import(
    pathToFileURL(join(projectFolder, 'infra', 'launch', 'built.mjs')).href
  );
  return find(folder, 'infra/admin/main.ts');
}

test('the launcher starts a bundle of the admin program, which prints what its sources print', async () => {
  await sleep(30); // a source that changed just before the build could have changed during it
  await buildAdmin();
  const bundle = await builtProgram(projectFolder);

  const [ofBundle, ofSources] = await Promise.all(
    [bundle!, 'infra/admin/main.ts'].map((file) =>
      run(node24, [file, 'organization', '--help'], { cwd: projectFolder }),
    ),
  );

  expect(bundle).toMatch(/programs[\\/]main-\w+\.mjs$/);
  expect(ofBundle).toEqual(ofSources);
});

test('the launcher starts no bundle of a source that has changed since, or is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'built-test-'));
  const source = join(folder, 'main.ts');
  writeFileSync(source, 'one');
  const { size, mtimeMs, ctimeMs, ino } = statSync(source);
  const programs = join(folder, 'node_modules', '.cache', 'programs');
  mkdirSync(programs, { recursive: true });
  writeFileSync(
    join(programs, 'admin.json'),
    JSON.stringify({
      main: 'main-1.mjs',
      inputs: { 'main.ts': `${size} ${mtimeMs} ${ctimeMs} ${ino}` },
    }),
  );
  expect(await builtProgram(folder)).toBe(join(programs, 'main-1.mjs'));

  writeFileSync(source, 'another');
  expect(await builtProgram(folder)).toBeUndefined();
  rmSync(source);
  expect(await builtProgram(folder)).toBeUndefined();

  rmSync(folder, { recursive: true });
});
