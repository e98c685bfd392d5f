import { spawn } from 'node:child_process';
import { service } from '../../support/service.ts';
import { node24, projectFolder } from '../../support/service-process.ts';

export interface AdminAnswer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command as an administrator's script does, on the test run's table. */
export async function runAdmin(...args: readonly string[]): Promise<AdminAnswer> {
  return startAdmin(args).ended;
}

/** The same with further environment variables. */
export async function runAdminIn(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<AdminAnswer> {
  return startAdmin(args, environment).ended;
}

/** Its `--json` document. @throws Error with what it printed when there is none */
export async function adminJson(...args: readonly string[]) {
  const answer = await runAdmin(...args, '--json');
  if (answer.stdout === '') throw new Error(`${args.join(' ')} ended with status ${answer.status}: ${answer.stderr}`);
  return JSON.parse(answer.stdout);
}

/** Starts a command that may be killed before it ends. */
export function startAdmin(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): { kill: () => void; ended: Promise<AdminAnswer> } {
  const child = spawn(node24, ['infra/admin/main.ts', ...args], {
    cwd: projectFolder,
    env: { PATH: process.env.PATH, ...service().environment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    printed.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    printed.stderr += chunk.toString();
  });
  return {
    kill: () => child.kill('SIGKILL'),
    ended: new Promise((settle) => child.on('close', (status) => settle({ status, ...printed }))),
  };
}
