import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectFolder } from '../../support/service-process.ts';

/** Expects these rows in the tables of a page, by the first line of each table. With `-u`, writes them into the page. */
export async function expectPage(
  path: string,
  tables: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const file = join(projectFolder, path);
  const lines = (await readFile(file, 'utf8')).split('\n');
  for (const [heading, rows] of Object.entries(tables)) {
    expect(lines).toContain(heading);
    const from = lines.indexOf(heading) + 2;
    lines.splice(from, lines.indexOf('', from) - from, ...rows);
  }
  await expect(lines.join('\n')).toMatchFileSnapshot(file);
}
