import * as v from 'valibot';
import { expect, test } from 'vitest';
import { query } from '../../functions/list-leads.ts';
import { refusalsOf } from '../../shared/middleware/validate.ts';

test.each([
  ['updated_since', '2026-11-20T10:00:00', 'must be a date-time'],
  ['updated_since', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'], 'is given more than once.'],
  ['filter', '{}', 'must be a JSON array'],
  ['filter', '[', 'must be a JSON array'],
  ['filter', '', 'must be a JSON array'],
  ['limit', '101', 'must be an integer from 1 to 100.'],
  ['limit', '', 'must be an integer from 1 to 100.'],
  ['cursor', '2147483648', 'must be an integer from 1 to 2147483647.'],
  ['stage_id', '1.5', 'must be an integer from 1 to 2147483647.'],
])('%s=%j is refused, and the message says what it must be', (name, value, sentence) => {
  const { issues } = v.safeParse(query, { [name]: value });

  expect(issues && refusalsOf(issues).get(name)?.sentence).toMatch(sentence);
});
