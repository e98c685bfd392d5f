import { marshall } from '@aws-sdk/util-dynamodb';
import type { Item, Table } from '../../../dynamodb-model/dynamodb-model.ts';
import type { Random } from '../../../support/generated/random.ts';
import type { Plain } from '../../../support/reference/plain.ts';
import { plainItem } from '../../../support/reference/plain.ts';
import type { Write } from '../checker/history.ts';

/** The items of a table by `pk sk`. */
export type Items = ReadonlyMap<string, Plain>;

/** What was in the table after so many of its writes. */
export function itemsAfter(writes: readonly Write[], count: number): Items {
  const items = new Map<string, Plain>();
  for (const { pk, sk, after } of writes.slice(0, count)) {
    if (after) items.set(`${pk} ${sk}`, after);
    else items.delete(`${pk} ${sk}`);
  }
  return items;
}

/** An item as it was written to a table, and when. */
export type TableWrite = Pick<Write, 'at' | 'pk' | 'sk' | 'after'>;

/** A lead of the restored table that was changed before the restore was finished, and its city since the last change. */
export type UsedLead = Readonly<Record<'pk' | 'sk' | 'city', string>>;

/** The tables of a restore, each as it was or is. */
export interface RestoredItems {
  readonly backup: Items;
  /** Those of which the backup was made. */
  readonly writes: readonly TableWrite[];
  /** The table that was in use, before the restore and after it; undefined if it is lost. */
  readonly old: { readonly before: Items; readonly after: Items } | undefined;
  readonly restored: Items;
  /** Of the API keys that a restore without the old table keeps. */
  readonly keptKeyIds: readonly string[];
  readonly used: readonly UsedLead[];
}

/** A backup, and the writes of which it was made. */
export interface Backup {
  readonly items: Items;
  readonly writes: readonly TableWrite[];
}

/**
 * A backup of a table that held some items, made after writes to it. Each item is as it was at a moment of its own: "DynamoDB backups do not
 * guarantee causal consistency across items; however, the skew between updates in a backup is usually much less than a second"
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/backuprestore_HowItWorks.html).
 */
export function backupOf(
  before: Items,
  writes: readonly TableWrite[],
  random: Random,
): Map<string, Plain> {
  const madeAt = writes.at(-1)?.at ?? 0;
  const skewMs = random.pick([1, 10, 100, 1000]);
  const missingAt = new Map<string, number>();
  const items = new Map(before);
  for (const { pk, sk, at, after } of writes) {
    const name = `${pk} ${sk}`;
    if (!missingAt.has(name))
      missingAt.set(name, random.chance(0.5) ? Infinity : madeAt - random.below(skewMs));
    if (at >= (missingAt.get(name) ?? Infinity)) continue;
    if (after) items.set(name, after);
    else items.delete(name);
  }
  return items;
}

/** What is in a table now. */
export const itemsOf = (table: Table): Items =>
  new Map(
    [...table.all()].flatMap(({ key, current }) =>
      current ? [[`${key.partition} ${key.sort}`, plainItem(current)] as const] : [],
    ),
  );

/** Puts items into a table, so long ago that every read shows them. */
export function fill(table: Table, items: Items, now: number): void {
  for (const item of items.values()) {
    const { pk, sk } = item as { pk: string; sk: string };
    const place = table.place({ partition: pk, sort: sk });
    table.write(place, marshall(item, { removeUndefinedValues: true }) as Item, now - 3_600_000);
  }
}

/** Takes items out of a table, so long ago that no read shows them. */
export function lose(
  table: Table,
  isLost: (partition: string, item: Plain) => boolean,
  now: number,
): void {
  for (const stored of [...table.all()])
    if (stored.current && isLost(stored.key.partition, plainItem(stored.current)))
      table.write(stored, undefined, now - 3_600_000);
}

/** Items whose partition key begins so. */
export const itemsUnder = (items: Items, prefix: string): [string, Plain][] =>
  [...items].filter(([name]) => name.startsWith(prefix));

/** The phones of a family, whose members use each other's. */
export const familyPhones = [1, 2, 3, 4, 5].map((at) => `+91982220000${at}`);

/** What a capture adds to the timeline of a lead: somebody used its email with a phone of the family. Undefined for its own phone. */
export function enquiryTo(lead: Plain, organizationId: number, random: Random) {
  const { phone } = lead.fields as { phone: string };
  const submitted = random.pick(familyPhones);
  const id = String(random.below(1e12)).padStart(12, '0');
  if (submitted === phone) return undefined;
  return {
    pk: `TIMELINE#${organizationId}#${Number(lead.sk)}`,
    sk: `${lead.updatedAt}#${id}`,
    at: lead.updatedAt,
    actorId: null,
    type: 'captured',
    keyId: 'k',
    keyLabel: 'website',
    source: 'Website',
    notes: 'Call at nine',
    filled: [],
    kept: [{ field: 'phone', current: phone, submitted }],
  };
}
