import { expect, test, vi } from 'vitest';
import { CommandContext } from '../../../../infra/admin/context.ts';
import { loadOrganization } from '../../../../shared/store/organizations/organizations.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { changeSettings, givenLead, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { sampleSettings } from '../../../support/settings.ts';
import { table } from '../../../support/table.ts';
import { commandOf, doneTo, json, run, violationsIn } from '../commands.ts';

useOwnTable();

test('lead edit changes a lead by names, notes it on the timeline, and repeats nothing', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization, { fields: { assigned_to: 7 } });
  const args = ['--lead', id, '--stage', 'enrolled', '--owner', 'ravi iyer', '--note', ' Paid '];

  const planned = await run(organization, 'lead edit', ...args, '--dry-run');
  const untouched = await timelineOf(organization, id);
  const edited = await json(organization, 'lead edit', ...args);
  const again = await json(organization, 'lead edit', ...args);
  const noted = await run(organization, 'lead edit', ...args);

  expect(planned.stdout).toBe(
    `Lead ${id}: assigned_to 7 (Asha Rao) → 8 (Ravi Iyer), stage 11 (New) → 12 (Enrolled) would be changed, note would be added.\n`,
  );
  expect(noted.stdout).toBe(`Lead ${id}: its last item is this note already.\n`);
  expect(untouched).toHaveLength(1);
  expect(edited).toEqual({ items: [{ leadId: id, changed: ['assigned_to', 'stage'] }] });
  expect(again).toEqual({ items: [{ leadId: id, changed: [] }] });
  const origin = {
    at: expect.any(String),
    actor: { userId: null, name: 'administrator' },
    by: expect.any(String),
    via: 'admin',
  };
  const changes = [
    { field: 'assigned_to', from: 7, to: 8 },
    { field: 'stage', from: 11, to: 12 },
  ];
  expect((await timelineOf(organization, id)).slice(1)).toEqual([
    { type: 'lead_updated', ...origin, changes },
    { type: 'note_added', ...origin, text: 'Paid' },
  ]);
  const done = `lead edit ${id}, 1 lead`;
  expect(await doneTo(organization)).toEqual([done, done, done, 'organization apply']);
  expect(await violationsIn(organization)).toEqual([]);
});

test('--set is read as an import reads a cell', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization, { fields: { city: 'Goa' } });
  const values: [text: string, value: unknown][] = [
    ['interests=Study abroad,hostel', ['hostel', 'abroad']],
    ['course=product design', 'design'],
    ['budget=12,500.5', 12500.5],
    ['wants_call=no', false],
    ['start_on=2026-02-28', '2026-02-28'],
    ['guardian_phone=0151 23456789', '+4915123456789'],
    ['mentor=Ravi Iyer', 8],
    ['second_source=3', 3],
    ['remarks=a=b', 'a=b'],
    ['city=', undefined],
  ];
  const source = ['--source', 'facebook ads'];
  const args = [...source, ...values.flatMap(([text]) => ['--set', text])];

  await json(organization, 'lead edit', '--lead', id, ...args, '--country', 'DE');

  const { lead } = await json(organization, 'lead show', '--lead', id);
  expect(lead.sourceId).toBe(3);
  for (const [text, value] of values)
    expect(lead.fields[text.split('=', 1)[0] ?? ''], text).toEqual(value);
  expect(await json(organization, 'lead edit', '--lead', id, '--set', 'mentor=')).toEqual({
    items: [{ leadId: id, changed: ['mentor'] }],
  });
});

test('a phone without a country code is read as Indian, which the text says', async () => {
  const organization = await givenOrganization();
  const { id, phone } = await givenLead(organization);
  const args = ['--lead', id, '--set', 'phone=0151 234 5678', '--dry-run'] as const;

  const indian = await run(organization, 'lead edit', ...args);
  const german = await run(organization, 'lead edit', ...args, '--country', 'DE');

  expect(indian.stdout.split('\n')).toEqual([
    `Lead ${id}: phone ${phone} → +911512345678 would be changed.`,
    '1 phone has no country code and is read as Indian, such as 0151 234 5678 as +911512345678. If that is wrong, name the country: --country DE.',
    '',
  ]);
  expect(german.stdout).toBe(`Lead ${id}: phone ${phone} → +491512345678 would be changed.\n`);
});

