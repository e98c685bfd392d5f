import type { Item } from './items.ts';
import { keyText, type PrimaryKey } from './primary-keys.ts';

/** Items that came in one response, by their primary keys. */
export class ItemsByKey {
  readonly #items = new Map<string, Item>();

  add(item: Item): void {
    this.#items.set(keyText({ pk: String(item.pk), sk: String(item.sk) }), item);
  }

  addAll(others: ItemsByKey): void {
    for (const [name, item] of others.#items) this.#items.set(name, item);
  }

  get<T extends Item>(key: PrimaryKey<T>): T | undefined {
    return this.#items.get(keyText(key)) as T | undefined;
  }
}
