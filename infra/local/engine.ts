import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type DataFolder, takeDataFolder } from './data-folder.ts';
import { type EngineProcess, EngineStartError, startEngineProcess } from './engine-process.ts';
import { type EngineKind, type EngineProgram, engineKinds } from './engines.ts';
import { StartError } from './start-error.ts';
import type { TableEnvironment } from './table.ts';

export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  readonly environment: TableEnvironment;
  /** Settles with the last output of the engine when the engine ends by itself; never for an address. */
  readonly died: Promise<string>;
  /** Ends an engine that was started, and releases its data folder; does nothing to an address. */
  stop(): Promise<void>;
}

export const inMemory = ':memory:';
/** Another process may take the chosen port before the engine does. */
const startAttemptsMax = 5;

/**
 * Starts the DynamoDB engine that `--engine` names: `auto`, `dynoxide`, `dynamodb-local`, or an address that is used as it is.
 * @param dataFolder keeps the data between runs, or `:memory:`
 * @throws StartError that says how to make an engine run
 */
export async function startEngine({
  engine,
  dataFolder,
}: {
  engine: string;
  dataFolder: string;
}): Promise<Engine> {
  if (/^https?:\/\//.test(engine)) return engineAt(engine);
  const { name, program } = await choose(engine);
  const isKept = dataFolder !== inMemory;
  const data = isKept ? await takeDataFolder(resolve(dataFolder), name) : temporaryFolder();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const place = { port: await freePort(), folder: data.path, inMemory: !isKept };
      const engine = await startEngineProcess({
        ...program,
        args: program.args(place),
        cwd: data.path,
        pidFile: data.pidFile,
      });
      return runningEngine(name, engine, data.release);
    } catch (error) {
      const isPortTaken = /in use|EADDRINUSE|Address already/i.test(String(error));
      if (isPortTaken && attempt < startAttemptsMax) continue;
      data.release();
      if (!(error instanceof EngineStartError)) throw error;
      throw new StartError(`The engine ${name} cannot start: ${error.message}.`, { cause: error });
    }
  }
}

async function choose(
  engine: string,
): Promise<{ name: EngineKind['name']; program: EngineProgram }> {
  const candidates = engineKinds.filter(({ name }) => engine === 'auto' || engine === name);
  if (candidates.length === 0) {
    throw new StartError(
      `--engine ${engine}: there is no such engine: use auto, dynoxide, dynamodb-local or an address (http://…).`,
    );
  }
  const reasons: string[] = [];
  for (const { name, find } of candidates) {
    const found = await find();
    if ('command' in found) return { name, program: found };
    reasons.push(`${name} cannot run: ${found.missing}`);
  }
  throw new StartError(
    `--engine ${engine}: ${reasons.join('; ')}: ${candidates.map(({ remedy }) => remedy).join(', or ')}.`,
  );
}

function temporaryFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'lead-service-'));
  const release = (): void => rmSync(path, { recursive: true, force: true });
  return { path, pidFile: join(path, 'engine.pid'), release };
}

/** A port that was free a moment ago: with port 0, dynoxide does not print the port that it got. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

function runningEngine(
  name: string,
  { endpoint, ended, stop }: EngineProcess,
  release: () => void,
): Engine {
  let isStopping = false;
  const died = Promise.withResolvers<string>();
  void ended.then((lastOutput) => {
    if (!isStopping) died.resolve(lastOutput);
  });
  return {
    name,
    endpoint,
    environment: environmentOf(endpoint),
    died: died.promise,
    async stop() {
      isStopping = true;
      await stop();
      release();
    },
  };
}

/** A running engine. Uses the caller's own table, region and credentials if they are set: it may be a deployed table. */
function engineAt(address: string): Engine {
  if (!URL.canParse(address)) {
    throw new StartError(
      `--engine ${address}: this is not an address: write it as http://127.0.0.1:8000.`,
    );
  }
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
    died: new Promise(() => undefined),
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
