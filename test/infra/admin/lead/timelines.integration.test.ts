import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { adminJson, runAdmin, spawnAdmin } from '../../../support/admin.ts';
import type { ReadJson } from '../../../support/call.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { captureLead, commandOf, json } from '../commands.ts';

useOwnTable();

const files = useFolder();

const newFile = () => files.newPath('lines.jsonl');
const args = (organization: GivenOrganization, ...more: string[]) =>
  commandOf(organization, 'lead timelines', ...more);
const linesOf = (text: string): ReadJson[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
const linesIn = async (file: string): Promise<ReadJson[]> => linesOf(await readFile(file, 'utf8'));
async function written(organization: GivenOrganization, ...more: string[]): Promise<ReadJson[]> {
  const file = newFile();
  await adminJson(...args(organization, '--out', file, ...more));
  return linesIn(file);
}
const erase = (organization: GivenOrganization, leadId: number) =>
  json(organization, 'lead erase', '--lead', leadId, '--yes');
/** A time after all that was done, and before all that follows. */
async function nextMoment(): Promise<string> {
  const moment = new Date(Date.now() + 1).toISOString();
  await expect.poll(() => new Date().toISOString() > moment, { timeout: 20_000 }).toBe(true);
  return moment;
}
const typesOf = (lines: ReadJson[], leadId: number): string[] =>
  lines.filter((line) => line.leadId === leadId).map(({ type }) => type);

test('lead timelines writes every item of every lead, and a line for an erased lead', async () => {
  const organization = await givenOrganization();
  const visitor = person();
  const captured = await captureLead(organization, { ...visitor, notes: 'Please call after six.' });
  await captureLead(organization, { ...visitor, notes: 'I asked yesterday.' });
  const archived = (await givenLead(organization)).id;
  await organization.note(archived, { text: 'Called twice' });
  await setArchived(table(), organization.id, archived, { archived: true });
  const erased = await captureLead(organization, person());
  await erase(organization, erased);

  const { stdout, status, stderr } = await spawnAdmin(args(organization)).ended;

  expect([status, stderr]).toEqual([
    0,
    'Reading at most 3 leads, and at least one read unit for the timeline of each.\n7 items of 3 leads written.\n',
  ]);
  const lines = linesOf(stdout);
  expect(lines.map(({ leadId }) => leadId)).toEqual([
    ...[captured, captured, captured],
    ...[archived, archived, archived],
    erased,
  ]);
  for (const leadId of [captured, archived]) {
    const { items } = await json(organization, 'lead timeline', '--lead', leadId);
    const own = lines.filter((line) => line.leadId === leadId);
    expect(own.map(({ leadId: _leadId, id: _id, ...item }) => item)).toEqual(items);
    expect(Object.keys(own[0]).slice(0, 2)).toEqual(['leadId', 'id']);
  }
  expect(lines.at(-1)).toEqual({
    leadId: erased,
    id: expect.stringMatching(/./),
    type: 'erased',
    at: expect.stringMatching(/Z$/),
  });
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  expect((await written(organization)).map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
});

test('a lead that is erased while lead timelines reads leaves one line', async () => {
  const organization = await givenOrganization();
  const leadId = await captureLead(organization, person());
  const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  let erasing: Promise<unknown> | undefined;
  proxy.rule = ({ site }) => {
    if (site === 'Query TIMELINE') erasing ??= erase(organization, leadId);
    return undefined;
  };
  proxy.heldUntil = async () => void (await erasing);
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const { stdout } = await spawnAdmin(args(organization), environment).ended;
  await proxy.stop();

  expect(typesOf(linesOf(stdout), leadId).at(-1)).toBe('erased');
});

test('lead timelines --since writes items at or after the time, with erasures and imports since', async () => {
  const organization = await givenOrganization();
  const [before = 0, erasedBefore = 0, erasedAfter = 0] = [
    (await givenLead(organization)).id,
    (await givenLead(organization)).id,
    (await givenLead(organization)).id,
  ];
  await erase(organization, erasedBefore);
  const since = await nextMoment();
  await organization.note(before, { text: 'Since' });
  await erase(organization, erasedAfter);
  const file = newFile();
  const old = { createdAt: '2020-01-01T00:00:00Z', updatedAt: '2020-01-02T00:00:00Z' };
  await writeFile(file, `${JSON.stringify({ ...old, ...person() })}\n`);
  await json(organization, 'lead import', file);

  const lines = await written(organization, '--since', since);
  const note = lines[0];

  expect(lines.map(({ type }) => type)).toEqual(['note_added', 'lead_created', 'erased']);
  expect([note.leadId, lines[2].leadId]).toEqual([before, erasedAfter]);
  expect((await written(organization, '--since', note.at)).map(({ id }) => id)).toContain(note.id);
  const later = new Date(Date.parse(note.at) + 1).toISOString();
  expect((await written(organization, '--since', later)).map(({ id }) => id)).not.toContain(
    note.id,
  );
});

test('lead timelines --resume adds the missing items of an interrupted file, and then only new ones', async () => {
  const organization = await givenOrganization();
  const first = await captureLead(organization, { ...person(), notes: 'One' });
  const second = await captureLead(organization, { ...person(), notes: 'Two – three' });
  const file = newFile();
  await adminJson(...args(organization, '--out', file));
  const whole = await readFile(file, 'utf8');
  // DynamoDB returns the attributes of a map in any order, so the lines are compared as values.
  const { length } = Buffer.from(whole);

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const bytes of [120, length]) {
    await writeFile(file, whole);
    await truncate(file, bytes);
    await adminJson(...args(organization, '--out', file, '--resume'));
    expect(await linesIn(file)).toEqual(linesOf(whole));
  }
  await organization.note(first, { text: 'New' });
  await erase(organization, second);
  const resumed = await adminJson(...args(organization, '--out', file, '--resume'));

  expect(resumed).toEqual({ items: 2, leads: 2, file });
  const added = (await linesIn(file)).slice(4);
  expect(added.map(({ leadId, type }) => [leadId, type])).toEqual([
    [first, 'note_added'],
    [second, 'erased'],
  ]);
});

test('an item from which an erased person was removed is written again by --since and --resume', async () => {
  const organization = await givenOrganization();
  const [husband, wife] = [person(), person()];
  const erased = await captureLead(organization, wife);
  const kept = await captureLead(organization, { ...husband, notes: `My wife is ${wife.phone}.` });
  await captureLead(organization, { ...husband, email: wife.email, notes: 'I am the wife.' });
  const file = newFile();
  await adminJson(...args(organization, '--out', file));
  const since = await nextMoment();

  await erase(organization, erased);
  const again = await written(organization, '--since', since);
  const resumed = await adminJson(...args(organization, '--out', file, '--resume'));
  const twice = await adminJson(...args(organization, '--out', file, '--resume'));

  const cleaned = again.filter(({ leadId }) => leadId === kept);
  expect(again.map(({ leadId, type }) => [leadId, type])).toEqual([
    [kept, 'captured'],
    [kept, 'captured'],
    [erased, 'erased'],
  ]);
  expect(cleaned).toMatchObject([
    { notes: 'My wife is [erased].', cleanedAt: expect.stringMatching(/Z$/) },
    { notes: '[erased]', cleanedAt: expect.stringMatching(/Z$/) },
  ]);
  for (const { cleanedAt, at } of cleaned) expect(cleanedAt > since && since > at).toBe(true);
  const { items } = await json(organization, 'lead timeline', '--lead', kept);
  expect(cleaned.map(({ leadId: _leadId, id: _id, ...item }) => item)).toEqual(items.slice(1));
  expect(resumed).toMatchObject({ items: 3 });
  expect((await linesIn(file)).slice(-3)).toEqual(again);
  expect(twice).toMatchObject({ items: 0 });
  const [last] = cleaned
    .map(({ cleanedAt }) => cleanedAt)
    .sort()
    .reverse();
  const later = new Date(Date.parse(last) + 1).toISOString();
  expect(typesOf(await written(organization, '--since', later), kept)).toEqual([]);
});

test('lead timelines refuses the file of another organization or command, and leaves it as it is', async () => {
  const [organization, other] = [await givenOrganization(), await givenOrganization()];
  for (const each of [organization, organization, other, other]) await givenLead(each);
  const [file, exported] = [newFile(), newFile()];
  await adminJson(...args(organization, '--out', file));
  await json(other, 'lead export', '--out', exported);
  const before = await linesIn(file);
  // The first lead of the file is erased in the other organization: that tells nothing.
  await erase(other, before[0].leadId);

  const foreign = await runAdmin(args(other, '--out', file, '--resume'));
  const leads = await runAdmin(args(other, '--out', exported, '--resume'));

  expect(foreign).toMatchObject({
    status: 1,
    stderr: `${file} has timelines of another organization: name another file for the timelines of organization ${other.id}.\n`,
  });
  expect(leads).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Record 1 is not a timeline item'),
  });
  expect(await linesIn(file)).toEqual(before);
});

