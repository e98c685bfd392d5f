import { type Given, person, type Scenario } from '../scenario.ts';

const expectCounts = (
  given: Given,
  { outcome, result }: { readonly outcome: string; readonly result: unknown },
  expected: string,
): void => {
  const { imported, alreadyThere, refused } = (result ?? {}) as Readonly<Record<string, number>>;
  const counts = `${imported} imported, ${alreadyThere} already there, ${refused} refused`;
  given.expect(outcome === 'done' && counts === expected, `${expected}, not ${counts} ${result}.`);
};

/** Files of leads: what is repeated, or met by others. */
export const scenariosOfImports: readonly Scenario[] = [
  {
    name: 'Leads of a file get other phones and emails, and the file is imported again',
    async run(given) {
      const rows = [1, 2].map((number) => ({ ...person(number), note: `From file, ${number}.` }));
      expectCounts(given, await given.importRows(rows), '2 imported, 0 already there, 0 refused');
      for (const [at, leadId] of (await given.list({})).entries()) {
        const { phone, email } = person(11 + at);
        await given.update(leadId, { fields: { phone, email } });
      }
      expectCounts(given, await given.importRows(rows), '0 imported, 2 already there, 0 refused');
    },
  },
  {
    name: 'The rows of a file meet others',
    async run(given) {
      const expectThree = async (first: number): Promise<void> =>
        expectCounts(
          given,
          await given.importRows(
            [0, 1, 2].map((at) => person(first + at)),
            { leadsPerSecond: Number.POSITIVE_INFINITY },
          ),
          '3 imported, 0 already there, 0 refused',
        );
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
      let writes = 0;
      given.steering.faultOf = ({ operation }) => {
        if (operation !== 'TransactWriteItems') return 'none';
        writes += 1;
        return writes === 1 ? 'lost after' : 'throttled inside';
      };
      await given.importRows([person(1)]);
    },
  },
  {
    name: 'A file of leads that keep their ids is imported, and new leads come after them',
    async run(given) {
      await given.capture(person(1));
      const rows = [50, 20, 35].map((id) => ({ ...person(id), id }));
      expectCounts(
        given,
        await given.importRows(rows, { keepIds: true }),
        '3 imported, 0 already there, 0 refused',
      );
      const { leadId } = await given.capture(person(2));
      given.expect(leadId > 50, `the next lead has an id of its own, not ${leadId}.`);
      const taken = { ...person(60), id: 20 };
      expectCounts(
        given,
        await given.importRows([taken], { keepIds: true }),
        '0 imported, 0 already there, 1 refused',
      );
    },
  },
];
