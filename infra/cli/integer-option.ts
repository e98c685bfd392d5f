import { InvalidArgumentError } from 'commander';

/**
 * Parses an option or argument that must be an integer, written in digits without leading zeros.
 * @throws InvalidArgumentError from the parser, which the command reports as wrong usage
 */
export const integerOption =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^(0|[1-9]\d*)$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
    }
    return value;
  };
