import { person, type Scenario } from '../scenario.ts';
import { beforeCall, isOfAdministrator } from './between-calls.ts';

const rows = [{ ...person(1), id: 50 }];

/** While the lead of a row is being removed, other commands complete the removal and import another lead with the same ID. */
export const scenariosOfIdsAgain: readonly Scenario[] = [
  {
    name: 'Before an undo reads a timeline, its lead is erased and another file makes a lead of the same ID',
    means: /was erased and is there/, // the checker does not allow for an ID that is used again
    async run(given) {
      await given.administrate('import', { rows, keepIds: true });
      const others = [{ ...person(2), id: 50 }];
      const replaced = beforeCall(
        given,
        (call) => isOfAdministrator(call) && call.operation === 'Query',
        async () => {
          await given.done(given.erase(50));
          await given.done(given.administrate('import', { rows: others, keepIds: true }));
        },
      );
      await given.administrate('import undo', { rows });
      await replaced;
      given.same('the leads', await given.list({}), [50]);
      await given.taken(given.note(50));
    },
  },
  {
    name: 'Before an undo ends, another one completes it and the file is imported again',
    async run(given) {
      await given.administrate('import', { rows, keepIds: true });
      let transactions = 0;
      const replaced = beforeCall(
        given,
        (call) =>
          isOfAdministrator(call) &&
          call.operation === 'TransactWriteItems' &&
          ++transactions === 2,
        async () => {
          await given.done(given.administrate('import undo', { rows }));
          await given.done(given.administrate('import', { rows, keepIds: true }));
        },
      );
      await given.administrate('import undo', { rows });
      await replaced;
      given.same('the leads', await given.list({}), [50]);
      const undone = await given.done(given.administrate('import undo', { rows }));
      given.same('the last undo', undone, { removed: [50], kept: [], erasing: [] });
    },
  },
  {
    name: 'While an erasure reads the table, an undo completes it and the file is imported again',
    means: /was erased and is there|remembers its row/,
    async run(given) {
      await given.administrate('import', { rows, keepIds: true });
      let transactions = 0;
      given.steering.faultOf = (call) =>
        isOfAdministrator(call) && call.operation === 'TransactWriteItems' && ++transactions === 2
          ? 'death before'
          : 'none';
      await given.administrate('import undo', { rows });
      const enquiry = { ...person(1), notes: 'Hello' };
      let replaced: Promise<void> | undefined;
      let isReplaced = false;
      const replace = async (): Promise<void> => {
        await given.administrate('import undo', { rows });
        await given.done(given.administrate('import', { rows, keepIds: true }));
        await given.capture(enquiry, 'k');
        isReplaced = true;
      };
      given.steering.faultOf = (call) => {
        if (call.operation !== 'Scan' || isReplaced) return 'none';
        replaced ??= replace();
        return 'lost before';
      };
      await given.done(given.erase(50));
      await replaced;
      const { status, isReplay } = await given.capture(enquiry, 'k');
      given.same('the repeat', [status, isReplay], [200, true]);
    },
  },
];
