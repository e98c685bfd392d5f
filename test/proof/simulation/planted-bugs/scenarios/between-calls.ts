import type { CallInfo } from '../../network.ts';
import { firstFile, type Given, person, type Scenario } from '../scenario.ts';

const hourMs = 3_600_000;

/** Acts while the first attempt of somebody else's call is lost: by default, before DynamoDB executes it. */
export function beforeCall(
  given: Given,
  isMeant: (call: CallInfo) => boolean,
  act: () => Promise<unknown>,
  fault: 'lost before' | 'lost after' = 'lost before',
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    given.steering.faultOf = (call) => {
      if (!isMeant(call)) return 'none';
      given.steering.faultOf = undefined;
      act().then(resolve, reject);
      return fault;
    };
  });
}

/** Acts while the answer to an administrator's call is on its way, for less time than a write may take. */
export function beforeAnswer(
  given: Given,
  operation: string,
  act: () => Promise<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    given.steering.latenessOf = (call) => {
      if (!isOfAdministrator(call) || call.operation !== operation) return 0;
      given.steering.latenessOf = undefined;
      act().then(resolve, reject);
      return 4000;
    };
  });
}

export const isOfAdministrator = ({ caller }: CallInfo): boolean =>
  caller.startsWith('administrator');

/** What others do between two calls of one request or command. */
export const scenariosBetweenCalls: readonly Scenario[] = [
  {
    name: 'The leads of a user are reassigned, and one was given away meanwhile',
    async run(given) {
      for (const number of [1, 2, 3])
        await given.create({ ...person(number), assigned_to: number === 3 ? 8 : 7 });
      const givenAway = beforeAnswer(given, 'GetItem', () =>
        given.update(1, { fields: { assigned_to: null, city: 'Pune' } }),
      );
      const reassigned = await given.done(
        given.administrate('reassign', { ownerId: 7, newOwnerId: 8 }),
      );
      given.same('leads that are reassigned', reassigned, [2]);
      await givenAway;
    },
  },
  {
    name: 'A key is revoked between the two writes that begin its window',
    async run(given) {
      const key = await given.newKey();
      await given.ask('list-users', { as: key });
      await given.sleep(hourMs + 1000);
      let tokens = 0;
      const revoked = beforeCall(
        given,
        ({ operation, request }) => {
          if (operation === 'UpdateItem' && request.Key?.pk?.S?.startsWith('KEY#')) tokens += 1;
          return tokens === 2;
        },
        () => given.administrate('key revoke', { keyId: key.keyId }),
      );
      given.same('the request', (await given.ask('list-users', { as: key })).status, 401);
      await revoked;
    },
  },
  {
    name: 'A lead is dated by the attempt that was written, however many conflicts were before',
    async run(given) {
      const attempts: number[] = [];
      given.steering.faultOf = ({ operation }) => {
        if (operation !== 'TransactWriteItems') return 'none';
        attempts.push(given.service.now);
        return attempts.length < 4 ? 'conflict' : 'none';
      };
      const { body } = await given.create(person(1));
      const { createdAt } = body.lead as { readonly createdAt: string };
      const [before = 0] = attempts.slice(-2);
      given.expect(Date.parse(createdAt) >= before, `${createdAt} is not the first attempt.`);
    },
  },
  {
    name: 'A repeat under a second key finds the record of a lead whose erasure died',
    async run(given) {
      const { leadId } = await given.capture(person(1), 'k');
      given.steering.next('Scan', 'death before');
      await given.erase(leadId);
      given.steering.faultOf = undefined;
      const again = await given.capture({ ...person(1), externalId: 'e' }, 'k');
      given.same('it is a replay', [again.status, again.isReplay], [201, true]);
      await given.erase(leadId);
    },
  },
  {
    name: 'Timelines are written while one of them is being erased',
    async run(given) {
      const { leadId } = await given.create(person(1));
      await given.note(leadId);
      const erased = beforeCall(
        given,
        (call) =>
          isOfAdministrator(call) &&
          call.operation === 'Query' &&
          JSON.stringify(call.request).includes('TIMELINE#'),
        async () => {
          given.steering.next('BatchWriteItem', 'death before');
          await given.erase(leadId);
          given.steering.faultOf = undefined;
        },
      );
      const { result } = await given.administrate('timelines', {});
      await erased;
      const [timeline] = result as readonly { readonly entries: readonly unknown[] }[];
      given.same('what is written of the erased lead', timeline?.entries, []);
      await given.erase(leadId);
    },
  },
  {
    name: 'A lead that changes while an undo of an import decides is kept, and takes a note at once',
    async run(given) {
      const calls = [
        ['TransactGetItems', 'lost after'],
        ['Query', 'lost before'],
        ['TransactWriteItems', 'lost before'],
      ] as const;
      for (const [at, [operation, fault]] of calls.entries()) {
        const { result } = await given.administrate('import', { rows: [person(at)] });
        given.same('the import', (result as { imported: number }).imported, 1);
        const leadId = Math.max(...(await given.list({})));
        const changed = beforeCall(
          given,
          (call) => isOfAdministrator(call) && call.operation === operation,
          () => given.update(leadId, { fields: { city: 'Pune' } }),
          fault,
        );
        const undone = await given.administrate('import undo', { rows: [person(at)] });
        await changed;
        given.same('the undo', undone.result, { removed: [], kept: [leadId], erasing: [] });
        await given.taken(given.note(leadId));
      }
    },
  },
  {
    name: 'An undo of an import meets an erasure whose items become visible, one after the other',
    simulation: { dynamodb: { commitsItemByItem: true } },
    async run(given) {
      for (let at = 0; at < 10; at += 1) {
        const rows = [person(at)];
        await given.administrate('import', { rows });
        const [leadId = 0] = await given.list({});
        given.steering.next('TransactWriteItems', 'slow commit');
        const erased = given.done(given.erase(leadId));
        await given.sleep(6 * at);
        await given.administrate('import undo', { rows });
        await erased;
        given.same('the leads', await given.list({}), []);
      }
    },
  },
  {
    name: 'An undo of an import meets notes, enquiries and changes, whose items become visible one after the other',
    seeds: 3,
    simulation: { dynamodb: { commitsItemByItem: true } },
    async run(given) {
      const meetings = [
        (leadId: number) => given.note(leadId),
        (_: number, at: number) => given.capture(person(at)),
        (_: number, at: number) => given.capture({ ...person(at), fields: { city: 'Pune' } }),
        (leadId: number) => given.update(leadId, { fields: { city: 'Pune' } }),
      ];
      for (let at = 0; at < 10 * meetings.length; at += 1) {
        const rows = [person(at)];
        await given.administrate('import', { rows });
        const leadId = Math.max(...(await given.list({})));
        if (at % 3 > 0) given.steering.next('TransactWriteItems', 'slow commit');
        const met = meetings[at % meetings.length]?.(leadId, at);
        await given.sleep((at * 2) / meetings.length);
        const undone = await given.done(given.administrate('import undo', { rows }));
        const answer = await met;
        const { kept } = undone as { readonly kept: readonly number[] };
        const isTaken = answer?.status === 200 || answer?.status === 201;
        const isMet = isTaken && (answer.leadId === 0 || answer.leadId === leadId);
        given.expect(kept.includes(leadId) === isMet, `lead ${leadId} is kept: ${isMet}.`);
      }
    },
  },
  {
    name: 'A file that keeps its ids takes the id of a lead that is being created, whose person no lead has',
    means: /failed after/,
    async run(given) {
      const { leadId } = await given.create(person(1));
      const rows = [{ ...person(2), id: leadId + 1 }];
      const imported = beforeCall(
        given,
        ({ operation }) => operation === 'TransactWriteItems',
        () => given.administrate('import', { rows, keepIds: true }),
      );
      given.same('the request', (await given.create(person(3))).status, 500);
      await imported;
      given.same('its repeat', (await given.create(person(3))).status, 201);
    },
  },
  {
    name: 'A source that is active and one that is not are removed at once, while an enquiry takes one',
    async run(given) {
      const { sources, ...others } = firstFile();
      const fair = { id: 6, name: 'Fair' };
      const market = { id: 7, name: 'Market', active: false };
      await given.applyFile({ ...others, sources: [...sources, fair, market] });
      await given.ask('list-users', { as: 'reader' });
      const removal = given.applyFile(firstFile());
      // The removal waits for 11 s. This enquiry begins before they end and is stored after them.
      await given.sleep(10_700);
      given.steering.next('TransactWriteItems', 'silence');
      await given.capture({ ...person(1), source: 'Fair' });
      await given.done(removal);
    },
  },
];
