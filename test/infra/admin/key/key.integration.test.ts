import { expect, test } from 'vitest';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { doneTo, json, run } from '../commands.ts';

const option = ({ id }: GivenOrganization): string[] => ['--organization', String(id)];

test('a rotated key’s successor may do the same, and both work until the old one is revoked', async () => {
  const organization = await givenOrganization();
  const old = parseApiKey(organization.writer)?.keyId ?? '';

  const rotated = await json(organization, 'key rotate', '--key', old);
  const people = await run(organization, 'key rotate', '--key', rotated.keyId);
  const both = await Promise.all(
    [organization.writer, rotated.key].map((apiKey) => call('list-users', { apiKey })),
  );
  await run(organization, 'key revoke', '--key', old);
  const after = await Promise.all(
    [organization.writer, rotated.key].map((apiKey) => call('list-users', { apiKey })),
  );
  const revoked = await run(organization, 'key rotate', '--key', old);

  const { items } = await json(organization, 'key list');
  const [was, is] = [old, rotated.keyId].map((keyId) =>
    items.find((item: { keyId: string }) => item.keyId === keyId),
  );
  expect(is).toMatchObject({
    type: was.type,
    scopes: was.scopes,
    label: was.label,
    createdBy: was.createdBy,
  });
  expect(rotated).toEqual({
    key: expect.stringContaining(rotated.keyId),
    keyId: is.keyId,
    scopes: is.scopes,
    expiresAt: is.expiresAt,
  });
  expect(people.stdout).toMatch(
    new RegExp(
      `before \\d{4}-\\d\\d-\\d\\d, revoke the old key: npm run admin -- key revoke --organization ${organization.id} --key ${rotated.keyId}`,
    ),
  );
  expect([...both, ...after].map(({ status }) => status)).toEqual([200, 200, 401, 200]);
  expect(revoked).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/was revoked on .*key create/),
  });
  expect(await doneTo(organization)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(`^key revoke ${old}$`),
      expect.stringMatching(`^key rotate ${old} to ${rotated.keyId}`),
    ]),
  );
  expect(JSON.stringify(await json(organization, 'organization history'))).not.toContain(
    rotated.key,
  );
});

test('revoking the last live key that can send captures says that there is none', async () => {
  const organization = await givenOrganization();
  const { reader, writer, website } = organization;

  const said: string[] = [];
  for (const key of [writer, reader, website]) {
    const keyId = parseApiKey(key)?.keyId ?? '';
    said.push((await run(organization, 'key revoke', '--key', keyId)).stderr);
  }

  expect(said).toEqual([
    '',
    '',
    `No live key of organization ${organization.id} can send captures now: key create.\n`,
  ]);
});

test('key list shows the days left, and which keys to rotate now', async () => {
  const organization = await givenOrganization();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000);
  await organization.key({ label: 'soon', expiresAt: inDays(13) });
  await organization.key({ label: 'later', expiresAt: inDays(14) });
  await organization.key({ label: 'past', expiresAt: inDays(-1) });

  const { stdout } = await run(organization, 'key list');

  expect(stdout).toMatch(/DAYS LEFT/);
  expect(stdout).toMatch(/soon .* 13: rotate it +live/);
  expect(stdout).toMatch(/later .* 14 +live/);
  expect(stdout).toMatch(/past .* \d{4}-\d\d-\d\d +expired/);
});

test('creates, lists and revokes a key, once in the history however often it is revoked', async () => {
  const organization = await givenOrganization();
  const made = ['--type', 'application', '--scopes', 'leads.write', '--label', 'sync'];

  const created = await json(organization, 'key create', ...made, '--created-by', 'asha rao');
  const revoked = await json(organization, 'key revoke', '--key', created.keyId);
  const again = await run(organization, 'key revoke', '--key', created.keyId);
  const { items } = await json(organization, 'key list');
  const forPeople = await run(organization, 'key list');

  const { keyId, expiresAt } = created;
  const scopes = ['leads.read', 'leads.write'];
  const revokedAt = expect.stringMatching(/Z$/);
  expect(parseApiKey(created.key)).toEqual({ keyId });
  expect(created).toMatchObject({ scopes, expiresAt: expect.stringMatching(/Z$/) });
  expect(revoked).toEqual({ keyId, revokedAt });
  expect(again.stdout).toBe(
    `API key ${keyId} was already revoked on ${revoked.revokedAt}: nothing to do.\n`,
  );
  expect(items.at(-1)).toEqual({
    ...{ keyId, label: 'sync', type: 'application', scopes, createdBy: 7, expiresAt },
    ...{ createdAt: expect.stringMatching(/Z$/), revokedAt, lastUsedAt: null },
  });
  expect(forPeople.stdout).toMatch(/sync +application .*Asha Rao .*revoked/);
  expect(await doneTo(organization)).toEqual([
    `key revoke ${keyId}`,
    `key create ${keyId} (sync)`,
    'organization apply',
  ]);
});

