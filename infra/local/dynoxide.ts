import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { errorCode } from '../cli/error-code.ts';
import type { EngineKind } from './engine-kind.ts';
import { startGuarded } from './guarded-process.ts';

const platformPackage = `@dynoxide/${process.platform}-${process.arch}`;

/**
 * Dynoxide: a native DynamoDB emulator on SQLite, with an npm package per platform. A `dynoxide` on the PATH works too. Acknowledged
 * writes survive a `kill -9`.
 */
export const dynoxide: EngineKind = {
  name: 'dynoxide',
  remedy: `install dynoxide (npm install --no-save ${platformPackage}, or put dynoxide on the PATH)`,
  async find() {
    const binary = packagedBinary() ?? binaryOnPath();
    if (!binary)
      return {
        missing: `the package ${platformPackage} is not installed and dynoxide is not on the PATH`,
      };
    return {
      async start({ folder, inMemory, pidFile }) {
        const port = String(await freePort());
        const data = inMemory ? [] : ['--db-path', join(folder, 'leads.sqlite')];
        return startGuarded({
          command: binary,
          args: ['serve', '--host', '127.0.0.1', '--port', port, ...data],
          cwd: folder,
          ...(pidFile ? { pidFile } : {}),
          readyPattern: /listening on (http:\/\/127\.0\.0\.1:\d+)/,
          readyWithinMs: 10_000,
        });
      },
    };
  },
};

function packagedBinary(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${platformPackage}/package.json`);
    const binary = join(
      dirname(manifest),
      process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide',
    );
    return existsSync(binary) ? binary : undefined;
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function binaryOnPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, 'dynoxide')).find((file) => existsSync(file));
}

/** A port that was free a moment ago: with port 0, dynoxide does not print the port that it got. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening, failed) =>
    probe.once('error', failed).listen(0, '127.0.0.1', listening),
  );
  const address = probe.address();
  await new Promise((closed) => probe.close(closed));
  if (address === null || typeof address === 'string')
    throw new Error('A TCP listener has no port.');
  return address.port;
}
