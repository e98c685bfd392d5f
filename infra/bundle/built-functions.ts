import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The built functions. The stack needs only these files, so the package of the construct works without esbuild. */

/** The folder of package.json: of the checkout, or of the installed package (infra/package/package.ts). */
export const projectFolder = resolve(import.meta.dirname, '..', '..');
export const distFolder = join(projectFolder, 'dist');

/** Lambda finds it by the handler setting `index.handler`. Beside it is its source map, `index.mjs.map`, by which a function logs source lines (shared/observability/log.ts). */
export const bundleFile = 'index.mjs';

/** The folder that is uploaded for a function. */
export const bundleFolder = (name: string): string => join(distFolder, name);

/** The function that publishes events: it serves no endpoint. */
export const publisherName = 'publish-events';
/** The function that calls the service's public address: it serves no endpoint either. */
export const heartbeatName = 'heartbeat';

const releaseDigits = 12;

/** Names a bundle by its content. The function has the name in its environment, and the lines of its errors have it. */
export const releaseOf = (code: Uint8Array): string => hash('sha256', code).slice(0, releaseDigits);

/** Which bundle of a function is built, as its log lines will say. */
export const builtRelease = (name: string): string =>
  releaseOf(readFileSync(join(bundleFolder(name), bundleFile)));
