import { mkdtemp, readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type DynamodbProxy, startDynamodbProxy } from '../../../../support/faults/proxy.ts';
import type { Fault } from '../../../../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../../../../support/organizations.ts';
import { useOwnTable } from '../../../../support/own-table.ts';
import { person } from '../../../../support/people.ts';
import { service } from '../../../../support/service.ts';
import { inherited, node24, startProgram } from '../../../../support/service-process.ts';
import { useFolder } from '../../../given-folder.ts';
import { doneTo, violationsIn } from '../../commands.ts';
import { countLeads } from '../../import/given-files.ts';
import { filled, openedIn, plain } from '../given-page.ts';
import { formWith, pathOf, press, read } from './given-list.ts';

useOwnTable();
const folder = useFolder();

/** The page in a process of its own, whose writes can be cut. */
async function givenProcess({ id }: GivenOrganization) {
  const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
  onTestFinished(() => proxy.stop());
  const TMPDIR = await mkdtemp(folder.path('own-'));
  const env = {
    ...inherited(),
    ...service().environment,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    TMPDIR,
  };
  const args = ['infra/admin/main.ts', 'open', '--port', '0', '--json'];
  const { child, ended } = startProgram(node24, args, { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (text) => resolve(JSON.parse(String(text)).url)),
  );
  return { ...(await openedIn(url)), organization: { id }, proxy, child, ended, TMPDIR };
}

/** Decides what becomes of the write of this number, and of those after it. */
function atWrite(
  proxy: DynamodbProxy,
  number: number,
  faultOf: (isFirst: boolean) => Fault | undefined,
): void {
  let writes = 0;
  proxy.rule = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return undefined;
    writes += 1;
    return writes < number ? undefined : faultOf(writes === number);
  };
}

const people = 200;
const list = (): string =>
  [
    'name,phone',
    ...Array.from({ length: people }, person).map(({ name, phone }) => `${name},${phone}`),
  ].join('\n');

test('a page that is killed in the middle of an import is as the command: the file again, and nothing doubled', async () => {
  const organization = await givenOrganization();
  const file = list();
  const killed = await givenProcess(organization);
  atWrite(killed.proxy, 100, (isFirst) => {
    if (isFirst) killed.child.kill('SIGKILL');
    return { kind: 'cut', applied: isFirst };
  });
  const shown = await press(killed, await read(killed, file), 'import dry');
  const form = filled(formWith(shown, 'import'), 'one', { ':do': 'import' });
  const answer = killed.post(pathOf(killed), form).catch(() => undefined);
  await killed.ended;
  await answer;
  const half = await countLeads(organization);
  const afterKill = (await doneTo(organization))[0];

  const again = await givenProcess(organization);
  const repeated = await press(again, await read(again, file), 'import dry');
  const done = await press(again, repeated, 'import');
  const undone = await press(again, await press(again, done, 'undo dry'), 'undo');

  expect(half).toBeGreaterThan(40);
  expect(half).toBeLessThan(160);
  expect(afterKill).toBe('lead import begun');
  expect(plain(done)).toMatch(/200 rows, \d+ imported, \d+ imported before, 0 refused/);
  expect(plain(undone)).toContain('200 leads removed.');
  expect(await countLeads(organization)).toBe(0);
  expect(await violationsIn(organization)).toEqual([]);
}, 120_000);

test('SIGINT ends an import after its batch, prints how to go on, and the rest is imported once', async () => {
  const organization = await givenOrganization();
  const file = list();
  const page = await givenProcess(organization);
  atWrite(page.proxy, 50, (isFirst) => {
    if (isFirst) page.child.kill('SIGINT');
    return isFirst ? { kind: 'delay', ms: 1000 } : undefined;
  });
  const shown = await press(page, await read(page, file), 'import dry');
  const form = filled(formWith(shown, 'import'), 'one', { ':do': 'import' });
  const answer = page.post(pathOf(page), form).catch(() => undefined);
  const { status, stderr } = await page.ended;
  await answer;
  const afterBatch = await countLeads(organization);
  const again = await givenProcess(organization);
  const repeated = await press(again, await read(again, file), 'import dry');
  const done = await press(again, repeated, 'import');

  expect(status).toBe(0);
  expect(stderr).toMatch(
    /^The import of leads\.csv in organization \d+ ended after a batch\. .*To go on, open the page again/,
  );
  expect(await readdir(page.TMPDIR)).toEqual([]);
  expect(afterBatch).toBe(132);
  expect(plain(done)).toContain('200 rows, 68 imported, 132 imported before, 0 refused');
  expect(await doneTo(organization)).toEqual([
    'lead import, 68 leads',
    'lead import, 132 leads',
    'organization apply',
  ]);
  expect(await violationsIn(organization)).toEqual([]);
}, 120_000);
