import { runAdmin } from './program.ts';

process.exitCode = await runAdmin(process.argv.slice(2), {
  environment: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
