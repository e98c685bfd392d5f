import type { FileOfLeads } from '../../administration.ts';
import { type Given, person, type Scenario } from '../scenario.ts';

/** Imports a file. @param counts rows that are imported, already there, and refused */
async function expectCounts(
  given: Given,
  file: FileOfLeads,
  counts: readonly [number, number, number],
): Promise<void> {
  const { outcome, result } = await given.administrate('import', file);
  const { imported, alreadyThere, refused } = (result ?? {}) as Readonly<Record<string, number>>;
  given.same('the import', [outcome, imported, alreadyThere, refused], ['done', ...counts]);
}

/** Files of leads: what is repeated, or met by others. */
export const scenariosOfImports: readonly Scenario[] = [
  {
    name: 'Leads of a file get other phones and emails, and the file is imported again',
    async run(given) {
      const rows = [1, 2].map((number) => ({ ...person(number), note: `From file, ${number}.` }));
      await expectCounts(given, { rows }, [2, 0, 0]);
      for (const [at, leadId] of (await given.list({})).entries()) {
        const { phone, email } = person(11 + at);
        await given.update(leadId, { fields: { phone, email } });
      }
      await expectCounts(given, { rows }, [0, 2, 0]);
    },
  },
  {
    name: 'A file updates leads and is undone, but for the leads that were changed or noted on since',
    async run(given) {
      const rows = [1, 2, 3].map((number) => ({ ...person(number), city: 'Goa' }));
      await expectCounts(given, { rows }, [3, 0, 0]);
      const changes = ['', 'Pune'].map((city, at) => ({ ...person(at + 1), city }));
      const { result } = await given.administrate('import update', { rows: changes });
      given.same('updated leads', (result as { updated: number }).updated, 1);
      const [, , noted = 0] = await given.list({});
      await given.note(noted);
      const undone = await given.administrate('import undo', { rows });
      const { removed, kept } = undone.result as Readonly<Record<string, readonly number[]>>;
      given.same('leads that are removed, and kept', [removed?.length, kept?.length], [1, 2]);
      await expectCounts(given, { rows }, [1, 2, 0]);
    },
  },
  {
    name: 'The rows of a file meet others',
    async run(given) {
      const expectThree = (first: number): Promise<void> => {
        const rows = [0, 1, 2].map((at) => person(first + at));
        return expectCounts(given, { rows, leadsPerSecond: Number.POSITIVE_INFINITY }, [3, 0, 0]);
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
      given.steering.next(
        'TransactWriteItems',
        'lost after',
        ...Array(50).fill('throttled inside'),
      );
      await given.administrate('import', { rows: [person(1)] });
    },
  },
  {
    name: 'A file of leads that keep their ids is imported, and new leads come after them',
    async run(given) {
      await given.capture(person(1));
      const rows = [50, 20, 35].map((id) => ({ ...person(id), id }));
      await expectCounts(given, { rows, keepIds: true }, [3, 0, 0]);
      const { leadId } = await given.capture(person(2));
      given.expect(leadId > 50, `the next lead has an id of its own, not ${leadId}.`);
      await expectCounts(given, { rows: [{ ...person(60), id: 20 }], keepIds: true }, [0, 0, 1]);
    },
  },
];
