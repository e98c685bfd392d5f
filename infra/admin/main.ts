import { resolve } from 'node:path';
import { defaultDataFolder } from '../local/running-service.ts';
import { runAdmin } from './program.ts';

// A reader that has read enough (`… | head`) closes the pipe. That ends the command and is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runAdmin(process.argv.slice(2), {
  environment: process.env,
  localFolder: resolve(import.meta.dirname, '..', '..', defaultDataFolder),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  hasTerminal: process.stderr.isTTY === true,
});
