import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until its standard input closes, because the service has ended: after a `kill -9` the service cannot end its engine itself. Then
 * it ends the engine, whose process ID is `$0`.
 */
const guardCommand = 'cat; kill "$0"; sleep 2; kill -9 "$0"';
const killAfterMs = 1500;
const readyLine = /listening on (http:\/\/127\.0\.0\.1:\d+)/;

export interface EngineStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Gets the engine's process ID. */
  readonly pidFile: string;
  readonly readyWithinMs: number;
}

export interface EngineProcess {
  /** The address in the engine's ready line. */
  readonly endpoint: string;
  /** Settles with the last output of the engine when it has ended. */
  readonly ended: Promise<string>;
  /** Ends the engine and waits until it has ended. May be called again. */
  stop(): Promise<void>;
}

/** The engine ended, or was not ready in time. */
export class EngineStartError extends Error {
  override readonly name = 'EngineStartError';
}

/**
 * Starts an engine that never outlives this process, and waits for its ready line.
 * @throws EngineStartError with its last output when it ends before that, or is not ready in time; in both cases it has ended
 */
export async function startEngineProcess(start: EngineStart): Promise<EngineProcess> {
  // A session of its own: Ctrl-C in the terminal reaches only the service, which ends the engine after its last request.
  const options = { cwd: start.cwd, detached: true };
  const engine = spawn(start.command, start.args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (engine.pid === undefined)
    throw new EngineStartError(String((await once(engine, 'error'))[0]));
  const endGuard = startGuard(engine.pid);
  writeFileSync(start.pidFile, `${engine.pid}\n`);
  const output = readOutput(engine);
  const ended = once(engine, 'close').then(() => {
    endGuard();
    return output.lastLines();
  });
  const stop = async (): Promise<void> => {
    engine.kill('SIGTERM');
    const timer = setTimeout(() => engine.kill('SIGKILL'), killAfterMs);
    await ended;
    clearTimeout(timer);
  };
  const failure = await Promise.race([
    output.ready.then(() => undefined),
    ended.then(() => 'ended at once'),
    sleep(start.readyWithinMs, `not ready after ${start.readyWithinMs / 1000} s`, { ref: false }),
  ]);
  if (failure === undefined) return { endpoint: await output.ready, ended, stop };
  await stop();
  throw new EngineStartError([failure, output.lastLines()].filter(Boolean).join(': '));
}

/** @returns its end */
function startGuard(pid: number): () => void {
  const guard = spawn('sh', ['-c', guardCommand, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  return () => {
    guard.kill();
    guard.stdin.destroy();
  };
}

/** Reads what a process prints, on stdout and stderr. */
function readOutput({ stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>) {
  let text = '';
  const ready = Promise.withResolvers<string>();
  for (const stream of [stderr, stdout])
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000);
      const endpoint = readyLine.exec(text)?.[1];
      if (endpoint) ready.resolve(endpoint);
    });
  return {
    /** The address in the ready line. */
    ready: ready.promise,
    lastLines: () => text.trim().split('\n').slice(-3).join(' ').slice(-500),
  };
}
