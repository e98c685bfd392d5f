import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { itemsOf } from './get-item.ts';
import type { Item, Stored } from './items.ts';
import { allSettled } from './pacing.ts';
import { keyOf, type PrimaryKey } from './primary-keys.ts';

export interface ScannedPage {
  readonly items: readonly Stored<Item>[];
  /** The page's segment. A segment consists of whole partitions, one after another, each in order. */
  readonly segment: number;
}

interface ScanOptions {
  /**
   * Where a segment continues after a page: at the page's last key, or at a later key of the same partition, which skips the items before
   * it. The key must exist, because an engine may treat any other key as the end of the table. @default the last key
   */
  readonly startAfter?: (lastKey: PrimaryKey) => Promise<PrimaryKey>;
  /** Called with the number of items read so far, including those that a filter left out. */
  readonly onProgress?: (itemsRead: number) => void;
}

/** How many segments of the table are read in parallel. */
const segments = 4;

/**
 * Reads the whole table. Each segment reads its next page when `onPage` has finished with the last. After an error, no segment starts
 * another page.
 * @throws the error of the first failed segment, once all segments have ended
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
