import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { clientConfig, createTable } from '../../../../infra/cli/table.ts';
import { dynoxide, dynoxideBinary } from '../../../../infra/local/dynoxide.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import { generatedLead } from '../../../support/generated/leads.ts';
import { progress, withEngine } from '../measuring.ts';

const run = promisify(execFile);
const linesPerWrite = 2000;

/**
 * Creates dynoxide's file of a table with an organization of each size. dynoxide imports a DynamoDB export, ten times as fast as its HTTP
 * interface takes writes. The table has only leads, written as `putLead` writes them: lists read nothing else.
 * @param folder gets the export and `leads.sqlite`
 */
export async function importTable(folder: string, sizes: readonly number[]): Promise<void> {
  const data = join(folder, 'export', 'leads', 'data');
  await mkdir(data, { recursive: true });
  for (const [index, leads] of sizes.entries()) {
    progress(`generating an organization of ${leads} leads`);
    await writeFile(join(data, `${index}.json`), exported(index + 1, leads));
  }
  const schema = join(folder, 'schema.json');
  await writeFile(schema, JSON.stringify({ Table: await describedTable() }));
  progress('importing them into a table file of dynoxide');
  const missing = await dynoxide.missing();
  if (missing !== undefined) throw new Error(`${missing}: ${dynoxide.remedy}.`);
  const paths = ['--source', join(folder, 'export'), '--schema', schema];
  await run(dynoxideBinary, ['import', ...paths, '--output', join(folder, 'leads.sqlite')]);
}

/** The leads of an organization as lines of a DynamoDB export, some thousand at a time. */
function* exported(organizationId: number, leads: number): Generator<string> {
  for (let from = 1; from <= leads; from += linesPerWrite) {
    const count = Math.min(linesPerWrite, leads - from + 1);
    const items = Array.from(
      { length: count },
      (_, index) => putLead(generatedLead(organizationId, from + index, leads)).Put?.Item,
    );
    yield items.map((item) => `${JSON.stringify({ Item: marshall(item) })}\n`).join('');
  }
}

/** What the import has to know of the table: the part of `DescribeTable`'s answer that describes its keys and indexes. */
const describedTable = (): Promise<object> =>
  withEngine(async ({ environment }) => {
    await createTable(environment);
    const client = new DynamoDBClient(clientConfig(environment));
    const { Table = {} } = await client.send(
      new DescribeTableCommand({ TableName: environment.LEADS_TABLE }),
    );
    client.destroy();
    const { CreationDateTime: _time, ...described } = Table;
    return described;
  });
