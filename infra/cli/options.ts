import { InvalidArgumentError } from 'commander';
import { limits } from '../../shared/contract/limits.ts';

/*
 * Parsers of options and arguments. Each throws InvalidArgumentError, which a command reports as wrong usage.
 */

/** Parses an integer that is written in digits without leading zeros. */
export const integerOption =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^(0|[1-9]\d*)$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
    }
    return value;
  };

/** Parses a text. @param issue the message for a text that is not allowed */
export const textOption =
  (isAllowed: (text: string) => boolean, issue: string) =>
  (text: string): string => {
    if (isAllowed(text)) return text;
    throw new InvalidArgumentError(issue);
  };

/** Collects the values of an option that may be repeated. */
export const repeatedOption = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  text,
];

/** Parses an ID. */
export const parseId = integerOption(1, limits.idMax);

/** Parses IDs that are separated by commas, and adds them to the IDs of an earlier option. Removes duplicates. */
export function parseIds(text: string, before: readonly number[] = []): number[] {
  const ids = text.split(',').map((part) => {
    if (part.trim() === '')
      throw new InvalidArgumentError('It must be IDs separated by commas, such as 1,2,3.');
    return parseId(part.trim());
  });
  return [...new Set([...before, ...ids])];
}

/**
 * Parses `NAME=VALUE`, and adds the pair to the earlier ones.
 * @param issue the message for any other text
 * @param pair matches the name and the value, @default split at the first `=`
 */
export const pairOption =
  (issue: string, pair = /^([^=]+)=(.*)$/s) =>
  (text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> => {
    const [, name, value] = pair.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new InvalidArgumentError(issue);
    return new Map([...before, [name.trim(), value]]);
  };
