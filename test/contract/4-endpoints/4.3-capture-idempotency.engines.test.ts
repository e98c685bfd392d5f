import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { parseApiKey } from '../../../shared/organization/api-key.ts';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import { idempotencyPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import type { CallReply } from '../../support/call.ts';
import { changeSettings, storedLeads, timelineOf } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { table } from '../../support/table.ts';

const organization = useOrganization();

let given = 0;
const newKey = (): string => {
  given += 1;
  return `enquiry ${given}`;
};

const capture = (body: object, idempotencyKey?: string) =>
  organization.capture(body, idempotencyKey);
const isReplay = ({ headers }: CallReply): boolean => headers.get('idempotent-replayed') === 'true';
const captures = async (leadId: number) =>
  (await timelineOf(organization, leadId)).filter(({ type }) => type === 'captured').length;

/** Sets a record's end into the past. @returns the record as it was */
async function expire(key: string): Promise<{ expiresAt: number; ttl: number }> {
  const { keyId } = parseApiKey(organization.website)!;
  const { Attributes } = await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: { ...idempotencyPrimaryKey(keyId, key) },
      UpdateExpression: 'SET expiresAt = :past',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':past': Date.now() - 1 },
      ReturnValues: 'ALL_OLD',
    }),
  );
  return Attributes as { expiresAt: number; ttl: number };
}

const answerOf = ({ status, body, headers }: CallReply) => ({
  status,
  body,
  location: headers.get('location'),
});

describe('4.3 rule 6: a repeat within 24 hours returns the first result, marked Idempotent-Replayed', () => {
  /** What a capture sends: its idempotency key as the header, and as externalId the same key or another one. */
  type Sent = { readonly header?: true; readonly externalId?: 'same' | 'other' };
  const ways: [string, first: Sent, again: Sent][] = [
    ['Idempotency-Key', { header: true }, { header: true }],
    ['externalId', { externalId: 'same' }, { externalId: 'same' }],
    ['the header, then the same as externalId', { header: true }, { externalId: 'same' }],
    ['externalId, then the same as header', { externalId: 'same' }, { header: true }],
    ['both, equal', { header: true, externalId: 'same' }, { header: true, externalId: 'same' }],
    ['both, different, then the header', { header: true, externalId: 'other' }, { header: true }],
    [
      'both, different, then externalId',
      { header: true, externalId: 'other' },
      { externalId: 'other' },
    ],
  ];

  test.each(ways)('a capture repeated by %s is replayed', async (_, first, again) => {
    const [someone, key, other] = [person(), newKey(), newKey()];
    const send = ({ header, externalId }: Sent) =>
      capture(
        { ...someone, ...(externalId && { externalId: externalId === 'same' ? key : other }) },
        header && key,
      );

    const made = await send(first);
    const repeated = await send(again);

    expect([made.status, isReplay(made), isReplay(repeated)]).toEqual([201, false, true]);
    expect(answerOf(repeated)).toEqual(answerOf(made));
    expect(await captures(made.body.lead.id)).toBe(1);
  });

  test('a replay returns the first result, whatever changed the lead since: filled and archived ones too', async () => {
    const { name, phone } = person();
    const requests = [
      [{ name, phone }, newKey()],
      [{ name, phone, fields: { city: 'Pune' } }, newKey()],
      [{ name, phone, fields: { city: 'Kochi' } }, newKey()],
      [{ name, phone, fields: { city: 'Kochi' } }, newKey()],
    ] as const;
    const first: CallReply[] = [];
    for (const [body, key] of requests.slice(0, 3)) first.push(await capture(body, key));
    const leadId = first[0]?.body.lead.id;
    await setArchived(table(), organization.id, leadId, { archived: true });
    first.push(await capture(...requests[3]));
    await setArchived(table(), organization.id, leadId, { archived: false });

    const again: CallReply[] = [];
    for (const [body, key] of requests) again.push(await capture(body, key));

    expect(
      first.map(({ status, body }) => [
        status,
        body.lead.created,
        body.lead.updated,
        body.lead.archived,
      ]),
    ).toEqual([
      [201, true, false, undefined],
      [200, false, true, undefined],
      [200, false, false, undefined],
      [200, false, false, true],
    ]);
    expect(again.map(answerOf)).toEqual(first.map(answerOf));
    expect(again.map(isReplay)).toEqual([true, true, true, true]);
    expect(await captures(leadId)).toBe(4);
  });

  test('a repeat without a key is captured again', async () => {
    const someone = person();

    const [first, second] = [await capture(someone), await capture(someone)];

    expect([first.status, second.status, isReplay(second)]).toEqual([201, 200, false]);
    expect(await captures(first.body.lead.id)).toBe(2);
  });

  test('idempotency keys that differ by case or by blanks are different keys', async () => {
    const [someone, key] = [person(), newKey()];

    const answers = [
      await capture(someone, `${key} a`),
      await capture(someone, `${key} A`),
      await capture(someone, `${key}  a`),
    ];

    expect(answers.map(isReplay)).toEqual([false, false, false]);
  });

  test('a repeat with one known and one new key replays, and the new key is known from then on', {
    tags: 'written',
  }, async () => {
    const [someone, header, externalId] = [person(), newKey(), newKey()];
    const made = await capture(someone, header);

    const both = await capture({ ...someone, externalId }, header);
    const alone = await capture({ ...someone, externalId });

    expect([isReplay(both), isReplay(alone)]).toEqual([true, true]);
    expect([answerOf(both), answerOf(alone)]).toEqual([answerOf(made), answerOf(made)]);
    expect(await captures(made.body.lead.id)).toBe(1);
  });

  test('after 24 hours the same key captures again, although the record is still there', async () => {
    const [someone, key] = [person(), newKey()];
    const made = await capture(someone, key);
    await expire(key);

    const later = await capture(someone, key);
    const repeated = await capture(someone, key);

    expect([later.status, isReplay(later), isReplay(repeated)]).toEqual([200, false, true]);
    expect(answerOf(repeated)).toEqual(answerOf(later));
    expect(await captures(made.body.lead.id)).toBe(2);
  });

  test('the idempotency record is kept for 24 hours', async () => {
    const key = newKey();
    const before = Date.now();
    await capture(person(), key);

    const { expiresAt, ttl } = await expire(key);

    expect(expiresAt - before).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    expect(ttl).toBe(Math.ceil(expiresAt / 1000));
  });

  test('a field deactivated since does not turn a replay into a refusal', async () => {
    const own = await givenOrganization();
    const body = { ...person(), fields: { city: 'Pune' } };
    const send = () => own.capture(body, 'once');
    const made = await send();
    await changeSettings(own, {
      fields: own.settings.fields.map((field) => ({ ...field, active: field.key !== 'city' })),
    });

    const repeated = await send();

    expect([repeated.status, isReplay(repeated), repeated.body]).toEqual([201, true, made.body]);
  });

  test('a refused capture leaves no record: it may be corrected under the same key', async () => {
    const [someone, key] = [person(), newKey()];
    const refused = [
      await capture({ ...someone, fields: { budget: 'much' } }, key),
      await capture({ ...someone, email: 'none' }, key),
    ];

    const corrected = await capture({ ...someone, fields: { budget: 5 } }, key);

    expect(refused.map(({ status }) => status)).toEqual([422, 422]);
    expect([corrected.status, isReplay(corrected)]).toEqual([201, false]);
  });
});

