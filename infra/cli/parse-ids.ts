import { InvalidArgumentError } from 'commander';
import { parseId } from '../admin/context.ts';

/**
 * Parses IDs that are separated by commas, and adds them to those of an earlier option. Each ID counts once.
 * @throws InvalidArgumentError, which is reported as wrong usage
 */
export function parseIds(text: string, before: readonly number[] = []): number[] {
  const ids = text.split(',').map((part) => {
    if (part.trim() === '')
      throw new InvalidArgumentError('It must be IDs separated by commas, such as 1,2,3.');
    return parseId(part.trim());
  });
  return [...new Set([...before, ...ids])];
}
