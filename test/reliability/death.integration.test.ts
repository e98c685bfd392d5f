import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { type CallOptions, type CallReply, call } from '../support/call.ts';
import { effectsOn, holderOfEmail } from '../support/effects.ts';
import { faultOnce } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { table } from '../support/table.ts';

useOwnTable();

/**
 * The function dies at its last call to DynamoDB, which is its transaction if it has one, just before the call reaches the table and just
 * after it was applied. The client got no answer of the function's and asks again. In the simulator it dies at every call
 * (`npm run simulate -- --pairs`).
 */
let own: OwnService;
let organization: GivenOrganization;
beforeAll(async () => {
  [own, organization] = await Promise.all([startOwnService(), givenOrganization()]);
  // A key's first request of all begins its windows, with calls that its others do not make.
  await capture(person());
  await call('list-users', { apiKey: organization.writer });
});
afterAll(() => own.stop());

type Person = ReturnType<typeof person>;

interface Scenario {
  readonly does: string;
  readonly endpoint: EndpointName;
  /** Brings a person into the state that the request meets. */
  readonly given: (who: Person) => Promise<CallOptions>;
  /** What holds after the retry. `isWritten`: the death came after the transaction. */
  readonly holds: (who: Person, retry: CallReply, isWritten: boolean) => Promise<void>;
}

const capture = (body: object): Promise<CallReply> =>
  call('capture-lead', { apiKey: organization.website, body });
const enquiry = (body: object): CallOptions => ({
  apiKey: organization.website,
  body,
  headers: { 'Idempotency-Key': randomUUID() },
});

/** The lead exists once, with its phone and email, and its timeline is this. */
async function expectLead(who: Person, timeline: readonly string[]): Promise<void> {
  const effects = await effectsOn(organization.id, who.phone);
  expect(effects.lead?.fields).toMatchObject(who);
  expect(effects.timeline).toEqual(timeline);
  expect(await holderOfEmail(organization.id, who.email)).toBe(effects.lead?.id);
}

const scenarios: readonly Scenario[] = [
  {
    does: 'a capture of a new lead',
    endpoint: 'capture-lead',
    given: async (who) => enquiry(who),
    async holds(who, retry, isWritten) {
      expect(retry).toMatchObject({
        status: 201,
        body: { lead: { created: true, updated: false } },
      });
      expect(retry.headers.get('idempotent-replayed')).toBe(isWritten ? 'true' : null);
      await expectLead(who, ['captured_new']);
    },
  },
  {
    does: 'a capture that fills an existing lead',
    endpoint: 'capture-lead',
    async given({ email, ...who }) {
      await capture(who);
      return enquiry({ ...who, email, fields: { city: 'Pune' } });
    },
    async holds(who, retry, isWritten) {
      expect(retry).toMatchObject({
        status: 200,
        body: { lead: { created: false, updated: true } },
      });
      expect(retry.headers.get('idempotent-replayed')).toBe(isWritten ? 'true' : null);
      await expectLead(who, ['captured_new', 'captured']);
    },
  },
  {
    does: 'a capture that an archived lead matches',
    endpoint: 'capture-lead',
    async given(who) {
      const { body } = await capture(who);
      await setArchived(table(), organization.id, body.lead.id, { archived: true });
      return enquiry(who);
    },
    async holds(who, retry, isWritten) {
      expect(retry).toMatchObject({
        status: 200,
        body: { lead: { created: false, updated: false, archived: true } },
      });
      expect(retry.headers.get('idempotent-replayed')).toBe(isWritten ? 'true' : null);
      await expectLead(who, ['captured_new', 'archived', 'captured']);
    },
  },
  {
    does: 'a replay of a capture',
    endpoint: 'capture-lead',
    async given(who) {
      const request = enquiry(who);
      await call('capture-lead', request);
      return request;
    },
    async holds(who, retry) {
      expect(retry).toMatchObject({
        status: 201,
        body: { lead: { created: true, updated: false } },
      });
      expect(retry.headers.get('idempotent-replayed')).toBe('true');
      await expectLead(who, ['captured_new']);
    },
  },
  {
    does: 'a create',
    endpoint: 'create-lead',
    given: async (who) => ({ apiKey: organization.writer, body: { fields: who } }),
    async holds(who, retry, isWritten) {
      const { lead } = await effectsOn(organization.id, who.phone);
      if (isWritten)
        expect(retry).toMatchObject({
          status: 409,
          body: { error: { code: 'DUPLICATE_LEAD', details: { leadId: lead?.id } } },
        });
      else expect(retry).toMatchObject({ status: 201, body: { lead: { id: lead?.id, ...who } } });
      await expectLead(who, ['lead_created']);
    },
  },
  {
    does: 'an update of phone and email',
    endpoint: 'update-lead',
    async given(who) {
      const before = person();
      const { body } = await capture(before);
      previous.set(who, before);
      return { apiKey: organization.writer, leadId: body.lead.id, body: { fields: who } };
    },
    async holds(who, retry) {
      expect(retry).toMatchObject({ status: 200, body: { lead: who } });
      await expectLead(who, ['captured_new', 'lead_updated']);
      const before = previous.get(who) as Person;
      expect((await effectsOn(organization.id, before.phone)).lead).toBeUndefined();
      expect(await holderOfEmail(organization.id, before.email)).toBeUndefined();
    },
  },
  {
    does: 'a note',
    endpoint: 'add-note',
    async given(who) {
      const { body } = await capture(who);
      return { apiKey: organization.writer, leadId: body.lead.id, body: { text: 'Called back.' } };
    },
    async holds(who, retry, isWritten) {
      expect(retry).toMatchObject({ status: 201, body: { note: { text: 'Called back.' } } });
      // The contract gives a note nothing to be known again by: one that was written is written again by a repeat, whole both times.
      await expectLead(who, ['captured_new', 'note_added', ...(isWritten ? ['note_added'] : [])]);
    },
  },
];

/** Who a person was before an update. */
const previous = new WeakMap<Person, Person>();

test.each(scenarios)(
  '$does happens exactly once when the function dies at its last call and the client repeats it',
  async ({ endpoint, given, holds }) => {
    await own.killFunctions();
    const recordedRequest = await given(person());
    const { result, calls } = await own.proxy.record(() =>
      call(endpoint, { ...recordedRequest, baseUrl: own.baseUrl }),
    );
    expect(result.status).toBeLessThan(300);
    const site = calls.at(-1)?.site ?? '';

    for (const applied of [false, true]) {
      const who = person();
      const request = await given(who);
      await own.killFunctions();
      own.proxy.rule = faultOnce((one) => one.site === site, {
        kind: 'cut',
        applied,
        before: () => own.killFunctions(),
      });

      const first = await call(endpoint, { ...request, baseUrl: own.baseUrl });
      const retry = await call(endpoint, request); // by the other service, as another Lambda function would handle it

      const moment = `death ${applied ? 'after' : 'before'} ${site}`;
      expect(first, moment).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL' } } });
      await holds(who, retry, applied && site.startsWith('TransactWriteItems'));
    }
    // Each case has a person of its own, so whatever one left behind is still there.
    expect((await checkTable(table(), { organizationId: organization.id })).violations).toEqual([]);
  },
);
