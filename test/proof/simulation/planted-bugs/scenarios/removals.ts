import { newKey } from '../../clients/client.ts';
import { firstFile, type Given, person, type Scenario } from '../scenario.ts';

const fair = { id: 6, name: 'Fair' };
const market = { id: 7, name: 'Market' };

/** The settings of organization 1 with sources that are to be removed. */
function fileWith(...more: readonly object[]): object {
  const { sources, ...others } = firstFile();
  return { ...others, sources: [...sources, ...more] };
}

/** Sends an enquiry that names the source, and whose first write is not answered before a removal waits. */
async function enquireMeanwhile(given: Given, number: number): Promise<void> {
  let isHeld = false;
  given.steering.faultOf = ({ operation, caller }) => {
    if (isHeld || operation !== 'TransactWriteItems' || caller.startsWith('administrator'))
      return 'none';
    isHeld = true;
    return 'silence';
  };
  await given.capture({ ...person(number), source: 'Fair' });
}

export const scenariosOfRemovals: readonly Scenario[] = [
  {
    name: 'A source is not removed, since an enquiry took it meanwhile, and all is as before or as others applied',
    async run(given) {
      await given.applyFile(fileWith(fair));
      await given.ask('list-users', { as: 'reader' });
      for (const isMet of [false, true]) {
        const enquiry = enquireMeanwhile(given, isMet ? 2 : 1);
        await given.sleep(30);
        const removal = given.applyFile(fileWith());
        await given.sleep(4000);
        if (isMet) await given.applyFile(fileWith({ ...fair, active: false }, market));
        given.same('the removal', (await removal).outcome, 'failed');
        await enquiry;
        if (!isMet) for (const leadId of await given.list({})) await given.erase(leadId);
      }
      const begunAt = given.service.now;
      await given.applyFile(fileWith());
      given.expect(given.service.now - begunAt < 5000, 'what a lead has is refused at once.');
      const writes = given.service.history.writes.length;
      await given.applyFile(fileWith({ ...fair, active: false }, market));
      given.same('writes of what is so already', given.service.history.writes.length - writes, 0);
    },
  },
  {
    name: 'A user is removed while a key is made in the name of the user',
    async run(given) {
      const { users, ...others } = firstFile();
      const apply = (all: readonly object[]) => given.applyFile({ ...others, users: all });
      // A removal waits eleven seconds for requests under way: a key is made at each moment around its end.
      const stay: { readonly id: number }[] = [...users];
      for (let at = 0; at < 24; at += 1) {
        const leaves = { id: 70 + at, name: `User ${70 + at}` };
        await apply([...stay, leaves]);
        const order = {
          type: 'application',
          scopes: ['leads.read'],
          createdBy: leaves.id,
        } as const;
        const making = given
          .sleep(at < 4 ? 4 * at : 11_000 + 2 * at)
          .then(() => newKey(given.service, 1, order));
        await Promise.all([apply([...stay]), making]);
        if (given.settings().includes(`"id":${leaves.id}`)) stay.push(leaves);
      }
    },
  },
  {
    name: 'A source is removed while rows of an export that refer to it are imported, as new leads and as changes',
    async run(given) {
      const mark = 'organization 1';
      await given.administrate('import', { rows: [person(1)] });
      let stays: object[] = [];
      for (let at = 0; at < 24; at += 1) {
        const leaves = { id: 70 + at, name: `Fair ${70 + at}`, active: false };
        await given.applyFile(fileWith(...stays, leaves));
        const row = { source: leaves.id, mark };
        const importing = given.sleep(11_000 + 2 * at).then(() =>
          at % 3 === 0
            ? given.administrate('import update', { rows: [{ ...row, ...person(1) }] })
            : given.administrate('import', {
                rows: [{ ...row, ...person(100 + at), ...(at % 3 === 1 && { id: 1000 + at }) }],
                keepIds: at % 3 === 1,
              }),
        );
        await Promise.all([given.applyFile(fileWith(...stays)), importing]);
        if (given.settings().includes(`"id":${leaves.id}`)) stays = [...stays, leaves];
      }
    },
  },
];
