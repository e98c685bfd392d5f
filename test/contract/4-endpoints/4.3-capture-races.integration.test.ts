import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { phonePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import type { CallReply } from '../../support/call.ts';
import { storedLeads, timelineOf } from '../../support/leads.ts';
import { useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { table } from '../../support/table.ts';

const organization = useOrganization();

const capturesOf = async (leadId: number) =>
  (await timelineOf(organization, leadId)).filter(({ type }) => type === 'captured');

describe('4.3 IDEMPOTENCY_IN_PROGRESS: a capture that conflicts with another retries and finds its lead', () => {
  /** Repeats the same request while it is told to retry, as the contract says to. */
  const captureAtLast = async (body: object, key: string): Promise<CallReply> => {
    for (let turn = 0; turn < 20; turn += 1) {
      const answer = await organization.capture(body, key);
      if (answer.status !== 409) return answer;
      expect(answer.body.error.code).toBe('IDEMPOTENCY_IN_PROGRESS');
    }
    throw new Error('Told to retry 20 times.');
  };
  /** Few for `npm run verify -- --write`: a new account of AWS runs ten functions at once. */
  const count = process.env.TEMPORARY_ORGANIZATION ? 10 : 40;
  const numbers = Array.from({ length: count }, (_, index) => index);

  test('a capture answers 409 while another request holds the phone, and a retry succeeds', async () => {
    const someone = person();
    const taken = { ...phonePrimaryKey(organization.id, someone.phone) };
    // The phone is claimed, and the lead that claims it is not there: what a request sees that meets another in the middle.
    await table().client.send(
      new PutCommand({ TableName: table().name, Item: { ...taken, leadId: 2_000_000_000 } }),
    );

    const met = await organization.capture(someone, 'met');
    await table().client.send(new DeleteCommand({ TableName: table().name, Key: taken }));
    const retried = await organization.capture(someone, 'met');

    expect([met.status, met.body.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    expect(met.body.error.message).toMatch(/retry in a few seconds/);
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  test(`${count} parallel captures of one person with distinct keys make one lead and ${count} items`, {
    tags: 'written',
  }, async () => {
    const someone = person();

    const answers = await Promise.all(
      numbers.map((index) => captureAtLast({ ...someone, notes: `${index}` }, `distinct ${index}`)),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.lead.id)).size).toBe(1);
    const noted = (await capturesOf(answers[0]?.body.lead.id)).map(({ notes }) => Number(notes));
    expect(noted.sort((a, b) => a - b)).toEqual(numbers);
    const leads = (await storedLeads(organization)).filter(
      ({ lead }) => (lead.fields as { phone: string }).phone === someone.phone,
    );
    expect(leads).toHaveLength(1);
  });

  test(`${count} parallel captures with one key make one lead, one item and ${count} equal responses`, {
    tags: 'written',
  }, async () => {
    const someone = person();

    const answers = await Promise.all(numbers.map(() => captureAtLast(someone, 'one')));

    const seen = answers.map(({ status, body, headers }) => ({
      status,
      body,
      location: headers.get('location'),
    }));
    expect(seen).toEqual(numbers.map(() => seen[0]));
    expect(
      answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true'),
    ).toHaveLength(count - 1);
    expect(answers[0]?.status).toBe(201);
    expect(await capturesOf(answers[0]?.body.lead.id)).toHaveLength(1);
  });
});
