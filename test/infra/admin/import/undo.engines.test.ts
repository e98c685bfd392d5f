import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { countEntryOf } from '../../../../shared/store/leads/leads.ts';
import { addToTimeline, putTimelineEntry } from '../../../../shared/store/leads/timeline.ts';
import { sendingThrough, type Table } from '../../../../shared/store/table/client.ts';
import { transact } from '../../../../shared/store/table/transact.ts';
import { undoImportedLead } from '../../../../shared/store/transfer/undo-import.ts';
import { leadsOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { type Person, person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { doneTo, run, violationsIn } from '../commands.ts';
import { dyingAfter } from '../lead/dying-table.ts';
import { itemsOf } from '../table/restored-tables.ts';
import { importJson } from './given-files.ts';

useOwnTable();
const folder = useFolder();

const fileOf = (people: readonly Person[]) =>
  folder.write(
    'leads.csv',
    [
      'name,phone,email,note',
      ...people.map((one) => `${one.name},${one.phone},${one.email},Hi`),
    ].join('\n'),
  );

/** An organization with the leads of a file. */
async function givenImport(rows: number) {
  const organization = await givenOrganization();
  const people = Array.from({ length: rows }, person);
  const file = await fileOf(people);
  await importJson(organization, file);
  const leadIds = (await leadsOf(organization)).map(({ id }) => id);
  return { organization, people, file, leadIds };
}

const undo = (organization: GivenOrganization, file: string, ...more: string[]) =>
  importJson(organization, file, '--undo', '--yes', ...more);

test('an undo removes the leads of a file that nobody has worked with, and the file can be imported again', async () => {
  const { organization, people, file, leadIds } = await givenImport(5);
  const [noted = 0, asked = 0, ...untouched] = leadIds;
  await organization.note(noted, { text: 'Call back' });
  const { name, phone } = people.find((_, at) => leadIds[at] === asked) ?? person();
  await organization.capture({ name, phone });

  const planned = await importJson(organization, file, '--undo', '--dry-run');
  const unconfirmed = await run(organization, 'lead import', file, '--undo');
  const undone = await undo(organization, file);
  const left = await leadsOf(organization);
  const again = await importJson(organization, file);

  const kept = [{ leadId: noted }, { leadId: asked }];
  expect(planned).toEqual({ removed: 3, kept });
  expect(unconfirmed).toMatchObject({ status: 1, stderr: expect.stringContaining('3 leads that') });
  expect(undone).toEqual({ removed: 3, kept });
  expect(left.map(({ id }) => id)).toEqual([noted, asked]);
  expect(again).toMatchObject({ imported: 3, alreadyThere: 2, refused: 0 });
  expect((await doneTo(organization)).slice(1, 5).sort()).toEqual([
    'lead import --undo, 3 leads',
    ...untouched.map((id) => `lead import --undo: lead ${id}`),
  ]);
  expect(await violationsIn(organization)).toEqual([]);
});

test('an undo says how many leads of the file stay, and whether all rows match one', async () => {
  const { organization, people, leadIds } = await givenImport(3);
  const [noted = 0] = leadIds;
  await organization.note(noted, { text: 'Call back' });
  const [kept = person(), removed = person(), last = person()] = people;
  const undoneLines = async (...rows: Person[]) => {
    const file = await fileOf(rows);
    const { status, stdout } = await run(organization, 'lead import', file, '--undo', '--yes');
    return { status, lines: stdout.trimEnd().split('\n') };
  };

  const stays = 'that the file created has changed since, and stays:';
  expect(await undoneLines(kept, removed)).toEqual({
    status: 0,
    lines: ['1 lead removed.', `1 of 2 leads ${stays} ${noted}.`],
  });
  expect(await undoneLines(last, person())).toEqual({
    status: 0,
    lines: [
      '1 lead removed.',
      'The file matches 1 lead. If the import created more, the file or its plan was changed since: undo with the original.',
    ],
  });
});

/** A lead that an import made. */
async function givenImportedLead() {
  const { organization, file } = await givenImport(1);
  const row = (await itemsOf(table())).find(
    (item) => String(item.pk).startsWith('IMPORTED#') && item.organizationId === organization.id,
  );
  const rowKey = { pk: String(row?.pk), sk: 'ROW' };
  const [lead = expect.fail()] = await leadsOf(organization);
  const undoOn = async (on: Table) => {
    const own = { table: on, organizationId: organization.id };
    return undoImportedLead(own, { leadId: lead.id, rowKey }, 'a test');
  };
  return { organization, file, lead, undoOn };
}

test('an import refuses the row of a lead whose undo died, until a repeat completes the undo', async () => {
  const { organization, file, undoOn } = await givenImportedLead();
  const other = await organization.capture(person());
  const dying = dyingAfter(3); // the lead, the timeline, and the transaction that removes the lead
  await expect(undoOn(dying.table)).rejects.toThrow('The process died.');
  await dying.settled();

  const between = await run(organization, 'lead import', file);
  await undo(organization, file);
  const again = await run(organization, 'lead import', file, '--undo', '--yes', '--json');

  expect(between).toMatchObject({ status: 1, stdout: expect.stringMatching(/is being removed/) });
  expect(again).toMatchObject({ status: 1, json: { removed: 0, kept: [] } });
  expect((await leadsOf(organization)).map(({ id }) => id)).toEqual([other.body.lead.id]);
  expect(await violationsIn(organization)).toEqual([]);
});

/** What a request may add to the timeline of a lead that it does not change. @returns whether it did */
const additions = {
  note: async (on: Table, lead: Lead): Promise<boolean> => {
    const entryAt = (at: string) => ({ ...noted, at });
    return (await addToTimeline(on, lead.organizationId, lead.id, entryAt)) !== undefined;
  },
  enquiry: async (on: Table, lead: Lead): Promise<boolean> => {
    const entry = putTimelineEntry(lead, { ...noted, at: new Date().toISOString() });
    return (await transact(on, [countEntryOf(lead), entry])).outcome === 'written';
  },
};
const noted = { type: 'note_added', actorId: 7, via: 'api', keyId: 'k', text: 'Hi' } as const;

test.each(['note', 'enquiry'] as const)(
  'a timeline item (%s) that is written while an undo decides keeps its lead',
  async (kind) => {
    const { lead, undoOn } = await givenImportedLead();
    let isAdded: boolean | undefined;
    const deciding = sendingThrough(table(), (send) => async (command, options) => {
      const answer = await send(command, options);
      if (command instanceof QueryCommand) isAdded ??= await additions[kind](table(), lead);
      return answer;
    });

    expect([await undoOn(deciding), isAdded]).toEqual(['kept', true]);
  },
);
