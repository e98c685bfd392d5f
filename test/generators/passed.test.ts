import { expect, test } from 'vitest';
import { generatorName, generators } from './generators.ts';
import { documentDigest, readPassedRun } from './passed.ts';

test('the generators of clients passed in their versions of today with this openapi.json: npm run generators tries them again', () => {
  const { documentDigest: passedDigest, passed } = readPassedRun();

  expect(passedDigest).toBe(documentDigest());
  expect(Object.keys(passed)).toEqual(generators.map(generatorName));
});
