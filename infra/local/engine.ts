import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { takeDataFolder } from './data-folder.ts';
import { dynamodbLocal } from './dynamodb-local.ts';
import { dynoxide } from './dynoxide.ts';
import { ProcessStartError, type Started } from './guarded-process.ts';
import { StartError } from './start-error.ts';

/** A DynamoDB engine that can be run here: DynamoDB Local or dynoxide. */
export interface EngineKind {
  readonly name: 'dynoxide' | 'dynamodb-local';
  /** What would make it run, as the end of a sentence. */
  readonly remedy: string;
  /** What starts it, or the reason why it cannot run on this machine. */
  find(): Promise<EngineCommand | { readonly missing: string }>;
}

export interface EngineCommand {
  /** Starts it on 127.0.0.1; the match's first group is its address. */
  start(where: { readonly folder: string; readonly inMemory: boolean; readonly pidFile?: string }): Promise<Started>;
}

/** What the AWS SDK needs to reach the table: the functions' environment, and the ready line's. */
export type TableEnvironment = Readonly<
  Record<'LEADS_TABLE' | 'AWS_ENDPOINT_URL_DYNAMODB' | 'AWS_REGION' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>
>;

export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  readonly environment: TableEnvironment;
  /** Settles, with the engine's last words, when it ends without being asked to; never for an address. */
  readonly died: Promise<string>;
  /** Ends the engine that was started, and lets go of its folder; does nothing to an address. */
  stop(): Promise<void>;
}

export const inMemory = ':memory:';
const kinds: readonly EngineKind[] = [dynoxide, dynamodbLocal];
/** A port may be taken between the choice and its use. */
const triesToStart = 5;

/**
 * Starts the DynamoDB engine that `--engine` names: `auto`, `dynoxide`, `dynamodb-local`, or an address that is used as it is.
 * @param dataFolder where the data lies between runs, or `:memory:`
 * @throws StartProblem naming what would make it run
 */
export async function startEngine({ engine, dataFolder }: { engine: string; dataFolder: string }): Promise<Engine> {
  if (/^https?:\/\//.test(engine)) return engineAt(engine);
  const { kind, command } = await choose(engine);
  if (dataFolder === inMemory) {
    const folder = mkdtempSync(join(tmpdir(), 'lead-service-'));
    const forget = (): void => rmSync(folder, { recursive: true, force: true });
    return run(kind, () => command.start({ folder, inMemory: true }), forget);
  }
  const folder = await takeDataFolder(resolve(dataFolder), kind.name);
  return run(kind, () => command.start({ folder: folder.path, inMemory: false, pidFile: folder.pidFile }), folder.release);
}

async function choose(engine: string): Promise<{ kind: EngineKind; command: EngineCommand }> {
  const asked = engine === 'auto' ? kinds : kinds.filter(({ name }) => name === engine);
  if (asked.length === 0) {
    throw new StartError(
      `--engine ${engine}: there is no such engine: use auto, dynoxide, dynamodb-local or an address (http://…).`,
    );
  }
  const reasons: string[] = [];
  for (const kind of asked) {
    const found = await kind.find();
    if ('start' in found) return { kind, command: found };
    reasons.push(`${kind.name} cannot run: ${found.missing}`);
  }
  throw new StartError(`--engine ${engine}: ${reasons.join('; ')}: ${asked.map(({ remedy }) => remedy).join(', or ')}.`);
}

async function run(kind: EngineKind, start: () => Promise<Started>, release: () => void): Promise<Engine> {
  for (let tries = 1; ; tries++) {
    try {
      const { process: running, ready } = await start();
      const endpoint = ready[1];
      if (!endpoint) throw new Error(`The ready line of ${kind.name} names no address.`);
      let stopping = false;
      return {
        name: kind.name,
        endpoint,
        environment: environmentOf(endpoint),
        died: new Promise((settle) => {
          void running.ended.then((words) => {
            if (!stopping) settle(words);
          });
        }),
        async stop() {
          stopping = true;
          await running.stop();
          release();
        },
      };
    } catch (error) {
      const portTaken = error instanceof ProcessStartError && /in use|EADDRINUSE|Address already/i.test(error.said);
      if (portTaken && tries < triesToStart) continue;
      release();
      if (error instanceof ProcessStartError) throw new StartError(`The engine ${kind.name} cannot start: ${error.message}.`);
      throw error;
    }
  }
}

/** An engine that is there already. Region and credentials are the caller's own where set: it may be a deployed table. */
function engineAt(address: string): Engine {
  if (!URL.canParse(address)) {
    throw new StartError(`--engine ${address}: this is not an address: write it as http://127.0.0.1:8000.`);
  }
  const { LEADS_TABLE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  const own = { LEADS_TABLE, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN };
  const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value));
  return {
    name: address,
    endpoint: address,
    environment: { ...environmentOf(address), ...set },
    died: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

/** Neither engine checks credentials; DynamoDB Local wants the access key to be of letters and digits. */
const environmentOf = (endpoint: string): TableEnvironment => ({
  LEADS_TABLE: 'leads',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: 'ap-south-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
});
