import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import cdk from 'aws-cdk-lib/package.json' with { type: 'json' };
import { build } from 'esbuild';
import project from '../../../package.json' with { type: 'json' };
import { projectFolder } from '../../bundle/built-functions.ts';
import { buildFunctions } from '../../bundle/bundle.ts';
import { runPackageScript, writePackage } from '../../cli/npm-package.ts';
import { releaseIn } from '../release.ts';

/** `npm run package`: writes the construct, with the built functions, as a package: `dist/lead-service-VERSION.tgz`. */

/** The path without its extension. It is the same in the package, because `built-functions.ts` finds the package's folder from there. */
const entry = 'infra/stack/lead-service';
const { name, version, dependencies, devDependencies } = project;

/**
 * The construct's imports besides the CDK. They are dependencies, because bundling them would add 12 MB to each package, and an app can
 * install them from where it installs the CDK. Versions are exact, because another version could change the template.
 */
const needed = {
  dependencies: {
    'cdk-monitoring-constructs': devDependencies['cdk-monitoring-constructs'],
    valibot: dependencies.valibot,
  },
  // The CDK version of the tests or later, and the constructs version that it works with.
  peerDependencies: {
    'aws-cdk-lib': `^${devDependencies['aws-cdk-lib']}`,
    constructs: cdk.peerDependencies.constructs,
  },
  engines: { node: '>=20' },
};

/**
 * Builds the package from the current sources.
 * @returns the package's path
 * @throws Error if esbuild, the compiler or npm fails; each prints the reason on stderr
 */
export const buildPackage = (distFolder?: string): Promise<string> =>
  writePackage({
    packageJson: {
      name,
      version,
      release: releaseIn(projectFolder),
      description: 'Lead management service as a construct for apps of the AWS CDK',
      main: `./${entry}.js`,
      types: `./${entry}.d.ts`,
      ...needed,
    },
    tsconfig: join(import.meta.dirname, 'tsconfig.json'),
    addFiles: async (folder) => {
      await compileConstructs(folder);
      await buildFunctions({ distFolder: join(folder, 'dist') });
      await copyFile(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'));
    },
    distFolder,
  });

/** Compiles to one CommonJS module, which an app can import, and an app made by `cdk init` and its Jest tests can require. */
const compileConstructs = (folder: string) =>
  build({
    absWorkingDir: projectFolder,
    entryPoints: [`${entry}.ts`],
    outfile: join(folder, `${entry}.js`),
    bundle: true,
    packages: 'external',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'warning',
  });

if (import.meta.main)
  await runPackageScript('package', { subject: 'the construct', packageName: name }, buildPackage);
