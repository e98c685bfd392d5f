import { resolve } from 'node:path';
import { whenNpmIsGone } from '../cli/parent.ts';
import { defaultDataFolder } from '../local/running-service.ts';
import { runVerify } from './program.ts';

/** `npm run verify`. */
const interruption = new AbortController();
// Ctrl-C reaches this process from the terminal and from npm; the removal of what was written goes on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!interruption.signal.aborted)
      process.stderr.write(
        'Interrupted: finishing the current check and removing what was written.\n',
      );
    interruption.abort();
  });
}
whenNpmIsGone(() => interruption.abort());
// A reader that has read enough (`… | head`) closes the pipe.
process.stdout.on('error', () => interruption.abort());
process.stderr.on('error', () => undefined);

const status = await runVerify(process.argv.slice(2), {
  environment: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  interrupted: interruption.signal,
  localFolder: resolve(import.meta.dirname, '..', '..', defaultDataFolder),
});
process.exit(status);
