import { InvalidArgumentError, Option } from 'commander';
import { parseDateTime } from '../../shared/date-time.ts';
import { isDate } from '../../shared/leads/field-types.ts';
import { limits } from '../../shared/limits.ts';
import { readUnitsPerSecondDefault } from '../../shared/store/maintenance/paced-reads.ts';

/*
 * Parsers of options and arguments. Each throws InvalidArgumentError, which a command reports as wrong usage.
 */

/** Parses an integer, written in digits without leading zeros. */
export const integerOption =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^(0|[1-9]\d*)$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
    }
    return value;
  };

/** Parses an ID. */
export const parseId = integerOption(1, limits.idMax);

/** Parses IDs that are separated by commas, and adds them to those of an earlier option. Each ID counts once. */
export function parseIds(text: string, before: readonly number[] = []): number[] {
  const ids = text.split(',').map((part) => {
    if (part.trim() === '')
      throw new InvalidArgumentError('It must be IDs separated by commas, such as 1,2,3.');
    return parseId(part.trim());
  });
  return [...new Set([...before, ...ids])];
}

/** Parses a date or date-time. @returns epoch milliseconds */
export function parseTime(text: string): number {
  const at = parseDateTime(isDate(text) ? `${text}T00:00:00Z` : text);
  if (at === undefined) {
    throw new InvalidArgumentError(
      'It must be a date, or a date-time with an offset, such as 2026-01-31T18:30:00+05:30.',
    );
  }
  return at;
}

const leadsMax = 10_000;
const leadsDefault = 25;

/** `--limit` of a command that lists leads. */
export const leadLimitOption = (): Option =>
  new Option('--limit <N>', `maximum number of leads, 1 to ${leadsMax}`)
    .argParser(integerOption(1, leadsMax))
    .default(leadsDefault);

const rateMax = 40_000;

/** `--rate` of a command that reads many items. */
export const readRateOption = (): Option =>
  new Option(
    '--rate <UNITS>',
    `maximum number of read units per second, 1 to ${rateMax} (default: ${readUnitsPerSecondDefault}; without limit on a local engine)`,
  ).argParser(integerOption(1, rateMax));
