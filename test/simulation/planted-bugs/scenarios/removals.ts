import { firstVariant, settingsFile } from '../../organizations.ts';
import { type Given, person, type Scenario } from '../scenario.ts';
import { applyFile } from './apply-file.ts';

const fair = { id: 6, name: 'Fair' };

/** The settings of organization 1 with a source that is to be removed. */
function fileWith(...sources: readonly object[]): object {
  const file = settingsFile(1, firstVariant) as { readonly sources: readonly object[] };
  return { ...file, sources: [...file.sources, ...sources] };
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
      await applyFile(given, fileWith(fair));
      await given.ask('list-users', { as: 'reader' });
      for (const isMet of [false, true]) {
        const enquiry = enquireMeanwhile(given, isMet ? 2 : 1);
        await given.sleep(30);
        const removal = applyFile(given, fileWith());
        await given.sleep(4000);
        if (isMet)
          await applyFile(given, fileWith({ ...fair, active: false }, { id: 7, name: 'Market' }));
        const { outcome } = (await removal) as { outcome: string };
        given.expect(outcome === 'failed', `the removal is refused, not ${outcome}.`);
        await enquiry;
        if (!isMet) for (const leadId of await given.list({})) await given.erase(leadId);
      }
      const begunAt = given.service.now;
      await applyFile(given, fileWith());
      given.expect(given.service.now - begunAt < 5000, 'what a lead has is refused at once.');
      const writes = given.service.history.writes.length;
      await applyFile(given, fileWith({ ...fair, active: false }, { id: 7, name: 'Market' }));
      given.expect(
        given.service.history.writes.length === writes,
        'what is so already is not written.',
      );
    },
  },
];
