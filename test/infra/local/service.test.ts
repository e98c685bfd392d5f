import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CommandError } from '../../../infra/cli/command.ts';
import { inMemory, startEngine } from '../../../infra/local/engine.ts';
import { workersPerFunctionIn } from '../../../infra/local/functions.ts';
import { prepareTable, readOrganizationFiles } from '../../../infra/local/prepare-table.ts';
import { type Service, type ServiceOptions, startService } from '../../../infra/local/service.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { getItem } from '../../../shared/store/table/get-item.ts';
import { phonePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { useFolder } from '../given-folder.ts';

const { newPath } = useFolder();

const start = (options: Partial<ServiceOptions>): Promise<Service> =>
  startService({
    ...{ port: 0, db: inMemory, engine: 'dynoxide', organizations: [] },
    tell: () => undefined,
    output: new PassThrough(),
    ...options,
  });

test('a start with a wrong number of workers is refused before there is a table with API keys', async () => {
  vi.stubEnv('WORKERS_PER_FUNCTION', '100');
  onTestFinished(() => void vi.unstubAllEnvs());
  const db = newPath('db');
  mkdirSync(db);

  await expect(start({ db })).rejects.toThrow(
    new CommandError(
      'WORKERS_PER_FUNCTION is 100: it must be an integer from 1 to 99, or not set.',
    ),
  );
  expect(readdirSync(db)).toEqual([]);
  expect(workersPerFunctionIn({ WORKERS_PER_FUNCTION: '' })).toBeGreaterThan(1);
});

test('after a start whose events file was refused, the next start shows the API keys', async () => {
  const db = newPath('db');

  await expect(start({ db, events: join(db, 'absent', 'events') })).rejects.toThrow(
    'its folder does not exist',
  );
  const { organizations, stop } = await start({ db });
  await stop();
  expect(organizations[0]?.keys).toHaveProperty('writer');
});

test('an engine by its address is used as it is, its table left in place', async () => {
  const { endpoint, environment, stop } = await startEngine({
    engine: 'dynoxide',
    dataFolder: inMemory,
  });
  onTestFinished(stop);
  const files = readOrganizationFiles([]);
  const [prepared] = await prepareTable({ environment, files, tell: () => undefined });

  const service = await start({ engine: endpoint });

  expect(service.engine.environment).toEqual(environment);
  expect(service.organizations).toEqual([
    { id: 1, keys: {}, activeUserId: prepared?.activeUserId },
  ]);
  const response = await fetch(`${service.baseUrl}/api/v1/leads/capture`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${prepared?.keys.writer}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'Asha Rao', phone: '+919822012345' }),
  });
  expect(response.status).toBe(201);
  await service.stop();
  const table = openTable(environment.LEADS_TABLE, clientConfig(environment));
  expect(await getItem(table, phonePrimaryKey(1, '+919822012345'))).toBeDefined();
  table.client.destroy();
});

test('a folder in which an engine cannot keep its data is refused', async () => {
  const file = newPath('a-file');
  writeFileSync(file, '');

  for (const db of [file, join(file, 'db')])
    await expect(start({ db })).rejects.toThrow(
      new CommandError(
        `--db ${db}: the folder cannot be used (a file is in the way): name another folder.`,
      ),
    );
});
