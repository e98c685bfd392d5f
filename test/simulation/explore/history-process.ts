/** A process that runs random histories: sent seeds, it answers with what each came to (`history-processes.ts`). */
import { bundlePublisher } from '../events/publish-history.ts';
import { bundleVersions } from './random-histories.ts';
import { runSeed } from './run-seed.ts';

const code = Promise.all([bundleVersions(), bundlePublisher()]);
let last = Promise.resolve();

process.on('message', (seed: number) => {
  last = last.then(() => answer(seed));
});

// The parent process has ended.
process.on('disconnect', () => process.exit());

async function answer(seed: number): Promise<void> {
  const [versions, publisher] = await code;
  process.send?.(await runSeed(seed, { versions, publisher }));
}
