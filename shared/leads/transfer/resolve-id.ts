export interface NamedItem {
  readonly id: number;
  readonly name: string;
  readonly active?: boolean;
}

/**
 * The id of an item that people name by id or by name, case ignored; of several with the name, the one that is active.
 * @returns undefined when there is none, `several` when the name does not say which
 */
export function idNamed(items: readonly NamedItem[], named: unknown): number | 'several' | undefined {
  const text = String(named).trim();
  const id = Number(text);
  if (/^\d{1,10}$/.test(text) && items.some((item) => item.id === id)) return id;
  const same = items.filter(({ name }) => name.trim().toLowerCase() === text.toLowerCase());
  if (same.length <= 1) return same[0]?.id;
  const [only, second] = same.filter(({ active }) => active !== false);
  return only && !second ? only.id : 'several';
}
