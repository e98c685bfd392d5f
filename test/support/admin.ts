import type { ProcessIo } from '../../infra/admin/context.ts';
import { runAdmin as runCommand } from '../../infra/admin/program.ts';
import type { ReadJson } from './call.ts';
import { isTableShared, service } from './service.ts';
import { node24, startProgram } from './service-process.ts';

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

/**
 * The AWS SDK reads `process.env`, which all commands that run in this process share: how many run, by which variables, and what these
 * replaced. A command reads `LEADS_TABLE` from the environment that it is given, so commands on several tables may run in parallel.
 */
let running = 0;
let shared: Environment = {};
let replaced: Readonly<Record<string, string | undefined>> = {};

function enter(environment: Environment): void {
  if (running > 0 && JSON.stringify(environment) !== JSON.stringify(shared)) {
    throw new Error('Another command runs in this process with other variables: use spawnAdmin.');
  }
  if (running === 0) {
    shared = environment;
    replaced = Object.fromEntries(
      Object.keys(environment).map((name) => [name, process.env[name]]),
    );
    Object.assign(process.env, environment);
  }
  running += 1;
}

function leave(): void {
  running -= 1;
  if (running > 0) return;
  for (const [name, value] of Object.entries(replaced)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
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

/**
 * Runs one of the administrator's commands in this process, on the test run's table. A process of its own takes 0.6 s more: use
 * `spawnAdmin` only where a test needs one.
 * @throws Error when another command runs with other variables
 */
export async function runAdmin(
  args: readonly string[],
  { environment = {}, hasTerminal = false, localFolder = '/nowhere' }: RunOptions = {},
): Promise<AdminReply> {
  assertNoScan(args, environment);
  const { LEADS_TABLE, ...ofSdk } = { ...service().environment, ...environment };
  enter(ofSdk);
  try {
    const { status, ...printed } = await runPrinted(args, {
      environment: { ...process.env, LEADS_TABLE },
      hasTerminal,
      localFolder,
    });
    return replyOf(args, status, printed);
  } finally {
    leave();
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
    env: { PATH: process.env.PATH, ...service().environment, ...environment },
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
