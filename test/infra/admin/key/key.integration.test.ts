import { expect, test } from 'vitest';
import { parseApiKey } from '../../../../shared/organization/api-key.ts';
import { call } from '../../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { doneTo, json, run } from '../commands.ts';

const idOf = (apiKey: string): string => parseApiKey(apiKey)?.keyId ?? '';

async function listed(organization: GivenOrganization, keyId: string) {
  const { items } = await json(organization, 'key list');
  return items.find((item: { keyId: string }) => item.keyId === keyId);
}

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
  expect(forPeople.stdout).toMatch(/sync +revoked \S+ +never .*application .*Asha Rao/);
  expect(await doneTo(organization)).toEqual([
    `key revoke ${keyId}`,
    `key create ${keyId} (sync)`,
    'organization apply',
  ]);
});

test('a rotated key’s successor has the same rights, and the old key is not revoked yet', async () => {
  const organization = await givenOrganization();
  const { writer, id } = organization;
  const old = idOf(writer);

  const rotated = await json(organization, 'key rotate', '--key', old);
  const people = await run(organization, 'key rotate', '--key', rotated.keyId);
  const { type, scopes, label, createdBy, revokedAt } = await listed(organization, old);
  await run(organization, 'key revoke', '--key', old);
  const revoked = await run(organization, 'key rotate', '--key', old);

  const { keyId, expiresAt } = rotated;
  const is = await listed(organization, keyId);
  expect(is).toMatchObject({ type, scopes, label, createdBy, expiresAt });
  expect(rotated).toEqual({ key: expect.stringContaining(keyId), keyId, scopes, expiresAt });
  expect(people.stdout).toMatch(
    `revoke the old key: npm run admin -- key revoke --organization ${id} --key ${keyId}`,
  );
  expect(revokedAt).toBeNull();
  expect(revoked).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/was revoked on .*key create/),
  });
  expect(await doneTo(organization)).toContainEqual(
    expect.stringMatching(`^key rotate ${old} to ${keyId}`),
  );
  expect(JSON.stringify(await json(organization, 'organization history'))).not.toContain(
    rotated.key,
  );
});

test('revoking the last live key that can capture says once that none is left', async () => {
  const organization = await givenOrganization();
  const { reader, writer, website } = organization;

  const said: string[] = [];
  for (const key of [writer, website, reader])
    said.push((await run(organization, 'key revoke', '--key', idOf(key))).stderr);

  const none = `No live key of organization ${organization.id} can send captures now: create one with key create.\n`;
  expect(said).toEqual(['', none, '']);
});

test('key list shows the days left, which keys to rotate now, and in which hour one was used', async () => {
  const organization = await givenOrganization();
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000);
  await organization.key({ label: 'soon', expiresAt: inDays(13) });
  await organization.key({ label: 'later', expiresAt: inDays(14) });
  await organization.key({ label: 'today', expiresAt: inDays(0) });
  const past = await organization.key({ label: 'past', expiresAt: inDays(-1) });
  const before = Date.now();
  await call('list-users', { apiKey: organization.reader });
  const after = Date.now();

  const { stdout } = await run(organization, 'key list');
  const rotated = await run(organization, 'key rotate', '--key', past.keyId);
  const keyId = idOf(organization.reader);
  const { lastUsedAt } = await listed(organization, keyId);

  expect(stdout).toMatch(/soon +live .* 13: rotate it /);
  expect(stdout).toMatch(/later +live .* 14 /);
  expect(stdout).toMatch(/today +live .* 0: rotate it /);
  expect(stdout).toMatch(/past +expired /);
  expect(rotated.stdout).toMatch(/\nKey \w+ expired on 20\S+\.\n$/);
  expect(stdout).toMatch(new RegExp(`${keyId} .* \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d `));
  expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(after);
});

test('a key for an inactive user is created with a warning, and can be rotated to another user', async () => {
  const organization = await givenOrganization();
  const made = ['--type', 'website-form', '--label', 'form', '--created-by', '9', '--json'];

  const created = await run(organization, 'key create', ...made);
  const { keyId } = created.json;
  const rotate = (...more: string[]) =>
    run(organization, 'key rotate', '--key', keyId, ...more, '--json');
  const [same, other] = [await rotate(), await rotate('--created-by', '8')];

  const creatorOf = async (reply: typeof same) =>
    (await listed(organization, reply.json.keyId)).createdBy;
  const warning = /^Warning: Meera Das, .* is inactive: --created-by can name another/;
  expect([await creatorOf(same), await creatorOf(other)]).toEqual([9, 8]);
  for (const { stderr } of [created, same]) expect(stderr).toMatch(warning);
  expect(other.stderr).toBe('');
});

test('a key may expire earlier than its type allows, never later', async () => {
  const organization = await givenOrganization();
  const create = (type: string, expiresIn: string) =>
    run(
      organization,
      'key create',
      ...['--type', type, '--label', 'trial', '--created-by', '7'],
      ...['--scopes', 'leads.capture', '--expires-in', expiresIn, '--json'],
    );
  const days = ({ json: key }: Awaited<ReturnType<typeof create>>): number =>
    (Date.parse(key.expiresAt) - Date.now()) / 86_400_000;

  const short = await create('application', '89d');
  const { keyId } = short.json;
  const rotate = (expiresIn: string) =>
    run(organization, 'key rotate', '--key', keyId, '--expires-in', expiresIn, '--json');
  const rotated = await rotate('7d');
  const tooLong = [await create('application', '90d'), await rotate('90d')];
  const tooLongForm = await create('website-form', '731d');

  expect([days(short), days(rotated)]).toEqual([expect.closeTo(89, 1), expect.closeTo(7, 1)]);
  for (const { status, stderr } of tooLong)
    expect([status, stderr]).toEqual([2, expect.stringContaining('shorter than the 90 days for')]);
  expect(tooLongForm.stderr).toContain(
    "'--expires-in 731d' must be shorter than the 730 days for which an API key of type website-form is valid.",
  );
  expect((await json(organization, 'key list')).items).toHaveLength(5);
});
