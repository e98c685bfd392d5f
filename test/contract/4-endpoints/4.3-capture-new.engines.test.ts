import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { phonePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import type { CallReply } from '../../support/call.ts';
import { changeSettings, givenLead, storedLeads, timelineOf } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { customField } from '../../support/settings.ts';
import { table } from '../../support/table.ts';

const organization = useOrganization();

describe('4.3 rule 2: no match: a new lead in the starting stage, owner from the rules, 201, Location', () => {
  test('a capture without a match creates a lead with a stage and an owner, and answers 201 with Location', {
    tags: 'written',
  }, async () => {
    const someone = person();

    const { status, body, headers } = await organization.capture({
      ...someone,
      fields: { city: 'Pune', lead_type: 'consultant' },
    });

    expect([status, body]).toEqual([
      201,
      { lead: { id: expect.any(Number), created: true, updated: false } },
    ]);
    expect(headers.get('location')).toMatch(new RegExp(`leads/${body.lead.id}$`));
    expect(await organization.read(body.lead.id)).toMatchObject({
      ...someone,
      leadType: 'consultant',
      stageId: 11,
      pipelineId: 1,
      sourceId: 1,
      fields: { city: 'Pune' },
      assignedTo: expect.any(Number),
    });
  });

  test('captures rotate over two users, by rules that see the captured fields', async () => {
    const own = await givenOrganization({
      assignmentRules: [
        { when: { field: 'course', equals: ['mba'] }, users: [8] },
        { when: { field: 'pipeline', equals: ['2'] }, users: [7] },
      ],
    });
    const ownerOf = async (more: object) =>
      (await own.read((await own.capture({ ...person(), ...more })).body.lead.id)).assignedTo;

    expect([
      await ownerOf({ fields: { course: 'MBA' } }),
      await ownerOf({ pipelineId: 2 }),
    ]).toEqual([8, 7]);
    const others = [await ownerOf({}), await ownerOf({}), await ownerOf({}), await ownerOf({})];
    expect(others.slice(0, 2).sort()).toEqual([7, 8]);
    expect(others.slice(2)).toEqual(others.slice(0, 2));
  });

  test('a field that is required on create is required only for new leads', async () => {
    const own = await givenOrganization({
      fields: [customField('city', 'text', { requiredOnCreate: true })],
    });
    const lead = await givenLead(own, { fields: { city: 'Pune' } });

    const fresh = await own.capture(person());
    const known = await own.capture({ name: lead.name, phone: lead.phone });

    expect([fresh.status, fresh.body.error.details.fields]).toEqual([
      422,
      { city: 'is required.' },
    ]);
    expect(known.status).toBe(200);
    expect((await own.capture({ ...person(), fields: { city: 'Pune' } })).status).toBe(201);
  });
});

describe('4.3 NOT_READY: no stage or no active user for new leads; existing leads are captured', () => {
  test.each([
    ['no pipeline', { pipelines: [] }, /stage/],
    ['no default pipeline', { pipelines: [{ id: 1, name: 'One', order: 1, stages: [] }] }, /stage/],
    [
      'no active starting stage',
      { pipelines: [{ id: 1, name: 'One', order: 1, isDefault: true, stages: [] }] },
      /stage/,
    ],
    ['no active user', { users: [{ id: 7, name: 'Asha', active: false }] }, /user/],
  ])(
    'an organization with %s answers 503, and nothing is created',
    async (_, different, message) => {
      const own = await givenOrganization(different);

      const { status, body } = await own.capture(person());

      expect([status, body.error]).toEqual([
        503,
        { code: 'NOT_READY', message: expect.stringMatching(message) },
      ]);
      expect(await storedLeads(own)).toEqual([]);
    },
  );

  test('an existing lead is filled even without an active user and a starting stage', async () => {
    const own = await givenOrganization();
    const { id, name, phone } = await givenLead(own);
    const inactive = <T>(items: readonly T[]) => items.map((item) => ({ ...item, active: false }));
    await changeSettings(own, {
      users: inactive(own.settings.users),
      pipelines: own.settings.pipelines.map((one) => ({ ...one, stages: inactive(one.stages) })),
    });

    const { status, body } = await own.capture({ name, phone, fields: { city: 'Pune' } });

    expect([status, body]).toEqual([200, { lead: { id, created: false, updated: true } }]);
  });
});

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
