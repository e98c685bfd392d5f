/** A process that runs random histories: told the commit, then seeds, it answers with what each came to (`history-processes.ts`). */
import { bundlePublisher } from '../events/publish-history.ts';
import type { Order } from './history-processes.ts';
import { bundleVersions } from './random-histories.ts';
import { type Code, runSeed } from './run-seed.ts';

const bundled = Promise.all([bundleVersions(), bundlePublisher()]);
let commit = '';
let last = Promise.resolve();

process.on('message', (order: Order) => {
  if ('commit' in order) commit = order.commit;
  else last = last.then(() => answer(order.seed));
});

// Whoever asked is gone.
process.on('disconnect', () => process.exit());

async function answer(seed: number): Promise<void> {
  const [versions, publisher] = await bundled;
  const code: Code = { versions, publisher, commit };
  process.send?.(await runSeed(seed, code));
}
