import {
  DeleteCommand,
  PutCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import type { Item } from './items.ts';
import { keyOf, type PrimaryKey } from './primary-keys.ts';
import { ifConditionHolds } from './retry.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write of one item, alone or in a transaction. Whoever sends it adds the table's name. */
export type Write = {
  readonly [Kind in keyof TransactItem]: Omit<NonNullable<TransactItem[Kind]>, 'TableName'>;
};

export interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
  /** Whether a transaction returns the item if its condition fails. */
  readonly ReturnValuesOnConditionCheckFailure?: 'ALL_OLD';
}

export const exists: Condition = { ConditionExpression: 'attribute_exists(pk)' };
export const isAbsent: Condition = { ConditionExpression: 'attribute_not_exists(pk)' };

/** The item has not changed since it was read with this version. */
export const hasVersion = (version: number): Condition => ({
  ConditionExpression: '#version = :before',
  ExpressionAttributeNames: { '#version': 'version' },
  ExpressionAttributeValues: { ':before': version },
});

export const namesLead = (leadId: unknown): Condition => ({
  ConditionExpression: 'leadId = :lead',
  ExpressionAttributeValues: { ':lead': leadId },
});

/** The item is missing, or names this lead. */
export const namesNobodyBut = (leadId: number | undefined): Condition => ({
  ConditionExpression: 'attribute_not_exists(pk) OR leadId = :lead',
  ExpressionAttributeValues: { ':lead': leadId ?? null },
});

export const put = (item: Item, condition?: Condition): Write => ({
  Put: { Item: { ...item }, ...condition },
});

/** A put that fails if the key already has an item, and returns the stored item. */
export const putIfAbsent = (item: Item): Write =>
  put(item, { ...isAbsent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });

/** @param key may be a whole item */
export const deletion = (key: PrimaryKey, condition?: Condition): Write => ({
  Delete: { Key: { ...keyOf(key) }, ...condition },
});

/** Writes nothing, but the transaction fails unless the condition holds. */
export const check = (key: PrimaryKey, condition: Condition): Write => ({
  ConditionCheck: { Key: { ...keyOf(key) }, ...condition },
});

/** Sends a single write. @returns false if its condition did not hold */
export const writeItem = async (table: Table, write: Write): Promise<boolean> =>
  (await ifConditionHolds(send(table, write))) !== undefined;

function send(
  { client, name: TableName }: Table,
  { Put, Update, Delete }: Write,
): Promise<unknown> {
  if (Put) return client.send(new PutCommand({ TableName, ...Put }));
  if (Update) return client.send(new UpdateCommand({ TableName, ...Update }));
  if (Delete) return client.send(new DeleteCommand({ TableName, ...Delete }));
  throw new Error('A condition alone is no write.');
}
