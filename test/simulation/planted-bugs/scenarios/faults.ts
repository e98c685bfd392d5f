import type { Fault } from '../../network.ts';
import { type Answered, type Given, person, type Scenario } from '../scenario.ts';

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

/** Each of the requests meets these faults at its first transactions. */
interface Round {
  readonly faults: readonly Fault[];
  readonly of: readonly WriteName[];
  /** Whether the faults are more than a request outlasts. @default false */
  readonly mayFail?: boolean;
}

const scenarioOf = (name: string, rounds: readonly Round[], seeds = 1): Scenario => ({
  name,
  seeds,
  async run(given) {
    const { leadId } = await given.capture(person(9));
    let number = 100;
    for (const { faults, of, mayFail } of rounds)
      for (const write of of) {
        number += 1;
        given.steering.next('TransactWriteItems', ...faults);
        const asked: Promise<Answered> = writes[write](given, number, leadId);
        await (mayFail ? asked : given.taken(asked));
      }
  },
});

const every = ['create', 'capture', 'change phone', 'note'] as const;
const three = <T>(fault: T): readonly T[] => [fault, fault, fault];

/** What goes wrong with transactions, and how often. */
export const scenariosOfFaults: readonly Scenario[] = [
  scenarioOf('A transaction is applied and no answer comes, three times, before it is repeated', [
    { faults: three('reset after'), of: every },
    {
      faults: ['reset after', 'lost after', 'internal error after'],
      of: ['create', 'capture'],
      mayFail: true,
    },
  ]),
  scenarioOf('A transaction is applied, no answer comes, and its repeat meets a conflict', [
    { faults: ['reset after', 'conflict'], of: ['create', 'change phone', 'note'] },
  ]),
  scenarioOf(
    'A connection breaks while a transaction is under way, and it is asked for again meanwhile',
    [{ faults: ['reset during'], of: every }],
    3,
  ),
  scenarioOf('Transactions meet conflicts and are throttled', [
    { faults: ['conflict'], of: ['create', 'capture', 'change city', 'note'], mayFail: true },
    {
      faults: three('throttled'),
      of: ['create', 'capture', 'change city', 'note'],
      mayFail: true,
    },
  ]),
  scenarioOf('A transaction fails three times with an error of the server', [
    { faults: three('internal error after'), of: ['create', 'capture', 'change city'] },
    { faults: three('internal error before'), of: ['create', 'capture', 'change city'] },
  ]),
  {
    name: 'An account, or a partition, is throttled three times, and then it is not',
    async run(given) {
      for (const [at, fault] of (['account throttled', 'throttled outside'] as const).entries()) {
        const statuses: number[] = [];
        for (let number = 10 * at; number < 10 * at + 6; number += 1) {
          given.steering.next('TransactWriteItems', fault, fault, fault);
          statuses.push((await given.capture(person(number))).status);
        }
        // The SDK waits for up to three seconds between the three, of which a request waits for two.
        given.expect(statuses.includes(201), `some are taken in the end, not ${statuses.join()}.`);
      }
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
        await given.answered(500, given.capture(person(1)), 'a request in an outage');
      }
      given.steering.faultOf = undefined;
    },
  },
  {
    name: 'A partition is asked for more than it gives',
    simulation: { dynamodb: { hasThroughputLimits: true } },
    async run(given) {
      const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
      const leads = await Promise.all(numbers.map((number) => given.capture(person(number))));
      const remarks = 'x'.repeat(90_000);
      await given.taken(
        ...leads.map(({ leadId }) => given.update(leadId, { fields: { remarks } })),
      );
      const isThrottled = given.service.recorder.faults > 0;
      given.expect(isThrottled, 'some of them were throttled before.');
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
      await given.answered(500, given.create(person(1)), 'the first');
      given.steering.faultOf = undefined;
      await given.sleep(60_000);
      await given.answered(201, given.create(person(2)), 'the next');
    },
  },
];