test("a note is added again after another item, and even if a user's last note says the same", async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization);
  await organization.note(id, { text: 'No answer' });
  const edit = (note: string) => run(organization, 'lead edit', '--lead', id, '--note', note);
  for (const note of ['No answer', 'Called back']) await edit(note);

  expect((await edit('No answer')).stdout).toBe(`Lead ${id}: note added.\n`);
  expect((await timelineOf(organization, id)).map(({ text }) => text).slice(1)).toEqual([
    'No answer',
    'No answer',
    'Called back',
    'No answer',
  ]);
});

test('lead edit names each lead that it refuses, and changes the others', async () => {
  const organization = await givenOrganization();
  const { phone } = person();
  const holder = await givenLead(organization);
  const lead = await givenLead(organization);
  const taken = ['--lead', `${lead.id},999,${holder.id}`, '--set', `phone=${holder.phone}`];
  const inactive = ['--lead', lead.id, '--owner', '9'] as const;
  const free = ['--lead', `999,${lead.id}`, '--set', `phone=${phone}`];

  const refusal = `Lead ${lead.id}: phone belongs to lead ${holder.id}: no two leads may share it.\nOrganization ${organization.id} has no lead 999.\n`;
  for (const more of [['--dry-run', '--json'], ['--json']])
    expect(await run(organization, 'lead edit', ...taken, ...more)).toMatchObject({
      status: 1,
      json: { items: [{ leadId: holder.id, changed: [] }] },
      stderr: refusal,
    });
  expect(await run(organization, 'lead edit', ...inactive)).toMatchObject({
    status: 1,
    stdout: 'No lead was changed.\n',
    stderr: `Lead ${lead.id}: assigned_to must be the ID of an active user.\n`,
  });
  expect(await run(organization, 'lead edit', ...free, '--json')).toMatchObject({
    status: 1,
    json: { items: [{ leadId: lead.id, changed: ['phone'] }] },
  });
});

test('lead edit looks a stage up in the pipeline that is named with it, and offers active ones', async () => {
  const stage = { slug: 'new', name: 'New', order: 1, meaning: 'open', isDefault: true };
  const pipelines = [1, 2].map((id) => {
    const paused = { ...stage, id: id * 10 + 1, slug: 'paused', name: 'Paused', isDefault: false };
    const stages = [
      { ...stage, id: id * 10 },
      { ...paused, order: 2, active: false },
    ];
    return { id, name: `P${id}`, order: id, isDefault: id === 1, stages };
  });
  const organization = await givenOrganization({ pipelines });
  const { id } = await givenLead(organization);

  const args = ['--lead', id, '--stage', 'New'] as const;
  expect((await run(organization, 'lead edit', '--lead', id, '--stage', 'Won')).stderr).toMatch(
    /no stage "Won": its active stages are 10 \(New\), 20 \(New\)\.\n/,
  );
  expect((await run(organization, 'lead edit', ...args)).stderr).toMatch(
    /more than one stage "New".* 10 and 20\.\n/,
  );
  expect(await json(organization, 'lead edit', ...args, '--pipeline', 'p2')).toMatchObject({
    items: [{ changed: ['stage', 'pipeline'] }],
  });
});

const users = [...sampleSettings.users, { id: 10, name: 'Omar Khan' }];

/** Leads of user 7. */
async function givenLeads(organization: GivenOrganization, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let lead = 0; lead < count; lead += 1)
    ids.push((await givenLead(organization, { fields: { assigned_to: 7 } })).id);
  return ids;
}

