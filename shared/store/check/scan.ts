import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { emailPrimaryKey, type PrimaryKey, phonePrimaryKey, timelinePartitionKey } from '../primary-keys.ts';
import { partitionKeyPrefixes as prefix } from '../table-definition.ts';
import type { Item } from './read-together.ts';

/** Parts of the table that are read side by side. */
const segments = 8;

/** The attributes that the check looks at besides the keys; enquiries and notes stay where they are. */
const attributes = ['leadId', 'type', 'at', 'actorId', 'result', 'organizationId', 'keyId', 'turns'];

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

function organizationFilter(organizationId: number) {
  const [phones, emails, timelines] = [
    phonePrimaryKey(organizationId, '').pk,
    emailPrimaryKey(organizationId, '').pk,
    timelinePartitionKey(organizationId, 0).slice(0, -1),
  ];
  const prefixes = { ':phones': phones, ':emails': emails, ':timelines': timelines, ':records': prefix.idempotency };
  const begins = Object.keys(prefixes).map((name) => `begins_with(pk, ${name})`);
  return {
    FilterExpression: [...begins, 'organizationId = :organization', 'pk = :turns'].join(' OR '),
    ExpressionAttributeValues: { ...prefixes, ':organization': organizationId, ':turns': `${prefix.turn}${organizationId}` },
  };
}
