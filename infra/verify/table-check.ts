import type { KeySchemaElement, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { describedTable } from '../cli/aws.ts';
import { CheckError } from '../cli/command.ts';

/**
 * Checks that the table has the form of this version: active, with its key and every index.
 * @returns the result
 * @throws CheckError that names what is missing
 */
export async function tableCheck({ client, name }: Table): Promise<string> {
  const table = await describedTable(client, name);
  if (!table)
    throw new CheckError(
      'there is no such table',
      'Check LEADS_TABLE and the region, or the output TableName of the stack.',
    );
  assertTable(table);
  return `ACTIVE, with ${tableDefinition.indexes.length} indexes`;
}

/**
 * Compares a table with this version's definition: active, with its key and every index.
 * @throws CheckError with the first difference only, because DynamoDB changes one index at a time
 */
export function assertTable(table: TableDescription): void {
  const { TableName, TableStatus, KeySchema } = table;
  if (TableStatus !== 'ACTIVE')
    throw new CheckError(
      `the table is ${TableStatus}`,
      'Wait until it is ACTIVE, then run the command again.',
    );
  const { partitionKey, sortKey, indexes } = tableDefinition;
  const [key, expected] = [keyText(table, KeySchema), `${partitionKey}, ${sortKey}`];
  if (key !== expected)
    throw new CheckError(
      `the key of table ${TableName} is ${key}; expected ${expected}`,
      'This is not a table of the lead service: check LEADS_TABLE or tableName.',
    );
  for (const index of indexes) assertIndex(table, index);
}

function assertIndex(
  table: TableDescription,
  { name, partitionKey, sortKey }: (typeof tableDefinition.indexes)[number],
): void {
  const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
  if (!found)
    throw new CheckError(
      `the index ${name} is missing: lists by it fail`,
      'A table of tableName gets no index from a deployment: add the index as shared/store/table/table-definition.ts says, or use a table that has it.',
    );
  const { KeySchema, IndexStatus = 'ACTIVE' } = found;
  const [key, expected] = [keyText(table, KeySchema), `${partitionKey}, ${sortKey}`];
  if (key !== expected)
    throw new CheckError(
      `the key of index ${name} is ${key}; expected ${expected}`,
      'Create the index again as shared/store/table/table-definition.ts says.',
    );
  if (IndexStatus !== 'ACTIVE')
    throw new CheckError(
      `the index ${name} is ${IndexStatus}`,
      'Wait until it is ACTIVE: until then lists by it fail.',
    );
}

/** The names of the key attributes, with their types if they are not strings. */
function keyText(
  { AttributeDefinitions: types = [] }: TableDescription,
  schema: readonly KeySchemaElement[] = [],
): string {
  const attributes = ['HASH', 'RANGE'].map((kind) => {
    const name = schema.find(({ KeyType }) => KeyType === kind)?.AttributeName;
    const type = types.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? 'S';
    return type === 'S' ? name : `${name} (${type})`;
  });
  return attributes.join(', ');
}
