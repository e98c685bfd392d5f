import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { itemsOf } from './get-item.ts';
import type { Item, Stored } from './items.ts';
import { allSettled } from './pacing.ts';
import { keyOf, type PrimaryKey } from './primary-keys.ts';

export interface ScannedPage {
  readonly items: readonly Stored<Item>[];
  /** The segment that the page is of. A segment has whole partitions, one after another, each in its order. */
  readonly segment: number;
}

export interface ScanOptions {
  /**
   * Where a segment continues after a page: the page's last key, or a later key of the same partition, to skip what is before it. The key must
   * exist, because an engine may take any other for the end of the table. @default the last key
   */
  readonly startAfter?: (lastKey: PrimaryKey) => Promise<PrimaryKey>;
  /** Called with the number of items read so far, also those that a filter left out. */
  readonly onProgress?: (itemsRead: number) => void;
}

/** Segments of the table that are read in parallel. */
const segments = 4;

/**
 * Reads the whole table. Each segment reads its next page when `onPage` is done with the last; after an error, none begins another page.
 * @throws the first error of the first segment that failed, when all have ended
 */
export async function scanTable(
  table: Table,
  input: Pick<
    ScanCommandInput,
    'ConsistentRead' | 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
  >,
  onPage: (page: ScannedPage) => Promise<void>,
  { startAfter = async (lastKey) => lastKey, onProgress }: ScanOptions = {},
): Promise<void> {
  let itemsRead = 0;
  let hasFailed = false;
  const scanSegment = async (segment: number): Promise<void> => {
    let next: PrimaryKey | undefined;
    do {
      const page = await table.client.send(
        new ScanCommand({
          ...input,
          TableName: table.name,
          Segment: segment,
          TotalSegments: segments,
          ExclusiveStartKey: next && { ...next },
        }),
      );
      const { Items, ScannedCount = 0, LastEvaluatedKey: lastKey } = page;
      await onPage({ items: itemsOf<Stored<Item>>(Items), segment });
      itemsRead += ScannedCount;
      onProgress?.(itemsRead);
      next = lastKey && (await startAfter(keyOf({ pk: lastKey.pk, sk: lastKey.sk })));
    } while (next && !hasFailed);
  };
  const scanned = Array.from({ length: segments }, (_, segment) =>
    scanSegment(segment).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  await allSettled(scanned);
}