describe('4.3 rule 7: the same key with a different body within 24 hours is refused with 422 VALIDATION_FAILED', () => {
  test.each([
    ['another person', person],
    ['another note', (body: object) => ({ ...body, notes: 'Other.' })],
    ['another field', (body: object) => ({ ...body, fields: { city: 'Pune' } })],
  ])('%s is refused under a known key, by header and by externalId', async (_, other) => {
    const [someone, key] = [person(), newKey()];
    const made = await capture(someone, key);
    const before = await storedLeads(organization);

    const answers = [
      await capture(other(someone), key),
      await capture({ ...other(someone), externalId: key }),
    ];

    for (const [index, name] of ['Idempotency-Key', 'externalId'].entries()) {
      expect(answers[index]).toMatchObject({
        status: 422,
        body: {
          error: { code: 'VALIDATION_FAILED', details: { fields: { [name]: expect.any(String) } } },
        },
      });
      expect(isReplay(answers[index]!)).toBe(false);
    }
    expect(await storedLeads(organization)).toEqual(before);
    expect(isReplay(await capture(someone, key))).toBe(true);
    expect(await captures(made.body.lead.id)).toBe(1);
  });

  test('two keys are refused when one of them was used with another body', {
    tags: 'written',
  }, async () => {
    const [someone, header, externalId] = [person(), newKey(), newKey()];
    await capture(someone, header);
    await capture({ ...person(), externalId });

    const { status, body } = await capture({ ...someone, externalId }, header);

    expect([status, Object.keys(body.error.details.fields)]).toEqual([422, ['externalId']]);
  });
});
