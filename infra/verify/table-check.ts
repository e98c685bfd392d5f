import {
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import type { Table } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { CheckError } from './check.ts';

/**
 * Expects the table of this version: active, with its key and every index. @returns the result
 * @throws CheckError that names what is missing
 */
export async function tableCheck({ client, name }: Table): Promise<string> {
  const table = await describedTable(client, name);
  if (!table)
    throw new CheckError(
      'there is no such table',
      'Check LEADS_TABLE and the region, or the output TableName of the stack.',
    );
  const [first] = tableIssues(table);
  if (first) throw new CheckError(first.issue, first.next);
  return `ACTIVE, with ${tableDefinition.indexes.length} indexes`;
}

/** @returns undefined if there is no such table */
export async function describedTable(
  client: Pick<DynamoDBClient, 'send'>,
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    return Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Something that keeps a table from serving this version, and what to do next. */
interface TableIssue {
  readonly issue: string;
  readonly next: string;
}

type Index = (typeof tableDefinition.indexes)[number];

/** Compares a table with the definition of this version: active, with its key and every index. */
export function tableIssues(table: TableDescription): TableIssue[] {
  const { partitionKey, sortKey, indexes } = tableDefinition;
  if (table.TableStatus !== 'ACTIVE')
    return [
      {
        issue: `the table is ${table.TableStatus}`,
        next: 'Wait until it is ACTIVE, then run the command again.',
      },
    ];
  const key = keyText(table, table.KeySchema);
  const expected = `${partitionKey}, ${sortKey}`;
  const other = {
    issue: `the key of table ${table.TableName} is ${key}; expected ${expected}`,
    next: 'This is not a table of the lead service: check LEADS_TABLE or tableName.',
  };
  return [
    ...(key === expected ? [] : [other]),
    ...indexes.flatMap((index) => indexIssues(table, index)),
  ];
}

function indexIssues(table: TableDescription, index: Index): TableIssue[] {
  const { name, partitionKey, sortKey } = index;
  const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
  if (!found)
    return [
      {
        issue: `the index ${name} is missing: lists by it fail`,
        next: 'A table of tableName gets no index from a deployment: add the index as shared/store/table/table-definition.ts says, or use a table that has it.',
      },
    ];
  const issues: string[] = [];
  const key = keyText(table, found.KeySchema);
  const expected = `${partitionKey}, ${sortKey}`;
  if (key !== expected) issues.push(`the key of index ${name} is ${key}; expected ${expected}`);
  const { ProjectionType, NonKeyAttributes: projected = [] } = found.Projection ?? {};
  const lacking = tableDefinition.indexedToo.filter(
    (attribute) => ProjectionType !== 'ALL' && !projected.includes(attribute),
  );
  if (lacking.length > 0) issues.push(`the index ${name} does not hold ${lacking.join(', ')}`);
  const next = 'Create the index again as shared/store/table/table-definition.ts says.';
  const isBuilt = (found.IndexStatus ?? 'ACTIVE') === 'ACTIVE';
  const building = {
    issue: `the index ${name} is ${found.IndexStatus}`,
    next: 'Wait until it is ACTIVE: until then lists by it fail.',
  };
  return [...issues.map((issue) => ({ issue, next })), ...(isBuilt ? [] : [building])];
}

/** The key attributes by name, and by type if it is not a string. */
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
