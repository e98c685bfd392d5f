import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { killedAtWrite } from './killed-import.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

const importArgs = ({ id }: GivenOrganization, file: string, ...more: string[]): string[] => [
  'lead',
  'import',
  '--organization',
  String(id),
  file,
  ...more,
];

async function givenRows(file: string, refused: number, taken: number): Promise<string> {
  const rows = [
    ...Array.from({ length: refused }, () => 'Nobody,12'),
    ...Array.from({ length: taken }, () => `Someone,${person().phone}`),
  ];
  await writeFile(file, ['name,phone', ...rows, ''].join('\n'));
  return file;
}

const told = async ({ id }: GivenOrganization): Promise<string[]> =>
  (await adminJson('organization', 'history', '--organization', String(id))).items.map(
    ({ what }: { what: string }) => what,
  );

test.each([
  { name: 'a run that breaks off', args: [] },
  { name: 'a dry run that breaks off', args: ['--dry-run'] },
  {
    name: 'a dry run that breaks off, told to report there,',
    args: ['--dry-run', '--report', 'there'],
  },
])(
  '$name leaves an earlier report, with the corrections made in it, as it is',
  async ({ args }) => {
    const organization = await givenOrganization();
    const own = await mkdtemp(join(folder, 'own-'));
    const file = await givenRows(join(own, 'leads.csv'), 40, 80);
    const report = join(own, 'leads.refused.csv');
    await writeFile(report, 'corrected by hand\n');
    const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
    proxy.rule = ({ operation }) =>
      operation === 'BatchGetItem' ? { kind: 'error', name: 'InternalServerError' } : undefined;
    const more = args.map((arg) => (arg === 'there' ? report : arg));

    const answer = await runAdmin(importArgs(organization, file, ...more), {
      environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
    });
    await proxy.stop();

    expect(answer).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('InternalServerError'),
    });
    expect(await readFile(report, 'utf8')).toBe('corrected by hand\n');
    expect((await readdir(own)).sort()).toEqual(['leads.csv', 'leads.refused.csv']);
  },
);

test('a dry run leaves the report of an earlier run as it is, whether or not it would refuse rows', async () => {
  const organization = await givenOrganization();
  const own = await mkdtemp(join(folder, 'own-'));
  const [some, none] = [
    await givenRows(join(own, 'some.csv'), 2, 2),
    await givenRows(join(own, 'none.csv'), 0, 2),
  ];
  const reports = [join(own, 'some.refused.csv'), join(own, 'none.refused.csv')];
  for (const report of reports) await writeFile(report, 'corrected by hand\n');

  const wouldRefuse = await adminJson(...importArgs(organization, some, '--dry-run'));
  const wouldNot = await adminJson(
    ...importArgs(organization, none, '--dry-run', '--report', reports[1] ?? ''),
  );

  expect(wouldRefuse).toMatchObject({ refused: 2, report: join(own, 'some.would-be-refused.csv') });
  expect(await readFile(wouldRefuse.report, 'utf8')).toMatch(
    /^refused row,refused because,name,phone\n2,/,
  );
  expect(wouldNot).toMatchObject({ refused: 0, report: null });
  for (const report of reports) expect(await readFile(report, 'utf8')).toBe('corrected by hand\n');
});

test('a run that comes to its end puts its report in the place of an earlier one, or none when no row was refused', async () => {
  const organization = await givenOrganization();
  const own = await mkdtemp(join(folder, 'own-'));
  const [some, none] = [
    await givenRows(join(own, 'some.csv'), 1, 1),
    await givenRows(join(own, 'none.csv'), 0, 1),
  ];
  for (const file of [some, none])
    await writeFile(file.replace('.csv', '.refused.csv'), 'earlier\n');

  for (const file of [some, none]) await adminJson(...importArgs(organization, file));

  expect((await readdir(own)).sort()).toEqual(['none.csv', 'some.csv', 'some.refused.csv']);
  expect(await readFile(join(own, 'some.refused.csv'), 'utf8')).toMatch(/^refused row,/);
});

test('an import is in the audit log from its beginning on: a killed one still says begun, a complete one how many leads', async () => {
  const organization = await givenOrganization();
  const file = await givenRows(join(folder, 'killed.csv'), 0, 60);
  await killedAtWrite(2, importArgs(organization, file));
  const afterKill = await told(organization);

  const { imported } = await adminJson(...importArgs(organization, file));
  await adminJson(...importArgs(organization, file, '--dry-run'));

  expect(afterKill).toEqual(['lead import begun', 'organization apply']);
  expect(await told(organization)).toEqual([`lead import, ${imported} leads`, ...afterKill]);
});
