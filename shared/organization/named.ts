import { memoize } from '../memoize.ts';
import type { FieldOption } from './organization.ts';

export interface NamedItem {
  readonly id: number;
  readonly name: string;
  readonly active?: boolean;
}

/**
 * The ID of an item that is named by ID or by name, ignoring case. If several items have the name, the only active one.
 * @returns undefined if there is no such item, `several` if the name is ambiguous
 */
export function idNamed(
  items: readonly NamedItem[],
  named: unknown,
): number | 'several' | undefined {
  const text = String(named).trim();
  const id = Number(text);
  if (/^\d{1,10}$/.test(text) && items.some((item) => item.id === id)) return id;
  const same = items.filter(({ name }) => name.trim().toLowerCase() === text.toLowerCase());
  if (same.length <= 1) return same[0]?.id;
  const [only, second] = same.filter(({ active }) => active !== false);
  return only && !second ? only.id : 'several';
}

/** Finds the option that is named by its value, else by its label, else by either, ignoring case. Indexed once per list of options. */
export const optionFinder = memoize(
  (options: readonly FieldOption[]): ((text: string) => FieldOption | undefined) => {
    const found = new Map<string, FieldOption>();
    const add = (name: string, option: FieldOption): void => {
      if (!found.has(name)) found.set(name, option);
    };
    const live = options.filter(({ retired }) => !retired);
    for (const option of live) add(`as is ${option.value}`, option);
    for (const option of live) add(`as is ${option.label}`, option);
    for (const option of live)
      for (const name of [option.value, option.label]) add(`folded ${name.toLowerCase()}`, option);
    return (text) =>
      found.get(`as is ${text.trim()}`) ?? found.get(`folded ${text.trim().toLowerCase()}`);
  },
);
