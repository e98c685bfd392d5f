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