test('a key in the name of somebody inactive is made, with a warning', async () => {
  const organization = await givenOrganization();
  const inactive = organization.settings.users.find(({ active }) => !active);
  const made = ['--type', 'website-form', '--label', 'form', '--created-by', String(inactive?.id)];

  const { status, stderr } = await run(organization, 'key create', ...made);

  expect([status, stderr]).toEqual([
    0,
    expect.stringContaining(`${inactive?.name}, the user that the key acts for, is inactive`),
  ]);
});

test('a rotated key acts for another user when it is told to, and warns when its own is inactive', async () => {
  const organization = await givenOrganization();
  const { keyId } = await organization.key({ createdBy: 9 });
  const rotate = (...more: string[]) =>
    run(organization, 'key rotate', '--key', keyId, ...more, '--json');

  const [same, other, unknown] = [
    await rotate(),
    await rotate('--created-by', '8'),
    await rotate('--created-by', '99'),
  ];

  const { items } = await json(organization, 'key list');
  const creatorOf = (reply: typeof same) =>
    items.find((item: { keyId: string }) => item.keyId === reply.json.keyId).createdBy;
  expect([creatorOf(same), creatorOf(other)]).toEqual([9, 8]);
  expect(same.stderr).toMatch(/^Warning: Meera Das, .* is inactive: --created-by can name another/);
  expect(other.stderr).toBe('');
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringMatching(/has no user 99/) });
});

test('a key may expire earlier than its type allows, never later', async () => {
  const organization = await givenOrganization();
  const create = (type: string, ...more: string[]) =>
    runAdmin([
      ...['key', 'create', ...option(organization), '--type', type, '--label', 'trial'],
      ...['--created-by', '7', '--scopes', 'leads.capture', ...more, '--json'],
    ]);
  const days = ({ json }: Awaited<ReturnType<typeof create>>): number =>
    (Date.parse(json.expiresAt) - Date.now()) / 86_400_000;

  const short = await create('application', '--expires-in', '89d');
  const rotate = ['key', 'rotate', ...option(organization), '--key', short.json.keyId];
  const rotated = await runAdmin([...rotate, '--expires-in', '7d', '--json']);
  const refused = [
    await create('application', '--expires-in', '90d'),
    await create('website-form', '--expires-in', '731d'),
    await create('application', '--expires-in', '0d'),
  ];

  expect([days(short), days(rotated)]).toEqual([expect.closeTo(89, 1), expect.closeTo(7, 1)]);
  expect(refused.map(({ status }) => status)).toEqual([2, 2, 2]);
  expect(refused.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining("'--expires-in 90d' must be shorter than the 90 days for which"),
    expect.stringContaining(
      'must be shorter than the 730 days for which an API key of type website-form is valid.',
    ),
    expect.stringContaining('It must be a number of days, such as 30d.'),
  ]);
  expect((await json(organization, 'key list')).items).toHaveLength(5);
});

test('key list says in which hour a key was used last', async () => {
  const organization = await givenOrganization();
  const before = Date.now();
  await call('list-users', { apiKey: organization.reader });
  const after = Date.now();

  const { items } = await json(organization, 'key list');
  const { stdout } = await run(organization, 'key list');

  const keyId = parseApiKey(organization.reader)?.keyId;
  const used = items.find((item: { keyId: string }) => item.keyId === keyId);
  expect(Date.parse(used.lastUsedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(used.lastUsedAt)).toBeLessThanOrEqual(after);
  expect(
    items.filter(({ lastUsedAt }: { lastUsedAt: unknown }) => lastUsedAt === null),
  ).toHaveLength(2);
  expect(stdout).toMatch(new RegExp(`${keyId} .* since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d `));
  expect(stdout).toMatch(/ never /);
});
