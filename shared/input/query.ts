import * as v from 'valibot';
import { parseDateTime } from '../date-time.ts';
import { limits } from '../limits.ts';
import { refusalMessage } from '../validation.ts';

/** Schema parts for query parameters, which arrive as text. A message holds a reason, and a sentence that follows the parameter's name. */

const once = v.string(refusalMessage('wrong_type', 'is given more than once.'));

/** An integer from `min` to `max`. */
export function queryInteger(min: number, max: number) {
  const message = refusalMessage('invalid_number', `must be an integer from ${min} to ${max}.`);
  const digits = v.regex(/^(0|[1-9]\d{0,9})$/, message);
  return v.pipe(
    once,
    digits,
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** A date-time with an offset, read as epoch milliseconds. */
export const queryDateTime = v.pipe(
  once,
  v.transform(parseDateTime),
  v.number(
    refusalMessage(
      'invalid_date',
      'must be a date-time that exists, with an offset or Z, such as 2026-01-31T09:30:00Z (write + as %2B).',
    ),
  ),
);

/** A JSON array of filters. `readFilters` reads its items by the organization's fields. */
export const queryFilters = v.pipe(
  once,
  v.check(
    (text) => [...text].length <= limits.filterMaxChars,
    refusalMessage('too_long', `must have at most ${limits.filterMaxChars} characters.`),
  ),
  v.transform(parsedJson),
  v.array(
    v.unknown(),
    refusalMessage(
      'wrong_type',
      'must be a JSON array of filters, such as [{"field":"name","operator":"contains","value":"Rao"}].',
    ),
  ),
);

/** Undefined for text that is not JSON; no JSON text parses as undefined. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
