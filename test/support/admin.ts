import type { ProcessIo } from '../../infra/admin/context.ts';
import { runAdmin as runCommand } from '../../infra/admin/program.ts';
import type { ReadJson } from './call.ts';
import { isTableShared, service } from './service.ts';
import { inherited, node24, startProgram } from './service-process.ts';

type Environment = Readonly<Record<string, string>>;

export interface AdminReply {
  /** Null for a process that was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly json: ReadJson;
}

const replyOf = (
  args: readonly string[],
  status: number | null,
  printed: { stdout: string; stderr: string },
): AdminReply => {
  const isDocument = args.includes('--json') && status !== null && printed.stdout !== '';
  return { status, ...printed, json: isDocument ? JSON.parse(printed.stdout) : undefined };
};

interface RunOptions extends Partial<Pick<ProcessIo, 'hasTerminal' | 'localFolder'>> {
  /** Variables in addition to the test run's own. */
  readonly environment?: Environment;
}

/** @throws Error for a command that scans the table, if tests of other files use it: they would wait for the scan */
function assertNoScan([noun = '', verb = '']: readonly string[], environment: Environment): void {
  if (!isTableShared() || environment.LEADS_TABLE !== undefined) return;
  const isCheck = noun === 'check' && (verb === '' || verb.startsWith('--'));
  if (isCheck || `${noun} ${verb}` === 'lead erase')
    throw new Error(`${noun} scans the table, which other tests use too: call useOwnTable().`);
}

/** Runs a command in this process. @returns its status, and what it printed */
export async function runPrinted(
  args: readonly string[],
  io: Omit<ProcessIo, 'stdout' | 'stderr'>,
): Promise<{ status: number; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  const into = (name: keyof typeof printed) => (text: string) => {
    printed[name] += text;
  };
  const status = await runCommand(args, { ...io, stdout: into('stdout'), stderr: into('stderr') });
  return { status, ...printed };
}

/** The environment of each running command, as text: all have the same one, which is set until the last has ended. */
const running: string[] = [];

/**
 * Runs one of the administrator's commands in this process, on the test run's table. A process of its own takes 0.6 s more: use
 * `spawnAdmin` only where a test needs one. The AWS SDK reads `process.env`, so commands that run in parallel share all variables but
 * `LEADS_TABLE`.
 * @throws Error when another command runs with other variables
 */
export async function runAdmin(
  args: readonly string[],
  { environment = {}, hasTerminal = false, localFolder = '/nowhere' }: RunOptions = {},
): Promise<AdminReply> {
  assertNoScan(args, environment);
  const { LEADS_TABLE: ownTable, ...own } = service().environment;
  const { LEADS_TABLE = ownTable, ...others } = environment;
  const variables = JSON.stringify({ ...own, ...others });
  if (running.some((one) => one !== variables))
    throw new Error('Another command runs in this process with other variables: use spawnAdmin.');
  running.push(variables);
  Object.assign(process.env, own, others);
  try {
    const { status, ...printed } = await runPrinted(args, {
      environment: { ...process.env, LEADS_TABLE },
      hasTerminal,
      localFolder,
    });
    return replyOf(args, status, printed);
  } finally {
    running.pop();
    if (running.length === 0) {
      for (const name of Object.keys(others)) delete process.env[name];
      Object.assign(process.env, own);
    }
  }
}

/** What a command prints with `--json`. @throws Error with its stderr when it prints no document */
export async function adminJson(...args: readonly string[]) {
  const { status, stdout, stderr, json } = await runAdmin([...args, '--json']);
  if (stdout === '') throw new Error(`${args.join(' ')} ended with status ${status}: ${stderr}`);
  return json;
}

export interface AdminProcess {
  readonly ended: Promise<AdminReply & { readonly signal: NodeJS.Signals | null }>;
  /** Sends SIGKILL and waits for the end. */
  readonly kill: () => Promise<void>;
}

/** Starts a command as an administrator's script does: for what kills it, and for what it writes to its process's own stdout. */
export function spawnAdmin(args: readonly string[], environment: Environment = {}): AdminProcess {
  assertNoScan(args, environment);
  const program = startProgram(node24, ['infra/admin/main.ts', ...args], {
    env: { ...inherited(), ...service().environment, ...environment },
  });
  const ended = program.ended.then(({ status, ...printed }) => ({
    ...replyOf(args, status, printed),
    signal: program.child.signalCode,
  }));
  return {
    ended,
    kill: async () => {
      program.child.kill('SIGKILL');
      await ended;
    },
  };
}
