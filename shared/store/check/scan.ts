import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { ItemType } from '../../endpoints.ts';
import type { Table } from '../table/client.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { partitionKeyPrefixes as prefix } from '../table/table-definition.ts';
import type { Item } from './read-together.ts';

/** Parts of the table that are read side by side. */
const segments = 8;

/** The attributes that the check looks at besides the keys; the second line is a timeline entry's texts. */
const attributes = [
  ...['leadId', 'type', 'at', 'actorId', 'result', 'organizationId', 'keyId', 'turns'],
  ...['notes', 'text', 'attribution', 'kept', 'changes'],
];

/**
 * Reads every item of the table but the leads, which the caller reads by organization: pages of items by segment. A page is handed
 * on before the next of its segment is read. Eventually consistent: what looks wrong is read again.
 * @param startAfter where to go on instead of an item, the last of its partition: a key that is there, since an engine may take any
 * other for the end of the table
 * @param organizationId only items that may be this organization's; DynamoDB reads the others all the same, but sends nothing
 */
export async function scanTable(
  table: Table,
  organizationId: number | undefined,
  onPage: (items: readonly (Item & PrimaryKey)[]) => Promise<void>,
  startAfter: (key: PrimaryKey) => Promise<PrimaryKey>,
): Promise<void> {
  const ofOrganization = organizationId === undefined ? {} : organizationFilter(organizationId);
  const names = Object.fromEntries(attributes.map((name) => [`#${name}`, name]));
  const scanSegment = async (segment: number): Promise<void> => {
    let next: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await table.client.send(
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
      await onPage(Items as (Item & PrimaryKey)[]);
      next = LastEvaluatedKey && { ...(await startAfter(LastEvaluatedKey as unknown as PrimaryKey)) };
    } while (next);
  };
  await Promise.all(Array.from({ length: segments }, (_, segment) => scanSegment(segment)));
}

/**
 * Where an item says whose it is: in all of its partition key (`whole`), at its beginning (`begins`), in the attribute `organizationId`, or
 * nowhere (`may be`: its API key tells). Entries of indexes are no items of their own. A new item type needs an answer here.
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
  const types = Object.keys(belonging) as ItemType[];
  const of = (how: (typeof belonging)[ItemType]): ItemType[] => types.filter((type) => belonging[type] === how);
  const begins = [...of('begins'), ...of('may be')];
  const values = {
    ...Object.fromEntries(of('whole').map((type) => [`:${type}`, `${prefix[type]}${organizationId}`])),
    ...Object.fromEntries(of('begins').map((type) => [`:${type}`, `${prefix[type]}${organizationId}#`])),
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
