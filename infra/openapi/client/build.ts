import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import project from '../../../package.json' with { type: 'json' };
import { runPackageScript, writePackage } from '../../cli/npm-package.ts';

/** `npm run client`: writes the client's package, `dist/lead-service-client-VERSION.tgz`. */

const clientFolder = resolve(import.meta.dirname, '../../../shared/client');
const name = 'lead-service-client';
const exported = (file: string) => ({
  types: `./client/${file}.d.ts`,
  default: `./client/${file}.js`,
});

/**
 * Builds the package from the current sources.
 * @returns the package's path
 * @throws Error if the compiler or npm fails; each prints the reason on stderr
 */
export const buildClient = (distFolder?: string): Promise<string> =>
  writePackage({
    packageJson: {
      name,
      version: project.version,
      description:
        'Typed client of the lead management service: every endpoint, retries, paging, syncing, and an outbox for enquiries',
      type: 'module',
      sideEffects: false,
      engines: { node: '>=20.16' },
      exports: {
        '.': exported('client'),
        './outbox': exported('outbox'),
        './package.json': './package.json',
      },
    },
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    addFiles: (folder) => copyFile(join(clientFolder, 'README.md'), join(folder, 'README.md')),
    distFolder,
  });

if (import.meta.main)
  await runPackageScript('client', { subject: 'the typed client', packageName: name }, buildClient);
