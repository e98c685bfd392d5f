import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runAdmin, spawnAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { faultOnce } from '../../../support/faults/rules.ts';
import { changeSettings, givenLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { captureLead, commandOf, doneTo, json, run, violationsIn } from '../commands.ts';
import { itemsOf } from '../table/restored-tables.ts';

useOwnTable();
const files = useFolder();

test('a dry run changes nothing and says what lead erase then removes, former phones included', async () => {
  const organization = await givenOrganization();
  const [who, former, guardian] = [person(), person(), person()];
  const first = { ...who, phone: former.phone, externalId: randomUUID() };
  const leadId = await captureLead(organization, first);
  const { phone: guardian_phone, email: work_email } = guardian;
  const fields = { phone: who.phone, guardian_phone, work_email };
  await organization.update(leadId, { fields });
  const erase = ['lead erase', '--lead', leadId] as const;
  const [one, two] = [
    await givenLead(organization),
    await givenLead(organization, { fields: { guardian_phone: who.phone } }),
  ];
  await organization.note(one.id, { text: `Brother of ${who.phone}, son of ${guardian.phone}` });
  const text = `Write to ${who.email.toUpperCase()} or ${former.phone}`;
  await organization.note(one.id, { text });
  await organization.note(two.id, { text: `Brother of ${who.phone}` });
  const before = await storedLeads(organization);
  const timelines = await spawnAdmin(commandOf(organization, 'lead timelines')).ended;
  const notes = timelines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'note_added');

  const planned = await json(organization, ...erase, '--dry-run');

  expect(await storedLeads(organization)).toEqual(before);
  expect(planned).toEqual({
    leadId,
    dryRun: true,
    timelineEntries: 2,
    idempotencyRecords: 2,
    importedRows: 0,
    otherEntries: 3,
    otherLeads: 2,
    mentions: [{ leadId: two.id, fields: ['guardian_phone'] }],
    phones: [who.phone, former.phone],
    emails: [who.email],
    changes: notes.map((item) => ({ leadId: item.leadId, id: item.id })),
  });
  expect(notes).toHaveLength(3);
  const { stdout } = await run(organization, ...erase, '--dry-run');
  expect(stdout).toContain('with 2 timeline records, 2 idempotency records and 0 imported rows.');
  expect(stdout).toContain(
    `The person's phones: ${who.phone}, ${former.phone}. Emails: ${who.email}.`,
  );
  const [, notSearched = ''] =
    new RegExp(
      `\nLead ${leadId} has in custom fields, .* and are not searched for: (.*)\\.\n`,
    ).exec(stdout) ?? [];
  expect(notSearched.split(', ').sort()).toEqual([
    `guardian_phone ${guardian_phone}`,
    `work_email ${work_email}`,
  ]);
  expect(stdout).toContain(
    `Lead ${one.id} would change in 2 timeline items: ${notes[0]?.id}, ${notes[1]?.id}.`,
  );
  const { dryRun: _, ...counts } = planned;
  const erased = await json(organization, ...erase, '--yes');
  expect(erased).toMatchObject(counts);
  expect(Date.parse(erased.backupsUntil) - Date.now()).toBeGreaterThan(34 * 86_400_000);
  const stored = JSON.stringify(await itemsOf(table())).toLowerCase();
  for (const trace of [former.phone, who.email, `#${who.phone}`, `#${organization.id}#${leadId}"`])
    expect(stored).not.toContain(trace.toLowerCase());
  expect((await timelineOf(organization, one.id)).slice(1)).toMatchObject([
    { text: `Brother of [erased], son of ${guardian.phone}` },
    { text: 'Write to [erased] or [erased]' },
  ]);
  expect(await violationsIn(organization)).toEqual([]);
  expect(await run(organization, ...erase, '--yes')).toMatchObject({
    status: 1,
    stderr: `Organization ${organization.id} has no lead ${leadId}.\n`,
  });
});

