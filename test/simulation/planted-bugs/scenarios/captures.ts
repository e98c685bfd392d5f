import type { CallInfo } from '../../network.ts';
import { type Given, person, type Scenario } from '../scenario.ts';

const isReplay = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): boolean =>
  headers['idempotent-replayed'] === 'true';

/** The end of the only record, by the write that made it. */
function recordEnd({ service }: Given): number {
  const record = service.history.writes.findLast(({ pk }) => pk.startsWith('IDEMPOTENCY#'));
  return record?.after?.expiresAt as number;
}

export const scenariosOfCaptures: readonly Scenario[] = [
  {
    name: 'Clients race to capture one person in two organizations',
    seeds: 3,
    simulation: { dynamodb: { staleChance: 0.5 } },
    async run(given) {
      const { name, phone, email } = person(1);
      const bodies = [
        { name, phone, email },
        { name, phone: `0${phone.slice(3)}`, email: email.toUpperCase(), fields: { city: 'Pune' } },
        { name: 'Asha', phone, notes: 'Call me.' },
        { name, phone: person(2).phone, email: email.toUpperCase(), fields: { course: 'mba' } },
      ];
      const answers = await Promise.all([
        ...bodies.map((body) => given.capture(body)),
        ...[1, 2].map(() => given.capture(person(1, 12), 'one', { in: 12 })),
      ]);
      given.expect(
        answers.every(({ status }) => status === 200 || status === 201),
        `every capture is taken, not ${answers.map(({ status }) => status).join(', ')}.`,
      );
    },
  },
  {
    name: 'A capture is repeated one millisecond before its 24 hours end, and when they end',
    simulation: { isTimed: false },
    async run(given) {
      const body = { ...person(1), notes: 'First.' };
      await given.capture(body, 'the key');
      await given.sleep(recordEnd(given) - 1 - given.service.now);
      given.expect(
        isReplay(await given.capture(body, 'the key')),
        'a repeat before the end is a replay.',
      );
      await given.sleep(recordEnd(given) - given.service.now);
      given.expect(
        !isReplay(await given.capture(body, 'the key')),
        'a repeat at the end is another enquiry.',
      );
    },
  },
  {
    name: 'A key is used again: with the same body, another order of it, other notes or attribution, and a second key',
    async run(given) {
      const { name, phone, email } = person(1);
      const fields = { city: 'Pune', budget: 5 };
      const first = await given.capture({ name, phone, email, notes: 'One.', fields }, 'k');
      given.expect(first.status === 201, 'the first capture makes a lead.');
      const inOtherOrder = {
        fields: { budget: 5, city: 'Pune' },
        notes: 'One.',
        email,
        phone,
        name,
      };
      const again = await given.capture(inOtherOrder, 'k');
      given.expect(isReplay(again), 'the order of names in a body makes no difference.');
      const other = await given.capture({ name, phone, email, notes: 'Two.', fields }, 'k');
      given.expect(
        other.status === 422,
        `other notes under the same key are refused, not ${other.status}.`,
      );
      const attribution = { utmSource: 'fair' };
      const elsewhereFrom = await given.capture(
        { name, phone, email, notes: 'One.', fields, attribution },
        'k',
      );
      given.expect(
        elsewhereFrom.status === 422,
        `another attribution is refused, not ${elsewhereFrom.status}.`,
      );
      const second = await given.capture(
        { name, phone, email, notes: 'One.', fields, externalId: 'e' },
        'k',
      );
      given.expect(isReplay(second), 'an externalId that is added makes no difference.');
      const bySecond = await given.capture({
        name,
        phone,
        email,
        notes: 'One.',
        fields,
        externalId: 'e',
      });
      given.expect(isReplay(bySecond), 'the key that a replay added is known from then on.');
      await given.capture({ ...person(2), externalId: 'f' }, 'l');
      const byExternalId = await given.capture({ ...person(2), externalId: 'f' });
      given.expect(isReplay(byExternalId), 'a capture is remembered under both of its keys.');
      const elsewhere = await given.capture({ name, phone, email, notes: 'One.' }, 'k', {
        as: 'writer',
      });
      given.expect(!isReplay(elsewhere), 'the keys of another API key are others.');
    },
  },
  {
    name: 'Two bodies of two people race under one key',
    seeds: 3,
    async run(given) {
      const answers = await Promise.all([
        given.capture(person(1), 'k'),
        given.capture(person(2), 'k'),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      given.expect(
        statuses.join() === '201,422',
        `one is taken and the other refused, not ${statuses.join(', ')}.`,
      );
    },
  },
  {
    name: 'An enquiry meets a lead with other values, then an email that another lead has, then an archived lead',
    async run(given) {
      const { name, phone } = person(1);
      const { leadId } = await given.capture({ name, phone });
      await given.capture(person(2));
      const filled = await given.capture({ ...person(1), fields: { city: 'Pune' } });
      given.expect(filled.status === 200, 'an enquiry of a known person is taken.');
      await given.capture({
        ...person(1),
        fields: { city: 'Goa', course: 'mba', interests: ['hostel', 'loan'] },
        notes: 'Other city.',
      });
      await given.capture({ ...person(1), fields: { interests: ['loan', 'hostel'] } });
      const { leadId: third } = await given.capture({ name, phone: person(3).phone });
      const taken = await given.capture({ name, phone: person(3).phone, email: person(2).email });
      given.expect(
        taken.status === 200 && taken.leadId === third,
        `a taken email is kept, not ${taken.status}.`,
      );
      await given.administrate(
        'archive',
        (administrator) => administrator.setArchived(1, leadId, true),
        { leadId },
      );
      const archived = await given.capture({ ...person(1), fields: { budget: 5 } });
      given.expect(archived.status === 200, `an archived lead is matched, not ${archived.status}.`);
    },
  },
  {
    name: 'An enquiry arrives while the lead changes its phone',
    seeds: 10,
    simulation: { dynamodb: { staleChance: 0.3 } },
    async run(given) {
      const { name, phone } = person(1);
      const { leadId } = await given.capture(person(1));
      await given.capture(person(9));
      await given.update(leadId, { fields: { city: 'Pune' } });
      await Promise.all([
        given.capture({ name, phone, fields: { city: 'Goa' } }),
        given.sleep(2).then(() => given.capture({ name, phone })),
        given.sleep(4).then(() => given.capture({ name, phone })),
        given.update(leadId, { fields: { phone: person(5).phone, city: 'Surat' } }),
      ]);
    },
  },
  {
    name: 'Each attempt of a capture meets a conflict before it is written',
    async run(given) {
      given.steering.next('TransactWriteItems', 'conflict', 'conflict', 'conflict');
      const isMeant = ({ operation }: CallInfo): boolean => operation === 'TransactWriteItems';
      const { faultOf } = given.steering;
      given.steering.faultOf = (call) => (isMeant(call) ? (faultOf?.(call) ?? 'none') : 'none');
      const { status } = await given.capture(person(1));
      given.expect(status === 201, `the capture is taken in the end, not ${status}.`);
      const turns = given.service.history.writes.filter(({ pk }) => pk.startsWith('TURN#'));
      given.expect(turns.length === 1, `one turn is taken, not ${turns.length}.`);
    },
  },
];
