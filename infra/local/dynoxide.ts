import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const nodeModules = join(import.meta.dirname, '..', '..', 'node_modules');
const platformPackage = `@dynoxide/${process.platform}-${process.arch}`;
export const dynoxideBinary = join(nodeModules, platformPackage, 'dynoxide');

/** An engine's program. It prints `listening on` and its address. */
export interface EngineProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly readyWithinMs: number;
}

/** A DynamoDB engine that this machine may be able to run. */
export interface EngineKind {
  readonly name: 'dynoxide' | 'dynamodb-local';
  /** How to make the engine run; completes a sentence. */
  readonly remedy: string;
  /** Why this machine cannot run the engine; undefined if it can. */
  readonly missing: () => Promise<string | undefined>;
  /**
   * @param port a free port; DynamoDB Local ignores it and chooses another
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
