import type { Fault } from '../../network.ts';
import { type Given, person, type Scenario } from '../scenario.ts';

/** Requests that write, by a person whom no other request names, about a lead that is there. */
const writes = {
  create: (given: Given, number: number) => given.create(person(number)),
  capture: (given: Given, number: number) => given.capture(person(number), `k${number}`),
  'change phone': (given: Given, number: number, leadId: number) =>
    given.update(leadId, { fields: { phone: person(number).phone } }),
  'change city': (given: Given, number: number, leadId: number) =>
    given.update(leadId, { fields: { city: `City ${number}` } }),
  note: (given: Given, number: number, leadId: number) => given.note(leadId, `Note ${number}.`),
} as const;
type WriteName = keyof typeof writes;

const some = ['create', 'capture', 'change city'] as const;
const three = (fault: Fault): readonly Fault[] => [fault, fault, fault];

/** Each of the requests meets the faults at its first transactions. Only where `mayFail` is set may a request fail. */
const rounds: readonly {
  readonly faults: readonly Fault[];
  readonly of: readonly WriteName[];
  readonly mayFail?: true;
}[] = [
  { faults: three('reset after'), of: ['create', 'capture', 'change phone', 'note'] },
  { faults: ['reset after', 'conflict'], of: ['create', 'change phone', 'note'] },
  { faults: ['reset during'], of: ['create', 'capture', 'change phone', 'note'] },
  { faults: three('internal error after'), of: some },
  { faults: three('internal error before'), of: some },
  { faults: ['conflict'], of: [...some, 'note'], mayFail: true },
  { faults: three('throttled'), of: [...some, 'note'], mayFail: true },
];

/** What goes wrong with transactions, and how often. */
export const scenariosOfFaults: readonly Scenario[] = [
  {
    name: 'Transactions meet faults of each kind, once or three times',
    seeds: 2,
    async run(given) {
      const { leadId } = await given.capture(person(9));
      let number = 100;
      for (const { faults, of, mayFail } of rounds)
        for (const write of of) {
          number += 1;
          given.steering.next('TransactWriteItems', ...faults);
          const asked = writes[write](given, number, leadId);
          await (mayFail ? asked : given.taken(asked));
        }
    },
  },
  {
    name: 'An account is throttled three times, and then it is not',
    async run(given) {
      const statuses: number[] = [];
      for (let number = 0; number < 6; number += 1) {
        given.steering.next('TransactWriteItems', ...three('account throttled'));
        statuses.push((await given.capture(person(number))).status);
      }
      // The SDK waits for up to three seconds between the three, of which a request waits for two.
      given.expect(statuses.includes(201), `some are taken in the end, not ${statuses.join()}.`);
    },
  },
  {
    name: 'A transaction is throttled for longer than a request waits',
    seeds: 8,
    async run(given) {
      await given.capture(person(9));
      for (const fault of ['throttled', 'throttled inside'] as const) {
        given.steering.faultOf = ({ operation }) =>
          operation === 'TransactWriteItems' ? fault : 'none';
        await given.capture(person(1));
      }
      given.steering.faultOf = undefined;
    },
  },
  {
    name: 'An answer is given at the deadline, and the process serves another request later',
    async run(given) {
      let updates = 0;
      given.steering.faultOf = ({ operation }) => {
        if (operation === 'TransactWriteItems') return 'lost before';
        if (operation !== 'UpdateItem') return 'none';
        updates += 1;
        return updates % 3 === 0 ? 'none' : 'throttled';
      };
      await given.create(person(1));
      given.steering.faultOf = undefined;
      await given.sleep(60_000);
      await given.create(person(2));
    },
  },
];
