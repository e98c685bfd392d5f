import { hash } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ownerAt, type Rotation } from '../../leads/assignment.ts';
import type { Table } from '../table/client.ts';
import type { RotationItem } from '../table/items.ts';
import { turnPrimaryKey } from '../table/primary-keys.ts';

/**
 * The user whose turn it is to own a lead. One write if several users may own it, otherwise none. The counter is not part of the lead's
 * transaction, because simultaneous creates would conflict. So a request that loses a race may skip a turn (settings-file.md,
 * "Assignment rules").
 */
export async function nextOwner(
  table: Table,
  organizationId: number,
  rotation: Rotation,
): Promise<number> {
  const [owner] = await nextOwners(table, organizationId, rotation, 1);
  return owner ?? ownerAt(rotation, 1);
}

/** The users who own the next leads, in order. One write for all of them. */
export async function nextOwners(
  table: Table,
  organizationId: number,
  rotation: Rotation,
  count: number,
): Promise<number[]> {
  const ownersAfter = (before: number): number[] =>
    Array.from({ length: count }, (_, index) => ownerAt(rotation, before + index + 1));
  if (rotation.userIds.length === 1) return ownersAfter(0);
  const digest = hash('sha256', rotation.rule).slice(0, 32);
  const { Attributes } = await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: turnPrimaryKey(organizationId, digest),
      UpdateExpression: 'ADD turns :count',
      ExpressionAttributeValues: { ':count': count },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  const { turns } = Attributes as RotationItem;
  return ownersAfter(turns - count);
}
