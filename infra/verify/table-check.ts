import {
  DescribeTableCommand,
  type KeySchemaElement,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { Table } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { CheckError } from './check.ts';

/**
 * Expects the table of this version: active, with its key and every index. @returns what came
 * @throws CheckError that names what is missing
 */
export async function tableCheck({ client, name }: Table): Promise<string> {
  const Table = await describe({ client, name });
  const { partitionKey, sortKey, indexes, indexedToo } = tableDefinition;
  if (Table.TableStatus !== 'ACTIVE') {
    throw new CheckError(
      `the table is ${Table.TableStatus}`,
      'Wait until it is ACTIVE, then run the command again.',
    );
  }
  expectKeys(`table ${name}`, Table.KeySchema, [partitionKey, sortKey]);
  for (const index of indexes) {
    const found = Table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name);
    if (!found) {
      throw new CheckError(
        `the index ${index.name} is missing: lists by it fail`,
        'A table of tableName gets no index from a deployment: add the index as shared/store/table/table-definition.ts says, or use a table that has it.',
      );
    }
    expectKeys(`index ${index.name}`, found.KeySchema, [index.partitionKey, index.sortKey]);
    if ((found.IndexStatus ?? 'ACTIVE') !== 'ACTIVE') {
      throw new CheckError(
        `the index ${index.name} is ${found.IndexStatus}`,
        'Wait until it is ACTIVE: until then lists by it fail.',
      );
    }
    const projected = found.Projection?.NonKeyAttributes ?? [];
    const isWhole = found.Projection?.ProjectionType === 'ALL';
    const lacking = indexedToo.filter((attribute) => !isWhole && !projected.includes(attribute));
    if (lacking.length > 0) {
      throw new CheckError(
        `the index ${index.name} does not hold ${lacking.join(', ')}`,
        'Create the index again as shared/store/table/table-definition.ts says.',
      );
    }
  }
  return `ACTIVE, with ${indexes.length} indexes`;
}

async function describe({ client, name }: Table): Promise<TableDescription> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    return Table ?? {};
  } catch (error) {
    const { name: kind, message } = error as Error;
    if (kind === 'ResourceNotFoundException') {
      throw new CheckError(
        'there is no such table',
        'Check LEADS_TABLE and the region, or the output TableName of the stack.',
      );
    }
    if (kind === 'AccessDeniedException') {
      throw new CheckError(
        `your credentials may not describe it (${message})`,
        'Use credentials that may read and write the table.',
      );
    }
    throw error;
  }
}

function expectKeys(
  what: string,
  schema: readonly KeySchemaElement[] = [],
  expected: readonly string[],
): void {
  const names = ['HASH', 'RANGE'].map(
    (type) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName,
  );
  if (names.join() === expected.join()) return;
  throw new CheckError(
    `the key of ${what} is ${names.join(', ')}; expected ${expected.join(', ')}`,
    'This is not a table of the lead service: check LEADS_TABLE or tableName.',
  );
}
