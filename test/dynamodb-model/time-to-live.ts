import type { Item } from './attribute-values.ts';
import type { DynamodbModel } from './model.ts';
import type { StoredItem } from './stored-item.ts';
import type { Table } from './table.ts';

const hourMs = 3_600_000;
/** After its expiry an item goes at once, within days, or not during a run (developer guide, "Using time to live": typically within a few days). */
const delaysMs: readonly (number | undefined)[] = [undefined, 0, hourMs, 24 * hourMs, 48 * hourMs];
/** An expiry that lies further back is taken for a mistake: the item stays. */
const oldestMs = 5 * 365 * 24 * hourMs;

/** Chooses when an expired item is deleted. The item stays when it was written again meanwhile: that write chose anew. */
export function scheduleExpiry(
  dynamodb: DynamodbModel,
  table: Table,
  stored: StoredItem,
  item: Item,
): void {
  const { at } = dynamodb.options;
  const expiresAt = Number(item[table.timeToLiveAttribute ?? '']?.N ?? Number.NaN) * 1000;
  if (!at || !Number.isFinite(expiresAt) || expiresAt < dynamodb.now - oldestMs) return;
  const delayMs =
    delaysMs[
      dynamodb.choose(
        delaysMs.length,
        'deletion of an expired item',
        dynamodb.options.expiryChance ?? 0,
      )
    ];
  if (delayMs === undefined) return;
  at(Math.max(dynamodb.now, expiresAt) + delayMs, 'an expired item is deleted', () => {
    if (stored.current === item && !stored.isLocked) table.write(stored, undefined, dynamodb.now);
  });
}
