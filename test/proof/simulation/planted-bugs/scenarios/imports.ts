import { person, type Scenario } from '../scenario.ts';
import { beforeAnswer, beforeCall, isOfAdministrator } from './between-calls.ts';

/** Files of leads: what is repeated, or met by others. */
export const scenariosOfImports: readonly Scenario[] = [
  {
    name: 'Leads of a file get other phones and emails, and the file is imported again',
    async run(given) {
      const rows = [1, 2].map((number) => ({ ...person(number), note: `From file, ${number}.` }));
      await given.administrate('import', { rows });
      for (const [at, leadId] of (await given.list({})).entries()) {
        const { phone, email } = person(11 + at);
        await given.update(leadId, { fields: { phone, email } });
      }
      await given.administrate('import', { rows });
    },
  },
  {
    name: 'A file updates leads and is undone, but for the leads that were changed or noted on since',
    async run(given) {
      const rows = [1, 2, 3].map((number) => ({ ...person(number), city: 'Goa' }));
      await given.administrate('import', { rows });
      const changes = ['', 'Pune'].map((city, at) => ({ ...person(at + 1), city }));
      const { result } = await given.administrate('import update', { rows: changes });
      given.same('updated leads', (result as { updated: number }).updated, 1);
      const [, , noted = 0] = await given.list({});
      await given.note(noted);
      await given.administrate('import undo', { rows });
      await given.administrate('import', { rows });
    },
  },
  {
    name: 'An undo of a file reads a timeline that another undo removes, and neither reports the lead as kept',
    async run(given) {
      const rows = [person(1)];
      await given.administrate('import', { rows });
      const undo = () => given.done(given.administrate('import undo', { rows }));
      const other = beforeCall(
        given,
        (call) => isOfAdministrator(call) && call.operation === 'Query',
        undo,
      );
      const undone = [await undo(), await other];
      given.same(
        'the leads that are kept',
        undone.map((result) => (result as { kept: number[] }).kept),
        [[], []],
      );
    },
  },
  {
    name: 'The rows of a file meet others',
    async run(given) {
      const expectThree = async (first: number): Promise<void> => {
        const file = { rows: [0, 1, 2].map((at) => person(first + at)), leadsPerSecond: Infinity };
        const counts = { rows: 3, imported: 3, alreadyThere: 0, refused: 0 };
        given.same('the import', await given.done(given.administrate('import', file)), counts);
      };
      given.steering.next('UpdateItem', 'conflict');
      await expectThree(1);
      for (const conflicts of [1, 2, 3]) {
        given.steering.next('TransactWriteItems', ...Array(conflicts).fill('conflict'));
        await expectThree(10 * conflicts);
      }
    },
  },
  {
    name: 'The lead of a row is written without an answer, and the repeats are throttled',
    async run(given) {
      const repeats = Array(50).fill('throttled inside');
      given.steering.next('TransactWriteItems', 'reset after', ...repeats);
      await given.administrate('import', { rows: [person(1)] });
    },
  },
  {
    name: 'A lead is erased when a file is about to add a note to it',
    async run(given) {
      const { leadId } = await given.create(person(1));
      const erased = beforeAnswer(given, 'Query', () => given.erase(leadId));
      const rows = [{ ...person(1), note: 'Called back.' }];
      const report = await given.done(given.administrate('import update', { rows }));
      given.same('refused rows', (report as { readonly refused: number }).refused, 1);
      await erased;
    },
  },
  {
    name: 'A file of leads that keep their ids is imported, and new leads come after them',
    async run(given) {
      await given.capture(person(1));
      const rows = [50, 20, 35].map((id) => ({ ...person(id), id }));
      await given.administrate('import', { rows, keepIds: true });
      await given.capture(person(2));
      await given.administrate('import', { rows: [{ ...person(60), id: 20 }], keepIds: true });
    },
  },
];
