import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parts, serviceTests, slowTests } from './parts.ts';

test('every folder of a part of npm run prove has tests that the part runs', () => {
  const proved = globSync([slowTests, serviceTests]);
  const folders = parts.flatMap((part) => part.folders ?? []);

  expect(folders.filter((folder) => !proved.some((path) => path.startsWith(folder)))).toEqual([]);
});
