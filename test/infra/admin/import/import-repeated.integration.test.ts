import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FieldValues } from '../../../../shared/leads/lead.ts';
import { spawnAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { changeSettings, storedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { useFolder } from '../../given-folder.ts';
import { doneTo, json, run } from '../commands.ts';
import { countLeads, fieldsOf, importJson, refusedIn } from './given-files.ts';

useOwnTable();
const folder = useFolder();
const givenFile = folder.write;

test('a row that was imported before counts as imported, even if settings forbid it since', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const line = ({ name, phone }: typeof one, fields = {}) =>
    `${JSON.stringify({ name, phone, fields })}\n`;
  const withCity = line(one, { city: 'Pune' });
  await importJson(organization, await givenFile('first.jsonl', withCity));
  const fields = organization.settings.fields.map((field) =>
    field.key === 'city' ? { ...field, active: false } : field,
  );
  await changeSettings(organization, { fields });

  const again = await importJson(
    organization,
    await givenFile('again.jsonl', withCity + withCity + line(two, { city: 'Goa' })),
  );

  expect(again).toMatchObject({ rows: 3, imported: 0, alreadyThere: 1, refused: 2 });
  expect(await storedLeads(organization)).toHaveLength(1);
});

const csv = (...budgets: string[]) =>
  [
    'name;phone;budget;city',
    ...budgets.map((budget) => `A;${person().phone};${budget};Poona`),
  ].join('\n');
const reasonsIn = async (report: string) =>
  (await refusedIn(report, ';')).map((row) => row['refused because']);

test('a repeat that reads numbers differently refuses rows that were imported with other values', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('leads.csv', csv('12.500', '900', '1250.5'));
  await importJson(organization, file, '--decimal', 'point');
  const stored = await storedLeads(organization);
  const idOf = (budget: number) =>
    Number(stored.find(({ lead }) => (lead.fields as FieldValues).budget === budget)?.lead.sk);
  const { status } = await organization.update(idOf(900), { fields: { budget: 1 } });

  const again = await importJson(organization, file, '--decimal', 'comma');
  const reasons = await reasonsIn(again.report);
  const dry = await importJson(organization, file, '--decimal', 'comma', '--dry-run');
  const text = await run(organization, 'lead import', file, '--decimal', 'comma');
  const same = await importJson(organization, file, '--decimal', 'point');

  expect(status).toBe(200);
  expect(again).toMatchObject({ rows: 3, imported: 0, alreadyThere: 1, refused: 2 });
  const otherReading = (leadId: number) =>
    `An earlier import created lead ${leadId} from this row, but read its values differently. Repeat with the plan, --dates, --decimal, --value, --country and --time-zone of that import, correct the lead, or take that import back with --undo.`;
  expect(reasons).toEqual([
    otherReading(idOf(12.5)),
    `budget must be a number with a decimal comma, such as 1.250,50. ${otherReading(idOf(1250.5))}`,
  ]);
  expect(text.stdout).toContain(
    '2 of 2 refused rows: An earlier import created a lead from this row, but',
  );
  expect(dry).toMatchObject({ alreadyThere: 1, refused: 2 });
  expect(same).toMatchObject({ alreadyThere: 3, refused: 0 });
});

test('a repeat with an option for other rows skips the rows that it reads as before', async () => {
  const organization = await givenOrganization();
  const file = await givenFile('leads.csv', csv('1,250.5', '1,250'));

  const first = await importJson(organization, file);
  const again = await importJson(organization, file, '--decimal', 'point');

  expect(first).toMatchObject({ imported: 1, refused: 1 });
  expect(again).toMatchObject({ imported: 1, alreadyThere: 1, refused: 0 });
});

/** Runs an import until its write with this number (from 1) arrives at DynamoDB, and kills it there. No later write arrives. */
async function killedAtWrite(number: number, args: readonly string[]): Promise<void> {
  const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
  const { kill, ended } = spawnAdmin(args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint });
  let writes = 0;
  proxy.rule = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return undefined;
    writes += 1;
    if (writes < number) return undefined;
    // On a busy machine the process goes on for a while before the signal ends it.
    return writes === number
      ? { kind: 'cut', applied: true, before: kill }
      : { kind: 'cut', applied: false };
  };
  const { signal, stderr } = await ended;
  await proxy.stop();
  if (signal !== 'SIGKILL')
    throw new Error(`The import ended before its write ${number}: ${stderr}`);
}

