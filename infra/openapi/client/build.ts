import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CliCommand } from '../../cli/command.ts';

/** `npm run client`: writes the client's package, `dist/lead-service-client-VERSION.tgz`. */

const projectFolder = resolve(import.meta.dirname, '../../..');
const clientFolder = join(projectFolder, 'shared', 'client');

const description =
  'Typed client of the lead management service: every endpoint, retries, paging, syncing, and an outbox for enquiries';

function packageJson(version: string): object {
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  return {
    name: 'lead-service-client',
    version,
    description,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20.16' },
    exports: {
      '.': entry('client'),
      './outbox': entry('outbox'),
      './package.json': './package.json',
    },
  };
}

/**
 * Builds the package from the sources as they are.
 * @returns the package's path
 * @throws Error if the compiler or npm fails, which say why on stderr
 */
export async function buildClient(
  distFolder: string = join(projectFolder, 'dist'),
): Promise<string> {
  const { version }: { version: string } = JSON.parse(
    await readFile(join(projectFolder, 'package.json'), 'utf8'),
  );
  const folder = await mkdtemp(join(tmpdir(), 'lead-service-client-'));
  try {
    const tsc = join(projectFolder, 'node_modules', '.bin', 'tsc');
    const project = join(import.meta.dirname, 'tsconfig.json');
    execFileSync(tsc, ['-p', project, '--outDir', folder], { stdio: ['ignore', 2, 2] });
    await nameCompiledFiles(folder);
    const content = `${JSON.stringify(packageJson(version), null, 2)}\n`;
    await writeFile(join(folder, 'package.json'), content);
    await copyFile(join(clientFolder, 'README.md'), join(folder, 'README.md'));
    await mkdir(distFolder, { recursive: true });
    execFileSync('npm', ['pack', '--pack-destination', distFolder, '--silent'], { cwd: folder });
    return join(distFolder, `lead-service-client-${version}.tgz`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The compiler leaves `.ts` in the imports of declarations. Those of a package name the files that it has. */
async function nameCompiledFiles(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.d.ts'))) {
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
  }
}

if (import.meta.main) {
  new CliCommand('npm run client --')
    .description('write the typed client as dist/lead-service-client-VERSION.tgz')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      `\nExample:\n  npm run client && npm install ./dist/lead-service-client-VERSION.tgz`,
    )
    .parse();
  const file = await buildClient();
  const { size } = await stat(file);
  console.log(`${file} (${(size / 1000).toFixed(1)} KB)`);
}