/** Two leads whose phones are on the timeline of a third: both in one note, the second in another. */
async function givenNamedLeads(organization: GivenOrganization) {
  const [one, two, other] = [
    await givenLead(organization),
    await givenLead(organization),
    await givenLead(organization),
  ];
  await organization.note(other.id, { text: `${one.phone} and ${two.phone}` });
  await organization.note(other.id, { text: `only ${two.phone}` });
  return [one, two] as const;
}

test('several leads are erased in one pass; one that does not exist is named', async () => {
  const organization = await givenOrganization();
  const [one, two] = await givenNamedLeads(organization);
  const ids = `${one.id},2000000000,${two.id}`;

  const planned = await run(organization, 'lead erase', '--lead', ids, '--dry-run', '--json');
  const erased = await run(organization, 'lead erase', '--lead', ids, '--yes', '--json');

  for (const reply of [planned, erased])
    expect(reply).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/has no lead 2000000000\./),
      json: {
        items: [
          { leadId: one.id, otherEntries: 1 },
          { leadId: two.id, otherEntries: 2 },
        ],
      },
    });
  expect(JSON.stringify(await itemsOf(table()))).not.toMatch(
    new RegExp([one, two].map(({ phone }) => phone.slice(1)).join('|')),
  );
  expect((await doneTo(organization)).slice(0, 2)).toEqual([
    `lead erase ${two.id}`,
    `lead erase ${one.id}`,
  ]);
  expect(await violationsIn(organization)).toEqual([]);
});

test('an erasure of more than --max-items items, or without confirmation, changes nothing', async () => {
  const organization = await givenOrganization();
  const [one, two] = await givenNamedLeads(organization);
  const before = await storedLeads(organization);
  const erase = (...more: string[]) =>
    run(organization, 'lead erase', '--lead', `${one.id},${two.id}`, ...more);

  const refused = await erase('--yes', '--max-items', '1');
  const unconfirmed = await erase();

  expect([refused.status, unconfirmed.status]).toEqual([1, 1]);
  expect(refused.stderr).toMatch(
    /^Reading the whole table twice: about .* items?.*\.\nErasing 2 leads would change 2 timeline items of 1 other lead, more than 1 item: .*--max-items/,
  );
  expect(unconfirmed.stderr).toMatch(
    /\.\nErasing changes 2 .*\.\nErasing removes 2 leads of organization \d+ \(1, 2\) for good\. Add --yes/,
  );
  expect(await storedLeads(organization)).toEqual(before);
  expect((await erase('--yes', '--max-items', '2')).status).toBe(0);
});

/** Imports leads whose file says when they were created, and last changed in another system. */
async function givenImported(organization: GivenOrganization, times: readonly string[]) {
  const rows = times.map((both) => `${person().name},${person().phone},${both}`);
  const headings = 'name,phone,created at,updated at';
  const file = await files.write(`${randomUUID()}.csv`, [headings, ...rows].join('\n'));
  await json(organization, 'lead import', file);
}

test('--inactive-since erases the leads without a timeline item since then, at most --max of them', async () => {
  const organization = await givenOrganization();
  const years = ['2018-05-01', '2019-05-01', '2020-05-01', '2021-05-01'];
  await givenImported(
    organization,
    years.map((day) => `${day},${day}`),
  );
  await run(organization, 'lead archive', '--lead', 3);
  await organization.note(4, { text: 'Called today' });
  const erase = (since: string, ...more: readonly string[]) =>
    run(organization, 'lead erase', '--inactive-since', since, '--yes', ...more, '--json');

  const planned = await erase('2024-01-01', '--dry-run');
  const onlyArchived = await erase('2100-01-01', '--archived', '--dry-run');
  const refused = await erase('2024-01-01', '--max', '1');
  const erased = await erase('2024-01-01', '--max', '2');

  expect(planned.json.items).toMatchObject([{ leadId: 1, dryRun: true }, { leadId: 2 }]);
  expect(onlyArchived.json.items).toMatchObject([{ leadId: 3 }]);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^2 leads .* more than 1: .*--max .* Nothing was changed\.$/m);
  expect(erased.json.items).toMatchObject([{ leadId: 1 }, { leadId: 2 }]);
  expect((await erase('2024-01-01')).json).toEqual({ items: [] });
});

