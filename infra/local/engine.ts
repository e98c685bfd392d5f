import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { takeDataFolder } from './data-folder.ts';
import { dynamodbLocal } from './dynamodb-local.ts';
import { dynoxide } from './dynoxide.ts';
import type { EngineCommand, EngineKind } from './engine-kind.ts';
import { ProcessStartError, type StartedProcess } from './guarded-process.ts';
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
const kinds: readonly EngineKind[] = [dynoxide, dynamodbLocal];
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
  const { kind, command } = await choose(engine);
  if (dataFolder === inMemory) {
    const folder = mkdtempSync(join(tmpdir(), 'lead-service-'));
    const remove = (): void => rmSync(folder, { recursive: true, force: true });
    return run(kind, () => command.start({ folder, inMemory: true }), remove);
  }
  const folder = await takeDataFolder(resolve(dataFolder), kind.name);
  return run(
    kind,
    () => command.start({ folder: folder.path, inMemory: false, pidFile: folder.pidFile }),
    folder.release,
  );
}

async function choose(engine: string): Promise<{ kind: EngineKind; command: EngineCommand }> {
  const candidates = engine === 'auto' ? kinds : kinds.filter(({ name }) => name === engine);
  if (candidates.length === 0) {
    throw new StartError(
      `--engine ${engine}: there is no such engine: use auto, dynoxide, dynamodb-local or an address (http://…).`,
    );
  }
  const reasons: string[] = [];
  for (const kind of candidates) {
    const found = await kind.find();
    if ('start' in found) return { kind, command: found };
    reasons.push(`${kind.name} cannot run: ${found.missing}`);
  }
  throw new StartError(
    `--engine ${engine}: ${reasons.join('; ')}: ${candidates.map(({ remedy }) => remedy).join(', or ')}.`,
  );
}

/** @param release is called when the engine has ended, or cannot start */
async function run(
  kind: EngineKind,
  start: () => Promise<StartedProcess>,
  release: () => void,
): Promise<Engine> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return runningEngine(kind, await start(), release);
    } catch (error) {
      if (isPortTaken(error) && attempt < startAttemptsMax) continue;
      release();
      if (!(error instanceof ProcessStartError)) throw error;
      throw new StartError(`The engine ${kind.name} cannot start: ${error.message}.`, {
        cause: error,
      });
    }
  }
}

const isPortTaken = (error: unknown): boolean =>
  error instanceof ProcessStartError && /in use|EADDRINUSE|Address already/i.test(error.output);

function runningEngine(
  kind: EngineKind,
  { process: running, ready }: StartedProcess,
  release: () => void,
): Engine {
  const endpoint = ready[1];
  if (!endpoint) throw new Error(`The ready line of ${kind.name} has no address.`);
  let isStopping = false;
  return {
    name: kind.name,
    endpoint,
    environment: environmentOf(endpoint),
    died: new Promise((settle) => {
      void running.ended.then((lastOutput) => {
        if (!isStopping) settle(lastOutput);
      });
    }),
    async stop() {
      isStopping = true;
      await running.stop();
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
  const { LEADS_TABLE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } =
    process.env;
  const own = {
    LEADS_TABLE,
    AWS_REGION,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
    AWS_SESSION_TOKEN,
  };
  const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value));
  return {
    name: address,
    endpoint: address,
    environment: { ...environmentOf(address), ...set },
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
