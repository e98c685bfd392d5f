import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { service } from '../../../support/service.ts';
import { node24, projectFolder } from '../../../support/service-process.ts';
import { table } from '../../../support/table.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
function newFile(extension: string): string {
  files += 1;
  return join(folder, `${files}.${extension}`);
}
const exportArgs = ({ id }: GivenOrganization, file: string, ...more: string[]): string[] => [
  'lead',
  'export',
  '--organization',
  String(id),
  '--out',
  file,
  ...more,
];
async function idsIn(file: string): Promise<number[]> {
  const text = await readFile(file, 'utf8');
  if (file.endsWith('.csv'))
    return parse(text, { columns: true }).map((row) =>
      Number((row as { 'lead id': string })['lead id']),
    );
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).leadId]));
}
/** An import that keeps the id writes a lead behind ids that are there already, as any import or slow request may. */
async function givenLeadWithId(organization: GivenOrganization, leadId: number): Promise<void> {
  const file = newFile('jsonl');
  await writeFile(
    file,
    `${JSON.stringify({ leadId, leadServiceExport: 'organization 1', ...person() })}\n`,
  );
  const { imported } = await adminJson(
    'lead',
    'import',
    '--organization',
    String(organization.id),
    file,
    '--keep-ids',
  );
  expect(imported).toBe(1);
}
const told = async ({ id }: GivenOrganization): Promise<string[]> =>
  (await adminJson('organization', 'history', '--organization', String(id))).items.map(
    ({ what }: { what: string }) => what,
  );

test.each(['csv', 'jsonl'])(
  'a resumed %s export gets the leads that were written, or restored, behind the last id of the file',
  async (format) => {
    const organization = await givenOrganization();
    for (const leadId of [500, 300, 501]) await givenLeadWithId(organization, leadId);
    await setArchived(table(), organization.id, 300, true);
    const file = newFile(format);
    await adminJson(...exportArgs(organization, file));
    const first = await idsIn(file);
    for (const leadId of [400, 502]) await givenLeadWithId(organization, leadId);
    await setArchived(table(), organization.id, 300, false);

    const resumed = await adminJson(...exportArgs(organization, file, '--resume'));
    await givenLeadWithId(organization, 450);
    const again = await runAdmin(exportArgs(organization, file, '--resume'));

    expect(first).toEqual([500, 501]);
    expect(resumed).toEqual({ leads: 3, file, after: 501 });
    expect(again.stdout).toBe(`1 lead exported to ${file}, which already had 5 leads.\n`);
    expect(await idsIn(file)).toEqual([500, 501, 300, 400, 502, 450]);
  },
);

test.each(['csv', 'jsonl'])(
  'an export of one organization is not continued in the %s file of another',
  async (format) => {
    const [one, other] = [await givenOrganization(), await givenOrganization()];
    for (const organization of [one, other]) await givenLead(organization);
    const file = newFile(format);
    await adminJson(...exportArgs(one, file));
    const whole = await readFile(file, 'utf8');
    const contents = [whole, ...(format === 'jsonl' ? [whole.slice(0, -10)] : [])];

    for (const content of contents) {
      await writeFile(file, content);
      const answer = await runAdmin(exportArgs(other, file, '--resume'));

      expect(answer).toMatchObject({ status: 1, stdout: '' });
      expect(answer.stderr.trim()).toBe(
        `${file} has leads of organization ${one.id}: name another file for the leads of organization ${other.id}.`,
      );
      expect(await readFile(file, 'utf8')).toBe(content);
    }
  },
);

test('a file with a line in its midst that no export wrote is not continued', async () => {
  const organization = await givenOrganization();
  await givenLead(organization);
  const file = newFile('jsonl');
  await adminJson(...exportArgs(organization, file));
  const line = await readFile(file, 'utf8');
  await writeFile(file, `${line}{"leadId":5}\n${line}`);

  const answer = await runAdmin(exportArgs(organization, file, '--resume'));

  expect(answer).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Record 2 of .* is not a lead as an export writes it/),
  });
});

test('an export whose reader closes the pipe is in the history', async () => {
  const organization = await givenOrganization();
  for (let count = 0; count < 12; count += 1)
    await givenLead(organization, { fields: { remarks: 'x'.repeat(40_000) } });
  const child = spawn(
    node24,
    ['infra/admin/main.ts', 'lead', 'export', '--organization', String(organization.id)],
    {
      cwd: projectFolder,
      env: { PATH: process.env.PATH, ...service().environment },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  await once(child.stdout, 'data');
  child.stdout.destroy();
  await once(child, 'close');

  expect(await told(organization)).toEqual(['lead export begun', 'organization apply']);
});
