import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { dynoxide, dynoxideBinary } from '../../../infra/local/engines.ts';
import { clientConfig, createTable } from '../../../infra/local/table.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { putLead } from '../../../shared/store/leads/leads.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { progress, withEngine } from '../measuring.ts';

const run = promisify(execFile);
const leadsPerWrite = 2000;

export interface Population {
  readonly organizationId: number;
  readonly leads: number;
  readonly lead: (organizationId: number, id: number, leads: number) => Lead;
}

/**
 * Makes a table of leads as a file of dynoxide's, by its own import of a DynamoDB export: ten times as fast as writing it through
 * its HTTP interface. Leads alone, which is all that a list reads; their items are those of `putLead`.
 * @param folder gets the export and `leads.sqlite`
 */
export async function importTable(
  folder: string,
  table: Table,
  populations: readonly Population[],
): Promise<void> {
  const data = join(folder, 'export', table.name, 'data');
  await mkdir(data, { recursive: true });
  for (const [position, population] of populations.entries()) {
    await writeExport(join(data, `${position}.json`), population);
  }
  const schema = join(folder, 'schema.json');
  await writeFile(schema, JSON.stringify({ Table: await describedTable() }));
  progress('importing them into a table file of dynoxide');
  const output = join(folder, 'leads.sqlite');
  const missing = await dynoxide.missing();
  if (missing !== undefined) throw new Error(`${missing}: ${dynoxide.remedy}.`);
  await run(dynoxideBinary, [
    'import',
    '--source',
    join(folder, 'export'),
    '--schema',
    schema,
    '--output',
    output,
    '--force',
  ]);
}

async function writeExport(
  file: string,
  { organizationId, leads, lead }: Population,
): Promise<void> {
  const out = createWriteStream(file);
  for (let from = 1; from <= leads; from += leadsPerWrite) {
    const to = Math.min(leads, from + leadsPerWrite - 1);
    let lines = '';
    for (let id = from; id <= to; id += 1) {
      lines += `${JSON.stringify({ Item: marshall(putLead(lead(organizationId, id, leads)).Put?.Item) })}\n`;
    }
    if (!out.write(lines)) await once(out, 'drain');
    if (to % 100_000 === 0)
      progress(`generated ${to} of ${leads} leads of organization ${organizationId}`);
  }
  out.end();
  await once(out, 'close');
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
