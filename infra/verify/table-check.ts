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
  const [first] = tableIssues(Table);
  if (first) throw new CheckError(first.issue, first.next);
  return `ACTIVE, with ${tableDefinition.indexes.length} indexes`;
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

/** Something that keeps a table from serving this version, and what to do next. */
export interface TableIssue {
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
  const name = `table ${table.TableName}`;
  return [
    ...keyIssues(name, { ...table, schema: table.KeySchema }, [partitionKey, sortKey]),
    ...indexes.flatMap((index) => indexIssues(table, index)),
  ];
}

function indexIssues(table: TableDescription, index: Index): TableIssue[] {
  const found = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index.name);
  if (!found)
    return [
      {
        issue: `the index ${index.name} is missing: lists by it fail`,
        next: 'A table of tableName gets no index from a deployment: add the index as shared/store/table/table-definition.ts says, or use a table that has it.',
      },
    ];
  const issues = keyIssues(`index ${index.name}`, { ...table, schema: found.KeySchema }, [
    index.partitionKey,
    index.sortKey,
  ]);
  if ((found.IndexStatus ?? 'ACTIVE') !== 'ACTIVE')
    issues.push({
      issue: `the index ${index.name} is ${found.IndexStatus}`,
      next: 'Wait until it is ACTIVE: until then lists by it fail.',
    });
  const projected = found.Projection?.NonKeyAttributes ?? [];
  const isWhole = found.Projection?.ProjectionType === 'ALL';
  const lacking = tableDefinition.indexedToo.filter(
    (attribute) => !isWhole && !projected.includes(attribute),
  );
  if (lacking.length > 0)
    issues.push({
      issue: `the index ${index.name} does not hold ${lacking.join(', ')}`,
      next: 'Create the index again as shared/store/table/table-definition.ts says.',
    });
  return issues;
}

/** The key attributes by name and type: all are strings. */
function keyIssues(
  name: string,
  {
    schema = [],
    AttributeDefinitions: types = [],
  }: Pick<TableDescription, 'AttributeDefinitions'> & {
    readonly schema: readonly KeySchemaElement[] | undefined;
  },
  expected: readonly string[],
): TableIssue[] {
  const found = ['HASH', 'RANGE'].map((kind) => {
    const attribute = schema.find(({ KeyType }) => KeyType === kind)?.AttributeName;
    const type = types.find(({ AttributeName }) => AttributeName === attribute)?.AttributeType;
    return type === undefined || type === 'S' ? attribute : `${attribute} (${type})`;
  });
  if (found.join() === expected.join()) return [];
  return [
    {
      issue: `the key of ${name} is ${found.join(', ')}; expected ${expected.join(', ')}`,
      next: 'This is not a table of the lead service: check LEADS_TABLE or tableName.',
    },
  ];
}
