import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addAuditEntry } from '../../../../shared/store/organizations/audit-log.ts';
import { spawnAdmin } from '../../../support/admin.ts';
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

async function writtenFile(organization: GivenOrganization): Promise<string> {
  const file = files.newPath('lines.jsonl');
  await json(organization, 'lead timelines', '--out', file);
  return file;
}
const linesIn = async (file: string): Promise<ReadJson[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Continues a file in a process of its own. @returns the number of timelines that it read, and what it says */
async function timelinesRead(organization: GivenOrganization, file: string) {
  const proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  let timelines = 0;
  proxy.rule = ({ site }) => {
    if (site === 'Query TIMELINE') timelines += 1;
    return undefined;
  };
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const resume = commandOf(organization, 'lead timelines', '--out', file, '--resume');
  const { stderr } = await spawnAdmin(resume, environment).ended;
  await proxy.stop();
  return { timelines, stderr };
}

test('lead timelines --resume reads only the timelines that have more items than the file', async () => {
  const organization = await givenOrganization();
  const visitor = person();
  const first = await captureLead(organization, visitor);
  const second = (await givenLead(organization)).id;
  await organization.note(second, { text: 'One' });
  await captureLead(organization, person());
  const file = await writtenFile(organization);
  await organization.note(second, { text: 'Two' });
  await captureLead(organization, visitor);

  expect(await timelinesRead(organization, file)).toEqual({
    timelines: 2,
    stderr: expect.stringContaining('Reading at most 3 leads, and the timelines that have more'),
  });
  const added = (await linesIn(file)).slice(-2);
  expect(added.map(({ leadId, type }) => [leadId, type])).toEqual([
    [first, 'captured'],
    [second, 'note_added'],
  ]);
});

test('after an erasure and an undo, --resume reads the cleaned timelines and those with other items', async () => {
  const organization = await givenOrganization();
  const [someone, imported] = [person(), files.newPath('imported.jsonl')];
  await captureLead(organization, person());
  const erased = await captureLead(organization, someone);
  const cleaned = await captureLead(organization, { ...person(), notes: `Of ${someone.phone}` });
  await writeFile(imported, `${JSON.stringify(person())}\n`);
  await json(organization, 'lead import', imported);
  const file = await writtenFile(organization);

  await json(organization, 'lead import', imported, '--undo', '--yes');
  await json(organization, 'lead erase', '--lead', erased, '--yes');
  // Another lead with the ID of the erased one, and as many items.
  const { name, phone } = person();
  const again = await files.write(
    'again.csv',
    `lead id,lead service export,name,phone\n${erased},organization ${organization.id},${name},${phone}\n`,
  );
  expect(await json(organization, 'lead import', again, '--keep-ids')).toMatchObject({
    imported: 1,
  });
  const before = (await linesIn(file)).length;

  expect(await timelinesRead(organization, file)).toMatchObject({ timelines: 2 });
  const added = (await linesIn(file)).slice(before);
  expect(added.map(({ leadId, type }) => [leadId, type])).toEqual([
    [erased, 'erased'],
    [erased, 'lead_created'],
    [cleaned, 'captured'],
    [erased + 2, 'erased'],
  ]);
  // An erasure that does not say which timelines it cleaned.
  await addAuditEntry(table(), organization.id, { who: 'it', what: 'one', erasedLeadId: 9999 });
  expect(await timelinesRead(organization, file)).toMatchObject({ timelines: 3 });
});
