import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { listen } from '../../infra/cli/listen.ts';
import { startRunningTime } from './busy-machine.ts';
import { assertNoLeaks } from './log-leaks.ts';

export const projectFolder = resolve(import.meta.dirname, '..', '..');
export const node24 = join(projectFolder, 'node_modules', '.bin', 'node');

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
   * @returns the exit status, and the milliseconds in which this process could run until then
   * @throws Error when the log leaks
   */
  end(signal?: NodeJS.Signals): Promise<{ status: number | null; ms: number }>;
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
  const { child, printed, exited } = spawnService(
    ['--json', '--port', '0', '--db', ':memory:', ...args],
    environment,
  );
  let at = -1;
  while (at < 0) {
    const ended = await Promise.race([
      exited.then(() => true),
      once(child.stdout as NodeJS.ReadableStream, 'data').then(() => false),
    ]);
    at = printed.stdout.indexOf('\n');
    if (ended && at < 0)
      throw new Error(`The service ended with status ${child.exitCode}: ${printed.stderr}`);
  }
  return {
    child,
    printed,
    ready: JSON.parse(printed.stdout.slice(0, at)) as ReadyLine,
    async end(signal = 'SIGTERM') {
      const endRunningTime = startRunningTime();
      child.kill(signal);
      await exited;
      assertNoLeaks(printed.stderr);
      return { status: child.exitCode, ms: endRunningTime() };
    },
  };
}

/** Runs the service's entry until it ends by itself. */
export async function runServiceProcess(
  args: readonly string[],
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { child, printed, exited } = spawnService(args);
  await exited;
  return { status: child.exitCode, ...printed };
}

function spawnService(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): {
  child: ChildProcess;
  printed: { stdout: string; stderr: string };
  exited: Promise<unknown>;
} {
  const child = spawn(node24, [join(projectFolder, 'infra', 'local', 'start.ts'), ...args], {
    cwd: projectFolder,
    // As under npm, the service ends when this process is gone.
    env: { ...process.env, npm_lifecycle_event: 'start', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    printed.stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    printed.stderr += chunk.toString();
  });
  return { child, printed, exited: once(child, 'close') };
}

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  server.close();
  await once(server, 'close');
  return port;
}
