import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { whenToldToEnd } from '../cli/parent.ts';

/**
 * `npm run verify`. Runs the checks in a separate process, so that Ctrl-C in a terminal reaches them only through this one. If this process
 * is killed, the other process notices, and removes what it wrote.
 */
const checks = spawn(
  process.execPath,
  [join(import.meta.dirname, 'program.ts'), ...process.argv.slice(2)],
  { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
);
const interrupt = (): void => void (checks.connected && checks.send('interrupt'));
whenToldToEnd(interrupt);
const [status] = await once(checks, 'close');
process.exit(status ?? 1);
