import { expect, test } from 'vitest';
import { documentDigest } from './document-digest.ts';
import { generatorName, generators } from './generators.ts';
import { readPassedRun } from './passed.ts';
import { prismPackage } from './prism.ts';

test('the generators of clients and the validating proxy passed in their versions of today with this openapi.json: npm run generators tries them again', () => {
  const { documentDigest: passedDigest, passed } = readPassedRun();

  expect(passedDigest).toBe(documentDigest());
  expect(Object.keys(passed)).toEqual([...generators.map(generatorName), prismPackage]);
});
