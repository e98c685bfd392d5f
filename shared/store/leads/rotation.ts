import { createHash } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ownerAt, type Rotation } from '../../leads/assignment.ts';
import type { Table } from '../table/client.ts';
import type { RotationItem } from '../table/items.ts';
import { turnPrimaryKey } from '../table/primary-keys.ts';

/**
 * The user whose turn it is to own a lead. One write if several users may own it, otherwise none. The counter is not part of the lead's
 * transaction, because simultaneous creates would conflict; so the loser of a race may skip a turn (LOCAL.md, "Assignment rules").
 */
export async function nextOwner(
  table: Table,
  organizationId: number,
  rotation: Rotation,
): Promise<number> {
  if (rotation.userIds.length === 1) return ownerAt(rotation, 1);
  const digest = createHash('sha256').update(rotation.rule).digest('hex').slice(0, 32);
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: turnPrimaryKey(organizationId, digest),
      UpdateExpression: 'ADD turns :one',
      ExpressionAttributeValues: { ':one': 1 },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  const { turns } = Attributes as RotationItem;
  return ownerAt(rotation, turns);
}
