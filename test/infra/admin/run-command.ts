import { type ProcessIo, runAdmin } from '../../../infra/admin/program.ts';
import { service } from '../../support/service.ts';

export interface CommandAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there
  readonly json: any;
}

/** Runs one administrator's command in this process, on the test run's table. `json` is what it prints with `--json`. */
export async function runCommand(args: readonly string[], more: Partial<ProcessIo> = {}): Promise<CommandAnswer> {
  Object.assign(process.env, service().environment);
  const printed = { stdout: '', stderr: '' };
  const status = await runAdmin(args, {
    environment: process.env,
    stdout: (text) => {
      printed.stdout += text;
    },
    stderr: (text) => {
      printed.stderr += text;
    },
    hasTerminal: false,
    ...more,
  });
  return { status, ...printed, json: args.includes('--json') && printed.stdout !== '' ? JSON.parse(printed.stdout) : undefined };
}
