/** A process that runs random histories: sent a seed, it answers with what it came to (`many-histories.ts`). */
import { bundlePublisher } from '../events/publish-history.ts';
import { bundleVersions } from './random-histories.ts';
import { runSeed } from './run-seed.ts';

const code = Promise.all([bundleVersions(), bundlePublisher()]);

process.on('message', async (seed: number) => {
  const [versions, publisher] = await code;
  process.send?.(await runSeed(seed, { versions, publisher }));
});

// The parent process has ended.
process.on('disconnect', () => process.exit());
