import * as v from 'valibot';
import { expect, test } from 'vitest';
import { query } from '../../functions/list-leads.ts';
import { messagesOf } from '../../shared/middleware/validate.ts';

test.each([
  ['updated_since', '2026-11-20T10:00:00', 'takes a date-time'],
  ['updated_since', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'], 'is given more than once.'],
  ['filter', '{}', 'takes a JSON array'],
  ['filter', '[', 'takes a JSON array'],
  ['filter', '', 'takes a JSON array'],
  ['limit', '101', 'takes an integer from 1 to 100.'],
  ['limit', '', 'takes an integer from 1 to 100.'],
  ['cursor', '2147483648', 'takes an integer from 1 to 2147483647.'],
  ['stage_id', '1.5', 'takes an integer from 1 to 2147483647.'],
])('%s=%j is refused with what it takes', (name, value, sentence) => {
  const { issues } = v.safeParse(query, { [name]: value });

  expect(issues && messagesOf(issues)[name]).toMatch(sentence);
});
