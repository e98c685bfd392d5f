import { DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import type { Table } from '../../shared/store/table/client.ts';
import { tableDefinition } from '../../shared/store/table/table-definition.ts';
import { CheckError } from './check.ts';
import { tableIssues } from './table-issues.ts';

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
