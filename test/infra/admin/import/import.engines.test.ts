import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call } from '../../../support/call.ts';
import { changeSettings, givenLead, storedLeads, timelineOf } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { json, run } from '../commands.ts';
import { countLeads, fieldsOf, importJson, refusedIn } from './given-files.ts';

useOwnTable();
const { write: givenFile } = useFolder();

test('lead import reads headings by key, label or map, and people and stages by name', async () => {
  const organization = await givenOrganization();
  const file = await givenFile(
    'leads.csv',
    [
      '\uFEFFFull name;Phone;email;Ow\u200bner;source;stage;pipeline;interests;budget;created at;Notes',
      'Asha "A" Rao;98200 11111;asha@example.com;ravi\u00a0iyer;face\u00adbook ads;Enquiry;Corporate\u200e;hostel,abroad;"1,250.5";२०२४-०२-२९;x',
      '',
      '"Ravi\nKumar";+91 98200 22222;;7;3;\u200b;\u00a0;"[""hostel""]";;;',
    ].join('\r\n'),
  );

  const options = ['--map', 'Full name=name', '--ignore', 'Notes'];
  const answer = await importJson(organization, file, ...options);

  expect(answer).toEqual({
    rows: 2,
    imported: 2,
    alreadyThere: 0,
    refused: 0,
    report: null,
    dryRun: false,
  });
  const leads = await storedLeads(organization);
  const asha = leads.find(({ lead }) => (lead.fields as { name: string }).name === 'Asha "A" Rao');
  expect(asha?.lead).toMatchObject({
    stageId: 21,
    pipelineId: 2,
    createdAt: '2024-02-29T00:00:00.000Z',
    fields: {
      phone: '+919820011111',
      email: 'asha@example.com',
      assigned_to: 8,
      source: 3,
      interests: ['hostel', 'abroad'],
      budget: 1250.5,
      lead_type: 'student',
    },
  });
  expect(await timelineOf(organization, Number(asha?.lead.sk))).toEqual([
    {
      type: 'lead_created',
      at: '2024-02-29T00:00:00.000Z',
      actor: { userId: null, name: 'administrator' },
      by: expect.any(String),
      via: 'import',
      importedAt: expect.stringMatching(/Z$/),
    },
  ]);
  expect(leads.map(({ lead }) => lead.fields)).toContainEqual({
    name: 'Ravi\nKumar',
    phone: '+919820022222',
    assigned_to: 7,
    source: 3,
    interests: ['hostel'],
    lead_type: 'student',
  });
  const { body } = await call('list-leads', {
    apiKey: organization.reader,
    query: { updated_since: '2024-03-01T00:00:00Z' },
  });
  expect(body.items).toHaveLength(2);
  expect(await json(organization, 'check')).toEqual({ leads: 2, violations: [] });
});

test('lead import reports every refused row with all reasons, and accepts the corrected report', async () => {
  const organization = await givenOrganization();
  const body = await givenLead(organization);
  const [one, two] = [person(), person()];
  const file = await givenFile(
    'some.csv',
    [
      'name,phone,email,source,course,stage,updated at,note',
      `,12,not-an-address,Nowhere,zzz,Newest,2999-01-01,${'x'.repeat(5001)}`,
      `Taken,${body.phone},,,,,,`,
      `Good,${one.phone},${one.email},,,,,`,
      `Again,${one.phone},,,,,,`,
      `Same email,${two.phone},${one.email.toUpperCase()},,,,,`,
      `Good,${one.phone},${one.email},,,,,`,
      'No phone',
    ].join('\n'),
  );

  const answer = await importJson(organization, file);
  const refused = await refusedIn(answer.report);
  expect((await stat(answer.report)).mode & 0o777).toBe(0o600);
  const corrected = await givenFile(
    'corrected.csv',
    `${(await readFile(answer.report, 'utf8')).split('\n')[0]}\n2,fixed,Fixed,${two.phone},,Website,MBA,,,\n`,
  );
  const second = await importJson(organization, corrected);

  expect(answer).toMatchObject({ rows: 7, imported: 1, refused: 6 });
  expect(refused.map((row) => [row['refused row'], row['refused because']])).toEqual([
    [
      '2',
      expect.stringMatching(
        /^(?=.*phone is too short: it is not an Indian number)(?=.*email must be)(?=.*not a source.*such as Website)(?=.*mba, design)(?=.*not a stage)(?=.*updated at.*future)(?=.*note must be a text of at most 5000 characters)(?=.*name is required)/,
      ),
    ],
    ['3', `phone belongs to lead ${body.id}: no two leads may share it.`],
    ['5', 'phone belongs to row 4: no two leads may share it.'],
    ['6', 'email belongs to row 4: no two leads may share it.'],
    ['7', 'The row has the same values as row 4.'],
    ['8', 'phone is required.'],
  ]);
  expect(second).toMatchObject({ rows: 1, imported: 1, refused: 0 });
});

test.concurrent('owners rotate over imported leads, and their numbers differ by at most one', async () => {
  const organization = await givenOrganization();
  const rows = Array.from({ length: 41 }, () => `Someone,${person().phone}`);

  await importJson(organization, await givenFile('turns.csv', `name,phone\n${rows.join('\n')}\n`));

  const owners = (await fieldsOf(organization)).map(({ assigned_to }) => assigned_to);
  const counts = [7, 8].map((userId) => owners.filter((owner) => owner === userId).length).sort();
  expect(counts).toEqual([20, 21]);
});

test.concurrent('settings that are applied during an import hold from its next rows on', async () => {
  const organization = await givenOrganization();
  const rows = Array.from({ length: 32 }, () => `Someone,${person().phone},Facebook Ads`);
  const file = await givenFile('slow.csv', `name,phone,source\n${rows.join('\n')}\n`);
  const running = run(organization, 'lead import', file, '--rate', '8', '--json');
  for (let turn = 0; turn < 200 && (await countLeads(organization)) < 5; turn += 1) await sleep(50);

  await changeSettings(organization, {
    sources: organization.settings.sources.map((source) => ({
      ...source,
      active: source.id !== 3,
    })),
  });
  const { imported, refused, report } = (await running).json;

  expect(imported + refused).toBe(32);
  expect(imported).toBeGreaterThanOrEqual(5);
  expect(refused).toBeGreaterThan(0);
  expect((await refusedIn(report))[0]?.['refused because']).toMatch(
    /^source is Facebook Ads, a source that is not active: name an active source\./,
  );
}, 60_000);