test('--inactive-since erases no lead that a list shows as changed since then', async () => {
  const organization = await givenOrganization();
  const before = ['2019-01-31,2023-12-31', '2019-01-31,2023-12-31T23:59:59.999Z'];
  const since = ['2019-01-31,2024-01-01T05:30:00+05:30', '2019-01-31,2026-01-01', '2019-01-31,'];
  await givenImported(organization, [...before, ...since]);

  const erased = await json(
    organization,
    'lead erase',
    ...['--inactive-since', '2024-01-01', '--yes'],
  );

  expect(erased.items).toMatchObject([{ leadId: 1 }, { leadId: 2 }]);
  const listed = await json(organization, 'lead list', '--updated-since', '2024-01-01');
  expect(listed.items).toHaveLength(since.length);
});

test('--inactive-since keeps a lead that a request changes before its turn', async () => {
  const organization = await givenOrganization();
  await givenImported(organization, ['2018-05-01,2018-05-01', '2019-05-01,2019-05-01']);
  const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
  proxy.rule = faultOnce(({ operation }) => !/Get|Query|Scan|Describe/.test(operation), {
    kind: 'cut',
    applied: false,
    before: () => organization.note(2, { text: 'Called today' }),
  });
  const options = ['--inactive-since', '2024-01-01', '--yes', '--json'];

  const { json: erased } = await runAdmin(commandOf(organization, 'lead erase', ...options), {
    environment: { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint },
  });
  await proxy.stop();

  expect(erased.items).toMatchObject([{ leadId: 1 }]);
});

test('a dossier holds everything about its person, and nothing about others', async () => {
  const organization = await givenOrganization();
  const who = person();
  const lead = await captureLead(organization, {
    ...who,
    externalId: randomUUID(),
    fields: { city: 'Pune' },
  });
  const other = await givenLead(organization, { fields: { guardian_phone: who.phone } });
  await organization.note(other.id, { text: `Brother of ${who.phone}` });
  const both = [other.id, lead].join(',');
  await json(organization, 'lead edit', '--lead', both, '--note', 'Called');
  await json(organization, 'lead archive', '--lead', `${lead},${other.id}`);
  await json(organization, 'lead restore', '--lead', other.id);
  const { fields } = organization.settings;
  const inactive = fields.map((field) => ({ ...field, active: field.key !== 'city' }));
  await changeSettings(organization, { fields: inactive });
  const file = files.path('lead.json');

  const { status, stdout } = await run(organization, 'lead dossier', '--lead', lead, '--out', file);
  const dossier = JSON.parse(await readFile(file, 'utf8'));

  expect([status, stdout]).toEqual([0, `Wrote everything stored about lead ${lead} to ${file}.\n`]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { items } = await json(organization, 'lead timeline', '--lead', lead);
  expect(dossier).toEqual({
    lead: expect.objectContaining({ id: lead, ...who, fields: { city: 'Pune' } }),
    timeline: items,
    auditLog: [`lead edit ${both}, 2 leads`, `lead archive ${lead}`].map((what) =>
      expect.objectContaining({ what }),
    ),
    idempotencyRecords: 2,
    importedRows: 0,
    mentions: [{ leadId: other.id, fields: ['guardian_phone'] }],
    otherItems: [{ leadId: other.id, id: expect.any(String) }],
  });
  expect(dossier.lead.archivedAt).toBe(items.at(-1).at);
  expect(await json(organization, 'lead dossier', '--lead', lead)).toEqual(dossier);
});