const argsOf = (organization: GivenOrganization, ...more: string[]) =>
  commandOf(organization, 'lead reassign', '--from', '7', ...more);

const listed = async (organization: GivenOrganization, owner: string): Promise<number[]> => {
  const { items } = await json(organization, 'lead list', '--owner', owner, '--limit', '100');
  return items.map(({ leadId }: { leadId: number }) => leadId).reverse();
};

test("lead reassign gives a user's leads to others in turn, and records it on each timeline", async () => {
  const organization = await givenOrganization({ users });
  const [a = 0, b = 0, c = 0] = await givenLeads(organization, 3);
  const other = await givenLead(organization, { fields: { assigned_to: 10 } });
  await json(organization, 'lead archive', '--lead', b);
  const args = argsOf(organization, '--to', 'ravi iyer,10');

  const planned = await runAdmin([...args, '--dry-run']);
  const plan = await adminJson(...args, '--dry-run');
  const unconfirmed = await runAdmin(args);
  const before = await listed(organization, '7');
  const reassigned = await adminJson(...args, '--yes');
  const again = await adminJson(...args, '--yes');

  expect(planned.stdout).toBe(
    'User 7 (Asha Rao) has 3 leads, 1 archived lead among them:\n' +
      '  2 leads to user 8 (Ravi Iyer)\n  1 lead to user 10 (Omar Khan)\nNothing was changed.\n',
  );
  expect(unconfirmed).toMatchObject({ status: 1, stderr: expect.stringMatching(/Add --yes/) });
  expect(before).toEqual([a, c]);
  expect([plan, reassigned, again]).toEqual([
    { reassigned: 3 },
    { reassigned: 3 },
    { reassigned: 0 },
  ]);
  expect(await listed(organization, '7')).toEqual([]);
  expect(await listed(organization, '8')).toEqual([a, c]);
  expect(await listed(organization, '10')).toEqual([other.id]);
  const { lead } = await json(organization, 'lead show', '--lead', b);
  expect(lead.owner).toEqual({ id: 10, name: 'Omar Khan' });
  const { updatedAt } = (await call('get-lead', { apiKey: organization.reader, leadId: a })).body
    .lead;
  const { items } = await json(organization, 'organization history', '--limit', '1');
  expect((await timelineOf(organization, a)).at(-1)).toEqual({
    type: 'lead_updated',
    at: updatedAt,
    actor: { userId: null, name: 'administrator' },
    by: items[0].who,
    via: 'admin',
    changes: [{ field: 'assigned_to', from: 7, to: 8 }],
  });
  expect(items[0].what).toBe('lead reassign from 7 to 8, 10, 3 leads');
  expect(await json(organization, 'check')).toMatchObject({ violations: [] });
});

test('with --stage only the leads of that stage are reassigned', async () => {
  const organization = await givenOrganization({ users });
  const [first] = await givenLeads(organization, 1);
  const enrolled = await givenLead(organization, { stageId: 12, fields: { assigned_to: 7 } });

  await adminJson(...argsOf(organization, '--to', '8', '--stage', '12', '--yes'));

  expect(await listed(organization, '7')).toEqual([first]);
  expect(await listed(organization, '8')).toEqual([enrolled.id]);
});

test('a user who is deactivated during a reassignment is given no more leads', async () => {
  const organization = await givenOrganization({ users });
  const [leadId = 0] = await givenLeads(organization, 1);
  const before = await loadOrganization(table(), organization.id);
  const inactive = users.map((user) => ({ ...user, active: user.id !== 8 }));
  await changeSettings(organization, { users: inactive });
  const read = vi.spyOn(CommandContext.prototype, 'organization').mockResolvedValueOnce(before!);

  const { status, stderr } = await runAdmin(argsOf(organization, '--to', '8', '--yes'));
  read.mockRestore();

  expect([status, stderr]).toEqual([1, expect.stringMatching(/8 \(Ravi Iyer\) is inactive/)]);
  expect(await listed(organization, '7')).toEqual([leadId]);
});
