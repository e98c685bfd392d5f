import { expect, test } from 'vitest';
import { parseIds } from '../../../infra/cli/options.ts';

test('IDs are separated by commas, and each counts once', () => {
  expect(parseIds('1, 2,1', [2, 3])).toEqual([2, 3, 1]);
});

test.each(['', '1,', '1,x', '0,1', '1;2', '2147483648'])(
  'IDs %j are refused as a list of IDs',
  (text) => {
    expect(() => parseIds(text)).toThrow(
      'It must be IDs from 1 to 2147483647, separated by commas, such as 1,2,3.',
    );
  },
);
