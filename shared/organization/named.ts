import { memoize } from '../base/maps.ts';
import { asciiFigures, comparableName } from '../base/text.ts';
import type { FieldOption, Organization, Source } from './organization.ts';

export interface NamedItem {
  readonly id: number;
  readonly name: string;
  readonly active?: boolean;
}

const comparedName = /* @__PURE__ */ memoize(({ name }: { readonly name: string }) =>
  comparableName(name),
);

/** The items whose name is exactly the text; if there is none, the items whose name equals it in comparable form. */
export function withName<T extends { readonly name: string }>(
  items: readonly T[],
  text: string,
): readonly T[] {
  const exact = items.filter(({ name }) => name.trim() === text.trim());
  if (exact.length > 0) return exact;
  const compared = comparableName(text);
  return items.filter((item) => comparedName(item) === compared);
}

/** The item whose ID the text is; if there is none, the items with that name. */
export function itemsNamed(items: readonly NamedItem[], named: unknown): readonly NamedItem[] {
  const text = String(named);
  const id = asciiFigures(text);
  const found = /^\d{1,10}$/.test(id) && items.find((item) => item.id === Number(id));
  return found ? [found] : withName(items, text);
}

/**
 * The ID of the item that `named` identifies by ID or by name. If several items have the name, the ID of the only active one.
 * @returns undefined if there is no such item, `several` if the name is ambiguous
 */
export function idNamed(
  items: readonly NamedItem[],
  named: unknown,
): number | 'several' | undefined {
  const found = itemsNamed(items, named);
  if (found.length <= 1) return found[0]?.id;
  const [only, second] = found.filter(({ active }) => active !== false);
  return only && !second ? only.id : 'several';
}

export const activeSourceNamed = ({ sources }: Organization, name: string): Source | undefined =>
  withName(
    sources.filter(({ active }) => active),
    name,
  )[0];

/** Finds an option by its exact value, then by its exact label, then by either in comparable form. Each list of options is indexed once. */
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
      for (const name of [option.value, option.label])
        add(`compared ${comparableName(name)}`, option);
    return (text) =>
      found.get(`as is ${text.trim()}`) ?? found.get(`compared ${comparableName(text)}`);
  },
);
