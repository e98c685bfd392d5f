import { type Given, person, type Scenario } from '../scenario.ts';
import { beforeCall, isOfAdministrator } from './between-calls.ts';

/** The texts of notes that are on a lead's timeline in the end. */
function notesOf(given: Given, leadId: number): string[] {
  return [...given.service.history.writesOf]
    .filter(([name]) => name.startsWith(`TIMELINE#1#${leadId} `))
    .flatMap(([, writes]) => {
      const entry = writes.at(-1)?.after;
      return typeof entry?.text === 'string' ? [entry.text] : [];
    });
}

export const scenariosOfErasures: readonly Scenario[] = [
  {
    name: 'A person is erased and asks again',
    seeds: 3,
    simulation: { dynamodb: { staleChance: 0.6 } },
    async run(given) {
      const { leadId } = await given.capture(person(1), 'k');
      await given.capture(person(5, 12), 'k', { in: 12 });
      const { leadId: other } = await given.capture(person(2));
      const withEmail = { ...person(2), email: person(1).email, notes: person(1).phone };
      await given.capture(withEmail, 'm');
      await given.update(leadId, { fields: { city: 'Pune' } });
      await given.note(leadId);
      const key = await given.newKey({ type: 'website-form' });
      await given.capture({ ...person(1), externalId: 'e' }, 'n', { as: key });
      await given.erase(leadId);
      given.expectGone(person(1).phone, person(1).email);
      await given.note(leadId);
      await given.get(other);
      await given.capture(person(1), 'k');
      await given.capture(person(5, 12), 'k', { in: 12 });
    },
  },
  {
    name: 'A lead is erased while others write it',
    seeds: 8,
    async run(given) {
      const { name, phone } = person(1);
      const { leadId } = await given.capture({ name, phone }, 'k');
      await given.capture(person(3));
      await given.update(leadId, { fields: { city: 'Pune' } });
      await given.note(leadId);
      const erasing = given.erase(leadId);
      // The erasure begins, waits for half a second and reads the table.
      const others = [
        6, 12, 18, 24, 505, 510, 515, 520, 525, 530, 535, 540, 545, 550, 555, 560,
      ].map((ms) =>
        given.sleep(ms).then(() => given.capture({ name, phone, externalId: `e${ms}` }, 'k')),
      );
      await Promise.all([
        erasing,
        ...others,
        given.update(leadId, { fields: { email: person(1).email } }),
        given.note(leadId, 'At once.'),
        given.erase(leadId),
        given.update(leadId, { fields: { email: null } }),
      ]);
    },
  },
  {
    name: 'A lead is erased while its new phone and email become visible, one after the other',
    simulation: { dynamodb: { commitsItemByItem: true } },
    async run(given) {
      const { leadId } = await given.create(person(1));
      const writes = [
        () => given.update(leadId, { fields: { phone: person(2).phone, email: person(2).email } }),
        () => given.create(person(3)),
      ];
      for (const [at, write] of writes.entries()) {
        given.steering.next('TransactWriteItems', 'slow commit');
        const written = write();
        await given.sleep(40);
        const erased = await given.done(given.erase(leadId + at));
        given.expect(erased !== undefined, `lead ${leadId + at} is erased.`);
        await given.taken(written);
      }
      for (const number of [1, 2, 3]) {
        given.expectGone(person(number).phone, person(number).email);
        await given.taken(given.capture(person(number)));
      }
    },
  },
  {
    name: "Two people who are on each other's timelines, and on a third one, are erased at once",
    seeds: 6,
    simulation: { dynamodb: { reorderChance: 0.3, pageShare: 0.004 } },
    async run(given) {
      const [one, other, third] = [person(1), person(2), person(3)];
      const { leadId: a } = await given.capture(one, 'a');
      const { leadId: b } = await given.capture(other, 'b');
      const attribution = {
        utmSource: 'mail',
        pageUrl: `https://example.com/?m=${one.email.replace('@', '%40')}`,
      };
      const friend = { ...third, notes: `A friend of ${one.phone}.`, attribution };
      const { leadId: c } = await given.capture(friend, 'c');
      await given.capture({ name: 'A', phone: one.phone, email: other.email, notes: 'Both.' }, 'd');
      await given.capture({ name: 'B', phone: other.phone, email: one.email, attribution }, 'e');
      const mine = { name: 'Zenobia', phone: third.phone, email: one.email, notes: 'Mine.' };
      await given.capture({ ...mine, attribution }, 'f');
      await given.update(c, { fields: { city: `At ${one.phone}` } });
      await given.update(c, { fields: { city: 'Pune' } });
      const spaced = `${one.phone.slice(3, 8)} ${one.phone.slice(8)}`;
      const emails = `${other.email.toUpperCase()} and ${one.email}`;
      await given.note(c, `Call ${spaced}, or write ${emails}.`);
      await given.note(c, `Once more: ${one.phone}, 0${other.phone.slice(3)}.`);
      await given.note(c, 'Room 9800.');
      await Promise.all([given.erase(a), given.erase(b), given.erase(a)]);
      given.expectGone(one.phone, one.email, other.phone, other.email);
      given.expectGone('%40example', 'Mine.', 'Zenobia');
      given.same('its notes', notesOf(given, c).sort(), [
        'Call [erased], or write [erased] and [erased].',
        'Once more: [erased], [erased].',
        'Room 9800.',
      ]);
      await given.erase(c);
      await given.erase(c);
    },
  },
  {
    name: 'An erasure dies when the lead is gone, and its repeat still knows the person',
    seeds: 2,
    async run(given) {
      const [one, third] = [person(1), person(3)];
      const { leadId: a } = await given.capture(one);
      const { leadId: c } = await given.capture(third);
      await given.update(a, { fields: { phone: person(4).phone } });
      await given.note(c, `Ask ${person(4).phone}, once ${one.phone}, or ${one.email}.`);
      for (const operation of ['TransactWriteItems', 'UpdateItem', 'BatchWriteItem']) {
        given.steering.next(operation, 'death after');
        given.same(`the erasure at ${operation}`, (await given.erase(a)).outcome, 'died');
      }
      given.steering.faultOf = undefined;
      await given.note(c, `Again ${one.phone}, ${person(4).phone}.`);
      await given.erase(a);
      given.expectGone(one.phone, one.email, person(4).phone);
    },
  },
  {
    name: 'A lead of many notes, most of them on pages of their own, is erased',
    simulation: { dynamodb: { pageShare: 0.0005, unprocessedChance: 0.6 } },
    async run(given) {
      const { leadId } = await given.capture(person(1));
      const { leadId: other } = await given.capture(person(2));
      for (let at = 0; at < 30; at += 1) await given.note(leadId, `Note ${at}.`);
      for (let at = 0; at < 8; at += 1) await given.note(other, `${at}: ${person(1).email}`);
      await given.erase(leadId);
      given.expectGone(person(1).email, person(1).phone);
      const [erased] = given.service.history.actions
        .flatMap(({ writes }) => writes)
        .filter(({ after }) => after?.type === 'erased');
      given.expect(erased !== undefined, 'the last event of the lead says that it was erased.');
    },
  },
  {
    name: 'An erasure is planned, which changes nothing, and then done, more deletes than one call has',
    functions: { clockSkewMs: 500, coldStartChance: 1 },
    seeds: 2,
    async run(given) {
      await given.administrate('import', { rows: [person(1)] });
      const [leadId = 0] = await given.list({});
      for (let at = 0; at < 26; at += 1) await given.note(leadId, `Note ${at}.`);
      await given.capture(person(1), 'a');
      await given.update(leadId, { fields: { city: 'Pune' } });
      const plan = await given.done(given.administrate('plan of an erasure', { leadId }));
      given.same('what is erased as planned', await given.done(given.erase(leadId)), plan);
    },
  },
  {
    name: 'A person comes back while they are erased, and again before the erasure is complete',
    seeds: 4,
    simulation: { dynamodb: { pageShare: 0.0002 } },
    async run(given) {
      const [one, third] = [person(1), person(3)];
      const { leadId: a } = await given.capture(one);
      const { leadId: c } = await given.capture(third);
      for (let at = 0; at < 8; at += 1) await given.note(c, `Note ${at}.`);
      const back = async () => {
        const attribution = { pageUrl: `https://example.com/?m=${one.email}` };
        const { leadId } = await given.capture({ ...one, notes: `On ${one.phone}.`, attribution });
        await given.note(leadId, `Called ${one.phone}, wrote to ${one.email}.`);
        await given.update(leadId, { fields: { city: `At ${one.phone}` } });
        await given.update(leadId, { fields: { city: 'Pune' } });
        return leadId;
      };
      const [, again] = await Promise.all([given.erase(a), given.sleep(515).then(back)]);
      given.steering.next('Scan', 'none', 'death before');
      await given.erase(again);
      given.steering.faultOf = undefined;
      const last = await back();
      await given.update(last, { fields: { phone: person(2).phone } });
      await given.done(given.erase(again));
      const since = [`Called ${one.phone}, wrote to ${one.email}.`];
      given.same('what they wrote since', notesOf(given, last), since);
      const { leadId: d } = await given.capture(person(4));
      const takePhone = () => given.update(c, { fields: { phone: person(4).phone } });
      await Promise.all([given.erase(d), given.sleep(550).then(takePhone)]);
    },
  },
  {
    name: 'Two people are removed from an entry of another lead, and the first response is lost',
    async run(given) {
      for (const number of [1, 2, 3]) await given.create(person(number));
      await given.note(3, `A friend of ${person(1).phone} and ${person(2).phone}.`);
      const erased = async (leadId: number): Promise<number> =>
        ((await given.done(given.erase(leadId))) as { readonly otherEntries: number }).otherEntries;
      const second = beforeCall(
        given,
        (call) => isOfAdministrator(call) && call.operation === 'PutItem',
        () => erased(2),
        'lost after',
      );
      given.same('entries that the first changed', await erased(1), 1);
      given.same('entries that the second changed', await second, 1);
      given.same('the note', notesOf(given, 3), ['A friend of [erased] and [erased].']);
    },
  },
  {
    name: 'A lead is imported under the ID of a lead that is being erased, and again after it',
    seeds: 2,
    simulation: { dynamodb: { pageShare: 0.001 } },
    async run(given) {
      const [one, other] = [person(1), person(2)];
      const { leadId: id } = await given.capture(one);
      const note = `Kept, ${other.phone}.`;
      const importAfter = (ms: number) =>
        given
          .sleep(ms)
          .then(() =>
            given.administrate('import', { rows: [{ ...other, id, note }], keepIds: true }),
          );
      const erasing = given.done(given.erase(id));
      await Promise.all([erasing, ...[10, 20, 30].map(importAfter)]);
      const { refused } = (await given.done(importAfter(0))) as { readonly refused: number };
      given.same('rows that are refused in the end', refused, 0);
      await given.done(given.erase(id));
    },
  },
];
