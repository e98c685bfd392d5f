import { execFileSync } from 'node:child_process';
import { mkdir, mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CliCommand } from './command.ts';

const projectFolder = resolve(import.meta.dirname, '..', '..');

interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly [property: string]: unknown;
}

export interface PackageContent {
  readonly packageJson: PackageJson;
  /** Names the files to compile. */
  readonly tsconfig: string;
  /** Adds the files that the compiler does not write to the package's folder. */
  readonly addFiles: (folder: string) => Promise<unknown>;
  /** @default dist/ */
  readonly distFolder?: string | undefined;
}

/**
 * Writes a package as `NAME-VERSION.tgz`.
 * @returns the package's path
 * @throws Error if the compiler or npm fails; each prints the reason on stderr
 */
export async function writePackage({
  packageJson,
  tsconfig,
  addFiles,
  distFolder = join(projectFolder, 'dist'),
}: PackageContent): Promise<string> {
  const { name, version } = packageJson;
  await using temporary = await mkdtempDisposable(join(tmpdir(), `${name}-`));
  const { path: folder } = temporary;
  const tsc = join(projectFolder, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', tsconfig, '--outDir', folder], { stdio: ['ignore', 2, 2] });
  await nameCompiledFiles(folder);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packageJson, null, 2)}\n`);
  await addFiles(folder);
  await mkdir(distFolder, { recursive: true });
  execFileSync('npm', ['pack', '--pack-destination', distFolder, '--silent'], { cwd: folder });
  return join(distFolder, `${name}-${version}.tgz`);
}

/** Replaces `.ts` in the imports of declarations, which the compiler leaves there, with the names of the package's files. */
async function nameCompiledFiles(folder: string): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  for (const name of files.filter((one) => one.endsWith('.d.ts'))) {
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace(/(from '\.[\w./-]+)\.ts'/g, "$1.js'"));
  }
}

/** Runs a script of package.json that writes a package, and prints the package's path and size. */
export async function runPackageScript(
  script: string,
  { subject, packageName }: { readonly subject: string; readonly packageName: string },
  write: () => Promise<string>,
): Promise<void> {
  const written = `dist/${packageName}-VERSION.tgz`;
  new CliCommand(`npm run ${script} --`)
    .description(`write ${subject} as ${written}`)
    .addHelpText('after', `\nExample:\n  npm run ${script} && npm install ./${written}`)
    .parse();
  const file = await write();
  const { size } = await stat(file);
  console.log(`${file} (${(size / 1000).toFixed(1)} KB)`);
}
