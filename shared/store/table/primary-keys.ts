import { hash } from 'node:crypto';
import { keysOf } from '../../base/maps.ts';
import { limits } from '../../contract/limits.ts';
import { type EntityName, entities, indexKeys } from './entities.ts';
import type { Item } from './items.ts';

/** Where an item is stored, and its type (`entities.ts`). Only this file makes and reads keys. */
export interface PrimaryKey<T extends Item = Item> {
  readonly pk: string;
  readonly sk: string;
  /** Only for the compiler: the type of the item under this key. */
  readonly [itemType]?: T;
}
declare const itemType: unique symbol;

/** Reduces an item to its key. */
export const keyOf = ({ pk, sk }: PrimaryKey): PrimaryKey => ({ pk, sk });

/** A key as messages show it. */
export const keyText = ({ pk, sk }: PrimaryKey): string => `${pk} / ${sk}`;

export class ItemsByKey {
  readonly #items = new Map<string, Item>();

  add(item: Item): void {
    this.#items.set(keyText({ pk: String(item.pk), sk: String(item.sk) }), item);
  }

  get<T extends Item>(key: PrimaryKey<T>): T | undefined {
    return this.#items.get(keyText(key)) as T | undefined;
  }
}

/** The values in a key's form, such as `LEADS#{organizationId:id}`, in order. */
type ValuesOf<Form extends string> = Form extends `${string}{${infer Value}}${infer Rest}`
  ? [ValueOf<Value>, ...ValuesOf<Rest>]
  : [];
type ValueOf<Value extends string> = Value extends `${string}:${string}` ? number : string;

/** Splits a form at its braces: every second piece is a value. */
function piecesOf(form: string): readonly string[] {
  const known = knownPieces.get(form);
  const pieces = known ?? form.split('{').flatMap((piece) => piece.split('}'));
  if (!known) knownPieces.set(form, pieces);
  return pieces;
}
const knownPieces = new Map<string, readonly string[]>();

/** Every ID (0 < id <= 2147483647) fits into ten digits. */
const valueText = (piece: string, value: string | number): string =>
  piece.endsWith(':sorted') ? String(value).padStart(10, '0') : String(value);

const fill = (form: string, values: Iterator<string | number>): string =>
  piecesOf(form)
    .map((piece, at) => (at % 2 === 0 ? piece : valueText(piece, values.next().value)))
    .join('');

/** Makes the keys of one form. */
const keysLike =
  <Form extends string>(form: Form) =>
  (...values: ValuesOf<Form>): string =>
    fill(form, values.values());

type Attributes<Name extends EntityName> = NonNullable<(typeof entities)[Name]['attributes']>;
type KeyValues<Name extends EntityName> = [
  ...ValuesOf<(typeof entities)[Name]['pk']>,
  ...ValuesOf<(typeof entities)[Name]['sk']>,
];

/** Makes the primary keys of an item type from their values. The partition key's values come first. */
const primaryKeysOf =
  <Name extends EntityName>(name: Name) =>
  (...values: KeyValues<Name>): PrimaryKey<Attributes<Name>> => {
    const { pk, sk } = entities[name];
    const all = values.values();
    return { pk: fill(pk, all), sk: fill(sk, all) };
  };

export const settingsPrimaryKey = primaryKeysOf('settings');
export const directoryPartitionKey = entities.directory.pk;
export const directoryPrimaryKey = primaryKeysOf('directory');
export const keyListingPrimaryKey = primaryKeysOf('listing');
export const usagePrimaryKey = primaryKeysOf('usage');
export const apiKeyPrimaryKey = primaryKeysOf('apiKey');
export const turnPrimaryKey = primaryKeysOf('turn');
export const leadsPartitionKey = keysLike(entities.lead.pk);
export const leadSortKey = keysLike(entities.lead.sk);
export const leadPrimaryKey = primaryKeysOf('lead');
export const phonePrimaryKey = primaryKeysOf('phone');
export const emailPrimaryKey = primaryKeysOf('email');
export const timelinePartitionKey = keysLike(entities.timeline.pk);
const recordPrimaryKey = primaryKeysOf('idempotency');
/** Hashes the idempotency key, because it is the caller's text, up to 200 characters long, and may contain personal data. */
export const idempotencyPrimaryKey = (keyId: string, idempotencyKey: string) =>
  recordPrimaryKey(keyId, hash('sha256', idempotencyKey));
export const importedRowPrimaryKey = primaryKeysOf('importedRow');
export const erasurePrimaryKey = primaryKeysOf('erasure');
export const historyPartitionKey = keysLike(entities.auditEntry.pk);
export const settingsVersionPrimaryKey = primaryKeysOf('keptSettings');
export const stageIndexKey = keysLike(indexKeys.stageIndex.pk);
export const ownerIndexKey = keysLike(indexKeys.ownerIndex.pk);
export const sourceIndexKey = keysLike(indexKeys.sourceIndex.pk);
export const updateIndexKey = keysLike(indexKeys.updateIndex.pk);

type NamedValues<Form extends string> = Form extends `${string}{${infer Value}}${infer Rest}`
  ? {
      readonly [Name in Value as Name extends `${infer Bare}:${string}`
        ? Bare
        : Name]: ValueOf<Value>;
    } & NamedValues<Rest>
  : unknown;
type KindOf<Name extends EntityName> = { readonly kind: Name } & NamedValues<
  (typeof entities)[Name]['pk']
> &
  NamedValues<(typeof entities)[Name]['sk']>;

/** An item's type, and the values in its primary key by name. */
export type ItemKind = { readonly [Name in EntityName]: KindOf<Name> }[EntityName];

/** The kind of an item; undefined for a key that the service never makes. */
export function kindOf({ pk, sk }: PrimaryKey): ItemKind | undefined {
  for (const kind of keysOf(entities)) {
    const inPk = valuesIn(entities[kind].pk, pk);
    const inSk = inPk && valuesIn(entities[kind].sk, sk);
    if (inSk) return { kind, ...inPk, ...inSk } as ItemKind;
  }
  return undefined;
}

/**
 * The values in a key by name; undefined if the key has another form. A text ends where the form continues; the last one takes the rest.
 */
function valuesIn(form: string, key: string): Record<string, string | number> | undefined {
  const values: Record<string, string | number> = {};
  const pieces = piecesOf(form);
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) {
      if (!key.startsWith(piece, at)) return undefined;
      at += piece.length;
      continue;
    }
    const next = pieces[index + 1];
    const text = key.slice(at, next ? key.indexOf(next, at) : key.length);
    const [name = '', isNumber] = piece.split(':');
    const value = isNumber ? Number(text) : text;
    if (typeof value === 'number' && !(isId(value) && valueText(piece, value) === text))
      return undefined;
    values[name] = value;
    at += text.length;
  }
  return at === key.length ? values : undefined;
}

const isId = (value: number): boolean => value >= 1 && value <= limits.idMax;
