import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { hashApiKey, parseApiKey } from '../../../../shared/organization/api-key.ts';
import { createApiKey, listApiKeys } from '../../../../shared/store/organizations/api-keys.ts';
import { apiKeyPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { type GivenPage, givenPage, plain } from './given-page.ts';

const path = '/o/1/keys';
const hourMs = 3_600_000;

/** An organization with a website's key, last used some hours ago. */
async function givenKey(page: GivenPage, usedHoursAgo?: number, more: object = {}) {
  const created = await createApiKey(page.table, {
    ...{ organizationId: 1, type: 'website-form', label: 'MBA site', createdBy: 7 },
    ...{ now: new Date(), ...more },
  });
  if (usedHoursAgo !== undefined)
    await page.table.client.send(
      new UpdateCommand({
        TableName: page.table.name,
        Key: { ...apiKeyPrimaryKey(hashApiKey(created.key)) },
        UpdateExpression: 'SET windowEndsAt = :at',
        ExpressionAttributeValues: { ':at': Date.now() - (usedHoursAgo - 1) * hourMs },
      }),
    );
  return created;
}

test.each([
  [undefined, /MBA site Never used/],
  [0.5, /MBA site In use: a request within the last two hours/],
  [7.5, /MBA site Last used 7 hours ago/],
  [50, /MBA site Silent since (Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, 20\d\d-\d\d-\d\d/],
  [500, /MBA site Silent since 20\d\d-\d\d-\d\d/],
])('a key that was last used %s hours ago says so without a click', async (hours, says) => {
  const page = await givenPage();
  const { keyId } = await givenKey(page, hours);

  const reply = await page.get(path);

  expect(plain(reply)).toMatch(says);
  expect(reply.text).toContain(`data-key="${keyId}"`);
  expect(plain(reply)).toMatch(
    /website form: leads\.capture Acts forAsha Rao .*Expires20\d\d-.* \(729 days left\)/,
  );
});

const create = (page: GivenPage, values: Readonly<Record<string, string>>) =>
  page.post(
    path,
    Object.entries({ ':do': 'create', label: 'Sync', createdBy: '7', days: '', ...values }),
  );

test('a new key is shown once, with a request to copy, and is in the audit log', async () => {
  const page = await givenPage();

  const reply = await create(page, { type: 'website-form', days: '30' });
  const [, key = ''] = /<code tabindex="0" data-new-key>(\w+)<\/code>/.exec(reply.text) ?? [];
  const { keyId } = parseApiKey(key) ?? {};
  const again = await page.get(`${path}?created=${keyId}`);
  expect(reply.text).toContain(`curl -i http://127.0.0.1:4010/api/v1/leads/capture`);
  expect(again.text).not.toContain(key);
  expect(again.text).toContain(`data-key="${keyId}"`);
  expect(await page.log()).toEqual([`key create ${keyId} (Sync)`, 'organization apply']);
  const [listed] = await listApiKeys(page.table, 1);
  expect(Date.parse(listed?.expiresAt ?? '') - Date.now()).toBeLessThan(30 * 24 * hourMs);
});

test.each([
  [{ type: 'application' }, /scopes must include at least one of/],
  [{ type: 'website-form', label: ' ' }, /label must have 1 to 200 characters/],
  [{ type: 'website-form', days: '731' }, /Days must be shorter than the 730 days/],
  [{ type: 'website-form', days: 'x' }, /Days must be a number of days/],
  [{ type: 'other' }, /Choose what the key is for/],
  [{ type: 'website-form', createdBy: '' }, /Choose .* whom it acts for/],
])('a key of %j is refused with a sentence, and nothing is created', async (values, sentence) => {
  const page = await givenPage();

  const reply = await create(page, values);

  expect(reply.status).toBe(422);
  expect(plain(reply)).toMatch(sentence);
  expect(await listApiKeys(page.table, 1)).toEqual([]);
});

test('a rotated key’s successor may do the same, and the old key works until it is revoked', async () => {
  const page = await givenPage();
  const { keyId } = await givenKey(page);

  const rotated = await page.post(path, [
    [':do', 'rotate'],
    ['key', keyId],
    ['createdBy', '8'],
  ]);

  const [old, successor] = await listApiKeys(page.table, 1);
  expect(rotated.text).toContain('data-new-key');
  expect(successor).toMatchObject({ label: 'MBA site', scopes: ['leads.capture'], createdBy: 8 });
  expect(old?.revokedAt).toBeNull();
  expect(await page.log()).toEqual([
    `key rotate ${keyId} to ${successor?.keyId} (MBA site)`,
    'organization apply',
  ]);
});

test('revoking names its consequence first, then refuses the key and says that no other is left', async () => {
  const page = await givenPage();
  const { keyId } = await givenKey(page, 1.5);

  const before = plain(await page.get(path));
  const revoked = await page.post(path, [
    [':do', 'revoke'],
    ['key', keyId],
  ]);

  expect(before).toContain('Every request with this key is refused at once, for good. In use');
  expect(before).toContain('It is the last live key that can send enquiries');
  expect(plain(revoked)).toContain(`Key ${keyId} is revoked`);
  expect(plain(revoked)).toContain('No live key can send enquiries: create one.');
  expect((await listApiKeys(page.table, 1))[0]?.revokedAt).not.toBeNull();
  expect(await page.log()).toEqual([`key revoke ${keyId}`, 'organization apply']);
});

test.each(['rotate', 'revoke'])('to %s an unknown key is refused', async (what) => {
  const page = await givenPage();

  const reply = await page.post(path, [
    [':do', what],
    ['key', 'nothing'],
  ]);

  expect([reply.status, await page.log()]).toEqual([422, ['organization apply']]);
});
