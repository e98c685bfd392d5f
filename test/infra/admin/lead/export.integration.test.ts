import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { spawnAdmin } from '../../../support/admin.ts';
import { changeSettings, givenLead, leadsOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { customField, sampleSettings } from '../../../support/settings.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { commandOf, doneTo, json, run } from '../commands.ts';

useOwnTable();

const files = useFolder();

const newFile = (extension: string) => files.newPath(`leads.${extension}`);
/** Leads as they compare across organizations, by phone; versions and organizations differ. */
const comparable = (leads: readonly Lead[], withIds: boolean) =>
  leads
    .map(({ id, organizationId: _, version: __, ...lead }) => (withIds ? { id, ...lead } : lead))
    .sort((a, b) => String(a.fields.phone).localeCompare(String(b.fields.phone)));
const exportTo = (organization: GivenOrganization, file: string, ...more: string[]) =>
  json(organization, 'lead export', '--out', file, ...more);
const importFrom = (organization: GivenOrganization, file: string, ...more: string[]) =>
  json(organization, 'lead import', file, ...more);

/** Leads with everything that is hard to carry, then settings in which part of it is no longer active. */
async function givenHardLeads(): Promise<{ organization: GivenOrganization; settings: object }> {
  const users = [...sampleSettings.users, { id: 10, name: 'Asha Rao' }, { id: 11, name: '7' }];
  const likeProperties = ['createdAt', 'leadId', 'stageId'].map((key) => customField(key, 'text'));
  const fields = [...sampleSettings.fields, ...likeProperties];
  const organization = await givenOrganization({ users, fields });
  const texts = [' first line\r\nsecond, "quoted"\n\n', "'=1+1", '\u2028 नमस्ते 😀'];
  const [one, two, three] = texts.map((remarks) => ({ remarks }));
  const portfolio = 'https://example.com/?a=1,2';
  const four = { guardian_phone: '+919811111111', lead_type: 'consultant', assigned_to: 11 };
  const hard: object[] = [
    // Another program’s file may not have the number: 1.125 can be read in two ways.
    { ...one, city: '=HYPERLINK("http://x")', budget: 1.125, wants_call: false },
    { ...two, city: '+49 30', interests: ['hostel', 'loan'], portfolio, mentor: 10 },
    { ...three, city: '-', work_email: 'W@Example.com', start_on: '2026-02-28', source: 3 },
    {
      ...four,
      city: '_x0041_ block\u0001',
      second_source: 3,
      course: 'design',
      hasOwnProperty: 'yes',
    },
    { createdAt: '3/4', leadId: "'00411", stageId: '1E5', city: 'TRUE' },
  ];
  const leads = [];
  for (const fields of hard) leads.push(await givenLead(organization, { fields }));
  await setArchived(table(), organization.id, leads[1].id, { archived: true });
  const { settings } = organization;
  const changes = {
    users: settings.users.map((user) => ({ ...user, active: user.id === 8 })),
    sources: settings.sources.map((source) => ({ ...source, active: source.id !== 3 })),
    fields: settings.fields.map((field) => ({
      ...field,
      active: field.key !== 'portfolio',
      requiredOnCreate: field.requiredOnCreate || field.key === 'course',
    })),
    pipelines: settings.pipelines.map((pipeline) => ({
      ...pipeline,
      stages: pipeline.stages.map((stage) =>
        stage.id === 11 ? { ...stage, active: false, isDefault: false } : stage,
      ),
    })),
  };
  await changeSettings(organization, changes);
  return { organization, settings: { ...settings, ...changes, id: undefined } };
}

test.each([
  { format: 'csv', keepIds: false, more: [] },
  { format: 'csv', keepIds: true, more: ['--excel'] },
  { format: 'jsonl', keepIds: true, more: [] },
  { format: 'xlsx', keepIds: true, more: [] },
])(
  'a $format export with $more gives an empty organization the same leads, archived ones too',
  async ({ format, keepIds, more }) => {
    const { organization, settings } = await givenHardLeads();
    const empty = await givenOrganization(settings as Record<string, unknown>);
    const file = newFile(format);

    const exported = await exportTo(organization, file, '--archived', ...more);
    const imported = await importFrom(empty, file, ...(keepIds ? ['--keep-ids'] : []));

    expect(exported).toEqual({ leads: 5, file });
    expect(imported).toMatchObject({ rows: 5, imported: 5, refused: 0 });
    expect(comparable(await leadsOf(empty), keepIds)).toEqual(
      comparable(await leadsOf(organization), keepIds),
    );
    expect(await json(empty, 'check')).toEqual({
      leads: 5,
      violations: [],
    });
  },
);

test('an export leaves out archived leads unless asked, and writes to stdout without --out', async () => {
  const organization = await givenOrganization();
  const [kept, archived] = [await givenLead(organization), await givenLead(organization)];
  await setArchived(table(), organization.id, archived.id, { archived: true });

  const { stdout, stderr } = await spawnAdmin(commandOf(organization, 'lead export')).ended;

  expect(JSON.parse(stdout)).toMatchObject({ leadId: kept.id, fields: { phone: kept.phone } });
  expect(stderr.trim()).toBe('1 lead exported.');
  expect((await doneTo(organization))[0]).toBe('lead export, 1 lead');
});

const notAnExport =
  /Record 1 is not a lead of organization \d+ as this command writes it now\. Start a new file\./;
test.each<
  [problem: string, format: string, content: string | undefined, args: string[], sentence: RegExp]
>([
  [
    'a file that exists',
    'jsonl',
    'x',
    [],
    /a file is in the way\. Name another file, or continue it with --resume/,
  ],
  [
    'no file to continue',
    'jsonl',
    undefined,
    ['--resume'],
    /the file or its folder does not exist\. Start it without --resume/,
  ],
  ['a file of something else', 'jsonl', 'x\n', ['--resume'], notAnExport],
  ['something else without a line feed', 'jsonl', '{"mine":1}', ['--resume'], notAnExport],
  ['other columns', 'csv', 'lead id,name\n1,A\n', ['--resume'], /It has other columns than/],
])('lead export refuses %s, and leaves it as it is', async (_, format, content, args, sentence) => {
  const organization = await givenOrganization();
  const file = newFile(format);
  if (content !== undefined) await writeFile(file, content);

  const answer = await run(organization, 'lead export', '--out', file, ...args);

  expect(answer).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(sentence) });
  if (content !== undefined) expect(await readFile(file, 'utf8')).toBe(content);
});
