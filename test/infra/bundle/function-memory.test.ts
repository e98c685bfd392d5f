import { expect, test } from 'vitest';
import {
  memoryMbDefault,
  memoryMbMax,
  memoryVariables,
} from '../../../infra/bundle/function-memory.ts';

test('the objects of a function may take half of a small memory, and 256 MB of any other', () => {
  const oldSpaceOf = (memoryMb: number) =>
    /--max-old-space-size=(\d+)/.exec(memoryVariables(memoryMb).NODE_OPTIONS)?.[1];

  expect([256, 400, memoryMbDefault, memoryMbMax].map(oldSpaceOf)).toEqual([
    '128',
    '200',
    '256',
    '256',
  ]);
});

test('Node.js accepts each option of a function in NODE_OPTIONS', () => {
  const names = memoryVariables(memoryMbDefault)
    .NODE_OPTIONS.split(' ')
    .map((option) => option.split('=')[0] ?? '');

  expect(names.filter((name) => !process.allowedNodeEnvironmentFlags.has(name))).toEqual([]);
});
