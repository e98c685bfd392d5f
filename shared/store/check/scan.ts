import { paginateQuery, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemType } from '../../endpoints.ts';
import { keysOf } from '../../keys-of.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { Item } from '../table/items.ts';
import { leadsPartitionKey, type PrimaryKey } from '../table/primary-keys.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';

/** Segments of the table that are read in parallel. */
const segments = 8;

/** The attributes that the check reads besides the keys; the last two lines are of a timeline entry. */
const attributes = [
  ...['leadId', 'type', 'at', 'actorId', 'result', 'organizationId', 'keyId', 'turns'],
  ...['ttl', 'expiresAt', 'endedAt'],
  ...['via', 'importedAt', 'filled', 'valuesDigest'],
  ...['notes', 'text', 'attribution', 'kept', 'changes'],
];

export type TableItem = Item & PrimaryKey;

const keyIn = ({ pk, sk }: Item): PrimaryKey => ({ pk: String(pk), sk: String(sk) });

/** An organization's leads, page by page. Eventually consistent: the caller must read again what looks wrong. */
export async function* leadPages({
  table,
  organizationId,
}: OrganizationTable): AsyncGenerator<readonly TableItem[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads',
      ExpressionAttributeValues: { ':leads': leadsPartitionKey(organizationId) },
    },
  );
  for await (const { Items } of pages) yield itemsOf<TableItem>(Items);
}

/**
 * Reads every item of the table except the leads, which the caller reads by organization. Each segment reads its next page when `onPage`
 * is done with the last. Eventually consistent: the caller must read again what looks wrong.
 * @param startAfter where a segment continues after a page: the page's last key, or the last key of the same partition, to skip it. The key
 * must exist, because an engine may take any other for the end of the table
 * @param organizationId return only items that may be this organization's; DynamoDB reads the others too, but does not send them
 */
export async function scanTable(
  table: Table,
  organizationId: number | undefined,
  onPage: (items: readonly TableItem[], segment: number) => Promise<void>,
  startAfter: (key: PrimaryKey) => Promise<PrimaryKey>,
): Promise<void> {
  const ofOrganization = organizationId === undefined ? {} : organizationFilter(organizationId);
  const names = Object.fromEntries(attributes.map((name) => [`#${name}`, name]));
  const scanSegment = async (segment: number): Promise<void> => {
    let next: Record<string, unknown> | undefined;
    do {
      const { Items, LastEvaluatedKey } = await table.client.send(
        new ScanCommand({
          TableName: table.name,
          Segment: segment,
          TotalSegments: segments,
          ExclusiveStartKey: next,
          ProjectionExpression: ['pk', 'sk', ...Object.keys(names)].join(', '),
          ExpressionAttributeNames: names,
          ...ofOrganization,
        }),
      );
      await onPage(itemsOf<TableItem>(Items), segment);
      next = LastEvaluatedKey && { ...(await startAfter(keyIn(LastEvaluatedKey))) };
    } while (next);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => scanSegment(segment)));
}

/**
 * Where an item names its organization: in its whole partition key (`whole`), at the beginning of it (`begins`), in the attribute
 * `organizationId`, or nowhere (`may be`: its API key tells). Entries of indexes are not items. A new item type needs a row here.
 */
const belonging = {
  settings: 'whole',
  usage: 'whole',
  lead: 'whole',
  turn: 'whole',
  erasure: 'whole',
  history: 'whole',
  phone: 'begins',
  email: 'begins',
  timeline: 'begins',
  importedRow: 'begins',
  apiKey: 'attribute',
  idempotency: 'may be',
  stageIndex: 'index',
  ownerIndex: 'index',
  sourceIndex: 'index',
  updateIndex: 'index',
} as const satisfies Record<ItemType, string>;

function organizationFilter(organizationId: number) {
  const types = keysOf(belonging);
  const of = (how: (typeof belonging)[ItemType]): ItemType[] =>
    types.filter((type) => belonging[type] === how);
  const begins = [...of('begins'), ...of('may be')];
  const values = {
    ...Object.fromEntries(
      of('whole').map((type) => [`:${type}`, `${prefix[type]}${organizationId}`]),
    ),
    ...Object.fromEntries(
      of('begins').map((type) => [`:${type}`, `${prefix[type]}${organizationId}#`]),
    ),
    ...Object.fromEntries(of('may be').map((type) => [`:${type}`, prefix[type]])),
    ':organization': organizationId,
  };
  const conditions = [
    ...begins.map((type) => `begins_with(pk, :${type})`),
    `pk IN (${of('whole').map((type) => `:${type}`)})`,
    'organizationId = :organization',
  ];
  return { FilterExpression: conditions.join(' OR '), ExpressionAttributeValues: values };
}
