import { expect, test } from 'vitest';
import { failureLines } from '../../../infra/admin/failures.ts';

test('a command that gave up a slow write says that it can be run again', () => {
  const error = Object.assign(new Error('Request aborted'), { name: 'AbortError' });

  expect(failureLines(error, { AWS_REGION: 'ap-south-1' })).toEqual([
    'DynamoDB did not respond in time at region ap-south-1: run the command again, which continues where it stopped.',
  ]);
});
