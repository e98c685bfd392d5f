import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../../../../infra/bundle/built-functions.ts';
import { noReport } from '../explore/report.ts';
import { type Program, readService } from '../lambda/modules.ts';
import { foundBy, planted, plantedBugs } from './bugs.ts';
import { find, runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

/** One takes less than a second of one core, and a bug that survives is looked for in every scenario. */
const longMs = 120_000;

test('every planted bug changes a text that its file has exactly once', async () => {
  const plant = async (bug: (typeof plantedBugs)[number]): Promise<void> => {
    const text = await readFile(join(projectFolder, bug.file), 'utf8');
    expect(planted(bug).of(text), bug.breaks).not.toBe(text);
  };
  await Promise.all(plantedBugs.map(plant));
});

test('planted bugs and scenarios have unique names', () => {
  const names = scenarios.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(plantedBugs.map(({ breaks }) => breaks)).size).toBe(plantedBugs.length);
});

test('a planted bug without a scenario names a test that exists', async () => {
  const named = plantedBugs.flatMap(({ test }) => test ?? []);
  await Promise.all(named.map((path) => access(join(projectFolder, path))));
  expect(named).not.toEqual([]);
});

let code: Program;
beforeAll(async () => {
  code = await readService();
}, longMs);

test.for(scenarios)(
  'the unchanged code keeps its promises: $name',
  {
    timeout: longMs,
  },
  async (scenario) => {
    const lines: string[] = [];
    await runScenarios([scenario], code, { ...noReport, print: (line) => lines.push(line) });
    expect(lines).toEqual([]);
  },
);

test.for(plantedBugs.filter(({ test }) => test === undefined))(
  'a scenario finds the planted bug: $breaks',
  {
    timeout: longMs,
  },
  async (bug) => {
    const found = await find(bug, foundBy[bug.breaks]);
    expect(found.foundBy, `Nothing finds it in ${found.histories} histories.`).toBeDefined();
  },
);
