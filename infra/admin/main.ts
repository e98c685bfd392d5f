import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';

const projectFolder = resolve(import.meta.dirname, '..', '..');

// Caches compiled code, TypeScript included, for the next command: compiling takes half of a command's start time.
enableCompileCache(resolve(projectFolder, 'node_modules', '.cache', 'admin'));
const { runAdmin } = await import('./program.ts');
const { localFolder } = await import('../local/running-service.ts');

// A reader that has read enough, such as `head`, closes the pipe. That ends the command, and is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runAdmin(process.argv.slice(2), {
  environment: process.env,
  localFolder,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  hasTerminal: process.stderr.isTTY === true,
  columns: process.stdout.columns,
});
