import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { changeSettings, givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { addNote, captureLead, json, run } from '../commands.ts';

useOwnTable();

const files = useFolder();

test('a dossier holds everything about its person, and nothing about others', async () => {
  const organization = await givenOrganization();
  const who = person();
  const lead = await captureLead(organization, {
    ...who,
    externalId: randomUUID(),
    fields: { city: 'Pune' },
  });
  const other = await givenLead(organization, { fields: { guardian_phone: who.phone } });
  await addNote(organization, other.id, `Brother of ${who.phone}`);
  const both = [other.id, lead].join(',');
  await json(organization, 'lead edit', '--lead', both, '--note', 'Called');
  await json(organization, 'lead archive', '--lead', `${lead},${other.id}`);
  await json(organization, 'lead restore', '--lead', other.id);
  const { fields } = organization.settings;
  const inactive = fields.map((field) => ({ ...field, active: field.key !== 'city' }));
  await changeSettings(organization, { fields: inactive });
  const file = files.path('lead.json');

  const { status, stdout } = await run(
    organization,
    'lead dossier',
    ...['--lead', lead, '--out', file],
  );
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
