import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '../lambda/modules.ts';

/** A defect that is planted in a module's source as the module is read; no file changes. */
export interface PlantedBug {
  /** Relative to the project's folder. */
  readonly file: string;
  /** Text that the file has once. */
  readonly before: string;
  readonly after: string;
  readonly breaks: string;
  /** The test that finds it instead of a scenario. */
  readonly test?: string;
}

const separator = ' ¦ ';

/** The rows of `bugs.txt`. */
export const plantedBugs: readonly PlantedBug[] = readFileSync(
  join(import.meta.dirname, 'bugs.txt'),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(bugOf);

function bugOf(row: string): PlantedBug {
  const [file, before, after, breaks, test, ...more] = row.split(separator);
  if (!file || !before || after === undefined || !breaks || more.length > 0)
    throw new Error(`A row of bugs.txt does not have four or five cells: ${row}`);
  return { file, before, after, breaks, ...(test && { test }) };
}

/** The source with a bug in it. The text is found however the formatter breaks its lines. @throws Error unless the text is there once */
export const planted = ({ file, before, after, breaks }: PlantedBug): Change => ({
  file,
  of(text) {
    const [place, ...others] = text.matchAll(inAnyLayout(before));
    if (!place || others.length > 0)
      throw new Error(`The bug "${breaks}": ${file} must have its text exactly once: ${before}`);
    return text.slice(0, place.index) + after + text.slice(place.index + place[0].length);
  },
});

/** Matches a piece of source with any white space where it has some or a bracket has some, and with or without a trailing comma. */
function inAnyLayout(source: string): RegExp {
  const tokens = source.trim().match(/\s+|[([{]|[)\]}]|[^\s()[\]{}]+/g) ?? [];
  const pattern = tokens.map((token) => {
    if (/^\s/.test(token)) return '\\s*';
    if (/[([{]/.test(token)) return `\\${token}\\s*`;
    if (/[)\]}]/.test(token)) return `,?\\s*\\${token}`;
    return token.replace(/[.*+?^$|\\/]/g, '\\$&');
  });
  return new RegExp(pattern.join(''), 'g');
}

const foundByFile = join(import.meta.dirname, 'found-by.json');

/** The bugs whose rows name this test. */
export const bugsFoundBy = (path: string): PlantedBug[] =>
  plantedBugs.filter(({ test }) => test === path);

/** What found a bug last, a scenario or a seed, by what the bug breaks: it is run first. `npm run simulate -- --bugs` writes the scenarios anew. */
export const foundBy: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(foundByFile, 'utf8'),
);

export const writeFoundBy = (scenarios: Readonly<Record<string, string>>): void =>
  writeFileSync(foundByFile, `${JSON.stringify({ ...foundBy, ...scenarios }, null, 2)}\n`);
