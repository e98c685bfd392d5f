import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { keysOf } from '../../shared/base/maps.ts';
import { CommandError } from '../cli/command.ts';
import { asError, pathIssue } from '../cli/error-code.ts';
import type { TableEnvironment } from '../cli/table.ts';
import { dynoxide, type EngineKind, type EngineProgram } from './dynoxide.ts';

/** A running engine. */
export interface EngineProcess {
  readonly endpoint: string;
  /** Resolves with the engine's last output once it has ended. */
  readonly ended: Promise<string>;
  /** Ends the engine and waits until it has ended. May be called again. */
  stop(): Promise<void>;
}

export interface Engine extends EngineProcess {
  readonly name: string;
  readonly environment: TableEnvironment;
  /** Undefined if the data is in memory or the engine is an address. */
  readonly dataFolder?: string | undefined;
}

export const inMemory = ':memory:';
/** Another process may take the chosen port before the engine does. */
const startAttemptsMax = 5;

/**
 * The engines by name, in the order in which `auto` tries them. The second is loaded only if it is requested, or if the first cannot run.
 */
const engineKinds: Readonly<Record<EngineKind['name'], () => Promise<EngineKind>>> = {
  dynoxide: async () => dynoxide,
  'dynamodb-local': async () => (await import('./dynamodb-local.ts')).dynamodbLocal,
};

const isAddress = (engine: string): boolean => /^https?:\/\//.test(engine) && URL.canParse(engine);

/** Whether `--engine` accepts this value. */
export const isEngine = (value: string): boolean =>
  value === 'auto' || Object.hasOwn(engineKinds, value) || isAddress(value);

/**
 * Starts the DynamoDB engine that `--engine` names: `auto`, `dynoxide` or `dynamodb-local`. An address is used as it is.
 * @param dataFolder keeps the data between runs, or `:memory:`
 * @throws CommandError that says how to make an engine run
 */
export async function startEngine({
  engine,
  dataFolder,
}: {
  engine: string;
  dataFolder: string;
}): Promise<Engine> {
  if (isAddress(engine)) return engineAt(engine);
  if (dataFolder !== inMemory && dataFolder.startsWith(':'))
    throw new CommandError(`--db ${dataFolder} is not a folder: did you mean ${inMemory}?`);
  const { name, program } = await choose(engine);
  const path = dataFolder === inMemory ? undefined : resolve(dataFolder);
  const unlock = path === undefined ? undefined : lockFolder(path);
  const folder = path && join(path, name);
  if (folder) mkdirSync(folder, { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    const started = await startEngineProcess(program(await freePort(), folder));
    if ('endpoint' in started) {
      const environment = environmentOf(started.endpoint);
      const stop = (): Promise<void> => started.stop().then(unlock);
      return { ...started, name, environment, dataFolder: path, stop };
    }
    const { failure } = started;
    if (/in use|EADDRINUSE/i.test(failure) && attempt < startAttemptsMax) continue;
    unlock?.();
    throw new CommandError(`The engine ${name} cannot start: ${failure}.`);
  }
}

/**
 * Locks the data folder for this process, by a SQLite lock on a separate file. The system releases the lock when this process ends, even by
 * `kill -9`. So the lock is never stale, and two simultaneous starts cannot both get it.
 * @returns a function that releases the lock @throws CommandError while another service uses the folder, or if it cannot be written
 */
export function lockFolder(path: string): () => void {
  const ownerFile = join(path, 'service.pid');
  try {
    mkdirSync(path, { recursive: true });
    const lock = new DatabaseSync(join(path, 'service.lock'));
    lock.exec('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeFileSync(ownerFile, String(process.pid));
    return () => {
      if (lock.isOpen) lock.close();
    };
  } catch (error) {
    const reason = pathIssue(error) ?? asError(error).message;
    const owner = existsSync(ownerFile) ? ` (process ${readFileSync(ownerFile, 'utf8')})` : '';
    const issue = /locked/.test(reason)
      ? `another service${owner} is using this folder: stop it, or name another folder`
      : `the folder cannot be used (${reason}): name another folder`;
    throw new CommandError(`--db ${path}: ${issue}.`, { cause: error });
  }
}

async function choose(engine: string): Promise<EngineKind> {
  const reasons: string[] = [];
  const remedies: string[] = [];
  for (const name of keysOf(engineKinds).filter((name) => engine === 'auto' || engine === name)) {
    const kind = await engineKinds[name]();
    const missing = await kind.missing();
    if (missing === undefined) return kind;
    reasons.push(`${name} cannot run: ${missing}`);
    remedies.push(kind.remedy);
  }
  throw new CommandError(`--engine ${engine}: ${reasons.join('; ')}: ${remedies.join(', or ')}.`);
}

/** A port that was free a moment ago. Port 0 is no option, because dynoxide does not print the port that it gets. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

/**
 * An engine that is already running. Uses the caller's table, region and credentials if they are set, because the table may be a deployed
 * one.
 */
function engineAt(address: string): Engine {
  const names = [
    'LEADS_TABLE',
    'AWS_REGION',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
  ];
  const own = Object.entries(process.env).filter(([name, value]) => names.includes(name) && value);
  return {
    name: address,
    endpoint: address,
    environment: { ...environmentOf(address), ...Object.fromEntries(own) },
    ended: new Promise(() => undefined), // never resolves: another process runs the engine
    stop: async () => undefined,
  };
}

/** Neither engine checks credentials. DynamoDB Local accepts only letters and digits in the access key. */
const environmentOf = (endpoint: string): TableEnvironment => ({
  LEADS_TABLE: 'leads',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: 'ap-south-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});

/**
 * A shell that ends the engine if the service is killed: `kill -9` leaves the service no time to do so. It waits until its standard input
 * closes, which means that the service has ended. Then it kills the engine, whose process ID is `$0`.
 */
const guardCommand = 'cat; kill "$0"; sleep 2; kill -9 "$0"';
const killAfterMs = 1500;
const readyLine = /listening on (http:\/\/127\.0\.0\.1:\d+)/;

/**
 * Starts an engine that never outlives this process, and waits for its ready line.
 * @returns the engine; if it is not ready, the reason with its last output, once it has ended
 */
export async function startEngineProcess({
  command,
  args,
  readyWithinMs,
}: EngineProgram): Promise<EngineProcess | { readonly failure: string }> {
  const engine = spawn(command, args, {
    cwd: tmpdir(),
    // The engine gets its own session, so that Ctrl-C reaches only the service, which ends the engine after its last request.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (engine.pid === undefined) return { failure: String((await once(engine, 'error'))[0]) };
  const endGuard = startGuard(engine.pid);
  let output = '';
  const ready = Promise.withResolvers<{ endpoint: string }>();
  for (const stream of [engine.stderr, engine.stdout])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000);
      const endpoint = readyLine.exec(output)?.[1];
      if (endpoint) ready.resolve({ endpoint });
    });
  const ended = once(engine, 'close').then(() => {
    endGuard();
    return output.trim().split('\n').slice(-3).join(' ').slice(-500);
  });
  const stop = async (): Promise<void> => {
    engine.kill('SIGTERM');
    setTimeout(() => engine.kill('SIGKILL'), killAfterMs).unref();
    await ended;
  };
  const result = await Promise.race([
    ready.promise,
    ended.then(() => 'ended at once'),
    sleep(readyWithinMs, `not ready after ${readyWithinMs / 1000} s`, { ref: false }),
  ]);
  if (typeof result === 'object') return { ...result, ended, stop };
  await stop();
  return { failure: [result, await ended].filter(Boolean).join(': ') };
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