test('the policy for a nightly job allows every call of lead timelines, of its own organization only', async () => {
  const organization = await givenOrganization();
  await erase(organization, await captureLead(organization, person()));
  await captureLead(organization, person());
  const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const file = newFile();
  await runAdmin(args(organization, '--out', file), { environment });
  await runAdmin(args(organization, '--out', file, '--resume', '--since', '2026-01-01T00:00:00Z'), {
    environment,
  });
  await proxy.stop();
  const { Statement } = JSON.parse(await readFile('infra/policies/read-timelines.json', 'utf8'));
  const { Action, Condition } = Statement[0];
  const patterns: string[] = Condition['ForAllValues:StringLike']['dynamodb:LeadingKeys'].map(
    (pattern: string) => pattern.replace(/#1(?=#|$)/, `#${organization.id}`),
  );
  const isAllowed = (key: string): boolean =>
    patterns.some((pattern) =>
      pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern,
    );

  expect(Statement).toHaveLength(1);
  expect(await linesIn(file)).toHaveLength(3);
  expect([...new Set(proxy.calls.map(({ operation }) => `dynamodb:${operation}`))].sort()).toEqual(
    Action,
  );
  const keys = proxy.calls.map(({ items }) => items[0]?.split('|')[0] ?? '');
  expect(keys.filter((key) => !isAllowed(key))).toEqual([]);
  for (const pattern of patterns)
    expect(keys.filter((key) => key.startsWith(pattern.replace('*', '')))).not.toEqual([]);
  expect(isAllowed(`LEADS#${organization.id}0`)).toBe(false);
});
