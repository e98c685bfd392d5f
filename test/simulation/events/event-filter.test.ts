import { expect, test } from 'vitest';
import { eventFilter } from '../../../shared/store/table/table-definition.ts';
import { matchesFilter } from './event-filter.ts';

const record = (eventName: string, pk: unknown) => ({ eventName, dynamodb: { Keys: { pk } } });

test.each([
  [true, record('INSERT', { S: 'TIMELINE#1#5' })],
  [false, record('MODIFY', { S: 'TIMELINE#1#5' })],
  [false, record('REMOVE', { S: 'TIMELINE#1#5' })],
  [false, record('INSERT', { S: 'LEADS#1' })],
  [false, record('INSERT', { S: 'HISTORY#TIMELINE#' })],
  [false, record('INSERT', { N: '5' })],
  [false, record('INSERT', undefined)],
  [false, { eventName: 'INSERT' }],
])('the filter of the stream gives %s for %j', (matches, one) => {
  expect(matchesFilter(one, eventFilter)).toBe(matches);
});
