import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
import {
  leadPrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { json, run } from '../commands.ts';
import { givenFile, importJson, useGivenFiles } from '../import/given-files.ts';

useOwnTable();
useGivenFiles();

const check = (organization: GivenOrganization, ...more: string[]) =>
  run(organization, 'check', ...more);

async function captured(organization: GivenOrganization, body: object = person()): Promise<number> {
  const answer = await call('capture-lead', { apiKey: organization.website, body });
  if (answer.status >= 300)
    throw new Error(`capture-lead answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.lead.id;
}

/** One of everything that writes, through HTTP and the commands. */
async function useOnce(organization: GivenOrganization): Promise<void> {
  const { writer } = organization;
  const somebody = person();
  const leadId = await captured(organization, {
    ...somebody,
    externalId: somebody.phone,
    fields: { course: 'MBA', interests: ['hostel'] },
  });
  await captured(organization, {
    ...somebody,
    externalId: somebody.phone,
    fields: { course: 'MBA', interests: ['hostel'] },
  });
  await captured(organization, { ...somebody, fields: { city: 'Pune', budget: '4' } });
  const created = await call('create-lead', {
    apiKey: writer,
    body: { fields: { ...person(), source: 3, mentor: 8 }, pipelineId: 2 },
  });
  expect(created.status).toBe(201);
  const { phone, email } = person();
  const updated = await call('update-lead', {
    apiKey: writer,
    leadId,
    body: { fields: { phone, email, assigned_to: null }, stageId: 21 },
  });
  expect(updated.status).toBe(200);
  const freed = await call('update-lead', {
    apiKey: writer,
    leadId: created.body.lead.id,
    body: { fields: { email: null, source: null } },
  });
  expect(freed.status).toBe(200);
  await call('add-note', { apiKey: writer, leadId, body: { text: 'Called.' } });
  expect(await run(organization, 'lead archive', '--lead', leadId)).toMatchObject({
    status: 0,
  });
  await captured(organization, { name: 'Again', phone });
}

/** One of every command that changes many leads, while requests change them too. */
async function administerOnce(organization: GivenOrganization): Promise<void> {
  const { name, phone, email } = person();
  const rows = [
    'name,phone,email,city,created at,updated at,archived,note',
    `${name},${phone},${email},Pune,2025-01-31T09:30:00Z,2025-03-01T09:30:00Z,no,Met at the fair`,
    `Old,${person().phone},,,2025-01-31T09:30:00Z,2025-03-01T09:30:00Z,yes,`,
  ];
  await importJson(organization, await givenFile('leads.csv', rows.join('\n')));
  await captured(organization, { ...person(), email });
  const own = ['--organization', String(organization.id)];
  await json(organization, 'lead reassign', '--from', '7', '--to', '8', '--yes');
  const settings = await readSettings(table(), organization.id);
  if (settings)
    await applySettings(table(), { ...settings.settings, name: `Renamed ${phone}` }).catch(
      () => undefined, // another writer applied settings at the same moment
    );
  const leadId = await captured(organization, { ...person(), fields: { city: 'Pune' } });
  for (const command of ['archive', 'restore'])
    await adminJson('lead', command, ...own, '--lead', String(leadId));
  await captured(organization, { name: 'Again', phone, notes: `My email is ${email}` });
  await json(organization, 'lead erase', '--lead', leadId, '--yes');
}

test('an organization that has been used through HTTP and the commands checks clean', async () => {
  const organization = await givenOrganization();
  await useOnce(organization);
  await administerOnce(organization);

  const [forMachines, forPeople] = await Promise.all([
    check(organization, '--json'),
    check(organization),
  ]);

  expect(forMachines).toMatchObject({ status: 0, stderr: '', json: { leads: 4, violations: [] } });
  expect(forPeople).toMatchObject({
    status: 0,
    stdout: `No violations: 4 leads of organization ${organization.id} checked in table ${table().name}.\n`,
  });
});

test('during live traffic a check reports nothing but an erasure under way, and afterwards nothing', async () => {
  const organization = await givenOrganization();
  let isDone = false;
  const traffic = Array.from({ length: 6 }, async (_, writer) => {
    // An engine that is being scanned may answer later than a function waits. What failed must leave nothing behind either.
    for (let turn = 0, used = 0; used === 0 || (!isDone && turn < 6); turn += 1)
      await (writer < 5 ? useOnce : administerOnce)(organization).then(
        () => (used += 1),
        () => undefined,
      );
  });

  const during = [];
  for (let run = 0; run < 2; run += 1)
    during.push((await check(organization, '--json')).json.violations);
  isDone = true;
  await Promise.all(traffic);
  const after = await check(organization, '--json');

  // An erasure that lasts as long as a check is reported, with what completes it if it was interrupted. Nothing of it is reported besides.
  const erasure = /^The erasure of lead \d+ of organization \d+ is in progress or was interrupted/;
  expect(during.flat().filter((violation: string) => !erasure.test(violation))).toEqual([]);
  expect(after.json.violations).toEqual([]);
  expect(after.json.leads).toBeGreaterThanOrEqual(8);
});

test('an enquiry that is lost from a timeline, and a lead that DynamoDB will delete, are found', async () => {
  const organization = await givenOrganization();
  const someone = person();
  const leadId = await captured(organization, someone);
  await captured(organization, { ...someone, notes: 'Call me.', externalId: 'form-1' });
  const { TableName, client } = { TableName: table().name, client: table().client };
  const pk = timelinePartitionKey(organization.id, leadId);
  const { Items: [, enquiry] = [] } = await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
    }),
  );
  await client.send(new DeleteCommand({ TableName, Key: { pk, sk: enquiry?.sk } }));
  await client.send(
    new UpdateCommand({
      TableName,
      Key: { ...leadPrimaryKey(organization.id, leadId) },
      UpdateExpression: 'SET #ttl = :ttl',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':ttl': 4_000_000_000 },
    }),
  );

  const { status, json } = await check(organization, '--json');

  expect(status).toBe(1);
  expect(json.violations).toEqual([
    expect.stringMatching(/^Lead .* has a ttl, at which DynamoDB deletes it/),
    expect.stringMatching(
      `^The idempotency record .* lead ${leadId} .* no capture by key .* at ${enquiry?.at}`,
    ),
  ]);
});

test('a violation is told in a sentence, with status 1', async () => {
  const organization = await givenOrganization();
  const { name, phone } = person();
  const leadId = await captured(organization, { name, phone });
  const key = phonePrimaryKey(organization.id, phone);
  await table().client.send(new DeleteCommand({ TableName: table().name, Key: { ...key } }));

  const [forMachines, forPeople] = await Promise.all([
    check(organization, '--json'),
    check(organization),
  ]);

  const sentence = `Lead ${leadId} of organization ${organization.id} has the phone ${phone}, but the item ${key.pk} / UNIQUE is not there.`;
  expect(forMachines).toMatchObject({
    status: 1,
    stderr: '',
    json: { leads: 1, violations: [sentence] },
  });
  expect(forPeople).toMatchObject({
    status: 1,
    stdout: `${sentence}\n\n1 violation: 1 lead of organization ${organization.id} checked in table ${table().name}.\n`,
  });
});

test('a terminal sees how far it is, on a line that is gone at the end', async () => {
  const organization = await givenOrganization();
  await captured(organization);

  const { stderr } = await runAdmin(['check', '--organization', String(organization.id)], {
    hasTerminal: true,
  });

  expect(stderr).toMatch(/Checking: (0 leads|1 lead) and [\d,]+ other items? read/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal understands
  expect(stderr.replace(/\r\u001B\[K[^\r]*/g, '')).toBe('');
  expect(stderr.endsWith('\r\u001B[K')).toBe(true);
});

test('--rate slows the reads of a command down', async () => {
  const { id } = await givenOrganization();
  const begun = performance.now();

  // At least 10 read units.
  await adminJson('check', '--organization', String(id), '--rate', '8');

  expect(performance.now() - begun).toBeGreaterThan(1000);
});
