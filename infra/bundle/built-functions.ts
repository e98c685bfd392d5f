import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where the built functions are. The stack needs only these files, so the construct's package works without esbuild. */

/** The folder with package.json, in a checkout or in the installed package (infra/stack/package/build.ts). */
export const projectFolder = resolve(import.meta.dirname, '..', '..');
export const distFolder = join(projectFolder, 'dist');

/**
 * Lambda finds this file by the handler setting `index.handler`. Its source map, `index.mjs.map`, lies beside it, so that a function can
 * log source lines (shared/observability/log.ts).
 */
export const bundleFile = 'index.mjs';

/** The folder that is uploaded for a function. */
export const bundleFolder = (name: string): string => join(distFolder, name);

/** The function that publishes events: it serves no endpoint. */
export const publisherName = 'publish-events';
/** The function that calls the service's public address: it serves no endpoint either. */
export const heartbeatName = 'heartbeat';

const releaseDigits = 12;

/** Names a bundle by its content. The function's environment has the name, and the function logs it with each error. */
export const releaseOf = (code: Uint8Array): string => hash('sha256', code).slice(0, releaseDigits);

/** The name of a function's built bundle, as its log lines will show it. */
export const builtRelease = (name: string): string =>
  releaseOf(readFileSync(join(bundleFolder(name), bundleFile)));
