import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../lambda/bundle-text.ts';
import { bundleService } from '../lambda/given-service.ts';
import { plantedBugs } from './bugs.ts';
import { findPlantedBugs, planted, runScenarios } from './run.ts';
import { scenarios } from './scenarios.ts';

const longMs = 300_000;

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

test('the unchanged code keeps its promises in every scenario', { timeout: longMs }, async () => {
  expect(await runScenarios(await bundleService())).toEqual([]);
});

test('every planted bug is found by a scenario', { timeout: longMs }, async () => {
  const survivors: string[] = [];
  const { histories, violations } = await findPlantedBugs((row, { found }) => {
    if (!found) survivors.push(row);
  });
  expect(survivors).toEqual([]);
  expect(violations).toBe(0);
  expect(histories).toBeGreaterThanOrEqual(plantedBugs.length);
});
