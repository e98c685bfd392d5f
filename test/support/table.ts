import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfig, createTable } from '../../infra/cli/table.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import type { PrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { service } from './service.ts';

/** `LEADS_TABLE` and the AWS SDK's own variables. */
export type TableEnvironment = Readonly<Record<string, string>>;

let opened: Table | undefined;

/** The table of the service that the tests of this file use, for what only an administrator or a check reads. */
export function table(): Table {
  const { environment } = service();
  // Test files share a process, and a file may have a table of its own.
  if (opened && opened.name === environment.LEADS_TABLE) return opened;
  opened?.client.destroy();
  // A deployed table (`npm run verify`) is reached by this process's own variables, and by a profile.
  opened = environment.AWS_ENDPOINT_URL_DYNAMODB
    ? tableOf(environment)
    : openTable(environment.LEADS_TABLE);
  return opened;
}

/** The test run's environment with another table. */
export const environmentOf = (tableName: string): TableEnvironment => ({
  ...service().environment,
  LEADS_TABLE: tableName,
});

/** Opens the table that an environment names, whatever this process's own environment is. The caller destroys its client. */
export function tableOf(
  environment: TableEnvironment,
  config: Parameters<typeof openTable>[1] = {},
): Table {
  const own = clientConfig(environment as Parameters<typeof clientConfig>[0]);
  return openTable(environment.LEADS_TABLE, { ...own, ...config });
}

/** An empty table on the test run's engine, which only this test uses. */
export async function givenTable(): Promise<Table> {
  const environment = environmentOf(`given-${randomUUID()}`);
  await createTable(environment as Parameters<typeof createTable>[0]);
  return tableOf(environment);
}

/** One item as it lies in the table, read consistently. */
export async function itemAt(Key: PrimaryKey): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table().client.send(
    new GetCommand({ TableName: table().name, Key: { ...Key }, ConsistentRead: true }),
  );
  return Item;
}