test.concurrent('200 rows with some wrong ones, killed half-way and started again, are imported exactly once', async () => {
  const organization = await givenOrganization();
  const people = Array.from({ length: 200 }, (_, index) => ({ ...person(), index }));
  const phone = (index: number): string | undefined =>
    index % 50 === 7 ? '12' : people[index % 50 === 9 ? index - 1 : index]?.phone;
  const file = await givenFile(
    'many.csv',
    [
      'name,phone,email',
      ...people.map((one) => `${one.name},${phone(one.index)},${one.email}`),
    ].join('\n'),
  );
  const args = ['lead', 'import', '--organization', String(organization.id), file];
  await killedAtWrite(100, args); // of one for each lead, and some for their IDs and owners
  const half = await countLeads(organization);
  const afterKill = await doneTo(organization);

  const answer = await importJson(organization, file);
  const again = await importJson(organization, file);

  expect(afterKill).toEqual(['lead import begun', 'organization apply']);
  expect(await doneTo(organization)).toEqual([
    'lead import, 0 leads',
    `lead import, ${answer.imported} leads`,
    ...afterKill,
  ]);
  // What the killed process sent in parallel may be written, even after the count.
  expect(half).toBeGreaterThanOrEqual(40);
  expect(half).toBeLessThan(160);
  expect(answer).toMatchObject({ rows: 200, imported: 192 - answer.alreadyThere, refused: 8 });
  expect(answer.alreadyThere).toBeGreaterThanOrEqual(half);
  expect(again).toMatchObject({ rows: 200, imported: 0, alreadyThere: 192, refused: 8 });
  expect(await refusedIn(again.report)).toHaveLength(8);
  const phones = (await fieldsOf(organization)).map((fields) => fields.phone);
  expect(new Set(phones).size).toBe(192);
  expect(await json(organization, 'check')).toEqual({
    leads: 192,
    violations: [],
  });
}, 120_000);

test('only a run that reaches the end of the file replaces an earlier report, and a dry run never does', async () => {
  const organization = await givenOrganization();
  const own = await mkdtemp(folder.path('own-'));
  const corrections = 'corrected by hand\n';
  const fileOf = async (name: string, phones: readonly string[], end = Buffer.alloc(0)) => {
    const text = ['name,phone', ...phones.map((phone) => `Someone,${phone}`), ''].join('\n');
    await writeFile(join(own, `${name}.csv`), Buffer.concat([Buffer.from(text), end]));
    await writeFile(join(own, `${name}.refused.csv`), corrections);
    return join(own, `${name}.csv`);
  };
  const some = await fileOf('some', ['12', person().phone]);
  const none = await fileOf('none', [person().phone]);
  const broken = await fileOf('broken', Array(10_000).fill('12'), Buffer.from([0xff]));
  const reports = () =>
    Promise.all(
      [some, none, broken].map((file) =>
        readFile(file.replace('.csv', '.refused.csv'), 'utf8').catch(() => undefined),
      ),
    );

  await run(organization, 'lead import', some, '--dry-run');
  const report = ['--report', none.replace('.csv', '.refused.csv')];
  await run(organization, 'lead import', none, '--dry-run', ...report);
  const afterDryRuns = await reports();
  for (const file of [some, none]) await run(organization, 'lead import', file);
  const { stderr } = await run(organization, 'lead import', broken);

  expect(afterDryRuns).toEqual([corrections, corrections, corrections]);
  expect(await readFile(join(own, 'some.would-be-refused.csv'), 'utf8')).toMatch(
    /^refused row,refused because,name,phone\n2,/,
  );
  expect(stderr).toContain('is not UTF-8');
  expect(await reports()).toEqual([expect.stringMatching(/^refused row,/), undefined, corrections]);
  expect((await readdir(own)).filter((name) => name.endsWith('unfinished'))).toEqual([]);
});
