import { InvalidArgumentError } from 'commander';
import { parseDateTime } from '../../shared/date-time.ts';
import { isDate } from '../../shared/leads/field-types.ts';

/** Parses a time on the command line as epoch milliseconds. @throws InvalidArgumentError, which is reported as wrong usage */
export function parseTime(text: string): number {
  const at = parseDateTime(isDate(text) ? `${text}T00:00:00Z` : text);
  if (at === undefined) {
    throw new InvalidArgumentError(
      'It must be a date, or a date-time with an offset, such as 2026-01-31T18:30:00+05:30.',
    );
  }
  return at;
}
