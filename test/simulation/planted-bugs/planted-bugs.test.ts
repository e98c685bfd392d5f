import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { projectFolder } from '../lambda/bundle-text.ts';
import { bundleService, type ServiceBundles } from '../lambda/given-service.ts';
import { plantedBugs } from './bugs.ts';
import { find, planted, runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

/** One takes less than a second of one core, and a bug that survives is looked for in every scenario. */
const longMs = 120_000;

test('every planted bug changes a text that its file has exactly once', async () => {
  const plant = async (bug: (typeof plantedBugs)[number]): Promise<void> => {
    const text = await readFile(join(projectFolder, bug.file), 'utf8');
    expect(planted(bug, bug.file, text), bug.name).not.toBe(text);
  };
  await Promise.all(plantedBugs.map(plant));
});

test('planted bugs and scenarios have names of their own, and each bug names a scenario that finds it', () => {
  const names = scenarios.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
  expect(
    plantedBugs.filter(({ foundBy }) => foundBy === undefined || !names.includes(foundBy)),
  ).toEqual([]);
  expect(plantedBugs.length).toBeGreaterThanOrEqual(60);
});

let bundles: ServiceBundles;
beforeAll(async () => {
  bundles = await bundleService();
}, longMs);

test.for(scenarios)(
  'the unchanged code keeps its promises: $name',
  {
    timeout: longMs,
  },
  async (scenario) => {
    expect(await runScenarios([scenario], bundles)).toEqual([]);
  },
);

test.for(plantedBugs)(
  'a scenario finds the planted bug: $how',
  {
    timeout: longMs,
  },
  async (bug) => {
    const { found, histories } = await find(bug);
    expect(found, `Nothing finds it in ${histories} histories.`).toBeDefined();
  },
);
