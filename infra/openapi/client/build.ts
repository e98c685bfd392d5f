import { execFile } from 'node:child_process';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CliCommand } from '../../cli/command.ts';

/** `npm run client`: writes the client's package, `dist/lead-service-client-VERSION.tgz`. */

const run = promisify(execFile);
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
 * Builds the package from the sources as they are. Safe while another build runs: the file is replaced by a rename.
 * @returns the package's path
 * @throws Error with the compiler's lines, or npm's
 */
export async function buildClient(
  distFolder: string = join(projectFolder, 'dist'),
): Promise<string> {
  const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const folder = await mkdtemp(join(tmpdir(), 'lead-service-client-'));
  try {
    const content = join(folder, 'package');
    await mkdir(content);
    await compile(content);
    await nameCompiledFiles(content);
    await writeFile(
      join(content, 'package.json'),
      `${JSON.stringify(packageJson(version), null, 2)}\n`,
    );
    await copyFile(join(clientFolder, 'README.md'), join(content, 'README.md'));
    await run('npm', ['pack', '--pack-destination', folder, '--silent'], { cwd: content });
    await mkdir(distFolder, { recursive: true });
    const name = `lead-service-client-${version}.tgz`;
    const file = join(distFolder, name);
    const part = `${file}.${process.pid}.part`;
    await copyFile(join(folder, name), part); // the temporary folder may be on another disk
    await rename(part, file);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compile(outFolder: string): Promise<void> {
  const tsc = join(projectFolder, 'node_modules', '.bin', 'tsc');
  const project = join(import.meta.dirname, 'tsconfig.json');
  try {
    await run(tsc, ['-p', project, '--outDir', outFolder]);
  } catch (error) {
    const lines =
      error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(`The client does not compile:\n${lines}`);
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
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse();
  const file = await buildClient();
  const { size } = await stat(file);
  console.log(`${file} (${(size / 1000).toFixed(1)} KB)`);
}
