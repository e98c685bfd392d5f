import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { listen } from '../../infra/cli/listen.ts';
import { assertNoLeaks } from './log-leaks.ts';

export const projectFolder = resolve(import.meta.dirname, '..', '..');
export const node24 = join(projectFolder, 'node_modules', '.bin', 'node');

/** PATH and the compile cache, for programs that get AWS variables of the test's own. */
export const inherited = () => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
};

export interface Program {
  readonly child: ChildProcess;
  /** All of stdout and stderr so far. */
  readonly printed: { stdout: string; stderr: string };
  /** The status is null for a program that a signal ended. */
  readonly ended: Promise<Ended>;
}
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a program, in the project's folder and with this process's environment unless told otherwise. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Program {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(command, args, { cwd: projectFolder, stdio: [...stdio], ...options });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  const ended = new Promise<Ended>((settle, fail) =>
    child.once('error', fail).once('close', (status) => settle({ status, ...printed })),
  );
  return { child, printed, ended };
}

/** Runs a program to its end. */
export const runProgram = (...started: Parameters<typeof startProgram>): Promise<Ended> =>
  startProgram(...started).ended;

/**
 * The Node.js on the machine's PATH, which a package's users would run. If none of version 20 or later is there, prints a warning and returns
 * the project's own.
 */
export async function machineNode(): Promise<string> {
  const found = (process.env.PATH ?? '')
    .split(':')
    .map((path) => join(path, 'node'))
    .filter((path) => !path.includes('node_modules'));
  for (const node of found) {
    const version = await runProgram(node, ['-p', 'process.versions.node']).catch(() => undefined);
    if (version && Number.parseInt(version.stdout, 10) >= 20) return node;
  }
  process.stderr.write(
    '\nWARNING: no other Node.js of version 20 or later is on the PATH: the package ran only on 24.\n\n',
  );
  return node24;
}

/** Requests of one endpoint that a service of the tests handles in parallel, also on a machine with few processors. */
export const racingWorkers = 8;

/** The ready line (LOCAL.md, "The ready line"). */
export interface ReadyLine {
  readonly ready: true;
  readonly baseUrl: string;
  readonly organizations: readonly {
    readonly id: number;
    readonly keys: Readonly<Record<string, string>>;
  }[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly ready: ReadyLine;
  /** All of stdout and stderr so far. */
  readonly printed: { stdout: string; stderr: string };
  /**
   * Sends the signal and waits for the end.
   * @returns the exit status
   * @throws Error when the log leaks
   */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the real service with `--json` in a process of its own, which ends with this one.
 * @param args by default `--port 0 --db :memory:`
 * @param environment variables in addition to the test run's own
 * @throws Error with its stderr when it ends before it is ready
 */
export async function startServiceProcess(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const { child, printed, ended } = startService(
    ['--json', '--port', '0', '--db', ':memory:', ...args],
    environment,
  );
  let at = -1;
  while (at < 0) {
    const hasEnded = await Promise.race([
      ended.then(() => true),
      once(child.stdout as NodeJS.ReadableStream, 'data').then(() => false),
    ]);
    at = printed.stdout.indexOf('\n');
    if (hasEnded && at < 0)
      throw new Error(`The service ended with status ${child.exitCode}: ${printed.stderr}`);
  }
  return {
    child,
    printed,
    ready: JSON.parse(printed.stdout.slice(0, at)) as ReadyLine,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await ended;
      assertNoLeaks(printed.stderr);
      return child.exitCode;
    },
  };
}

const startService = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Program =>
  startProgram(node24, ['infra/local/start.ts', ...args], {
    // As under npm, the service ends when this process is gone.
    env: { ...process.env, npm_lifecycle_event: 'start', ...environment },
  });

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  server.close();
  await once(server, 'close');
  return port;
}
