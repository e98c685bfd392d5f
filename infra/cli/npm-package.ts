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
  /** Says what is compiled. */
  readonly tsconfig: string;
  /** Puts into the package's folder what the compiler does not write. */
  readonly addFiles: (folder: string) => Promise<unknown>;
  /** @default dist/ */
  readonly distFolder?: string | undefined;
}

/**
 * Writes a package as `NAME-VERSION.tgz`.
 * @returns its path
 * @throws Error if the compiler or npm fails, which say why on stderr
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

/** The compiler leaves `.ts` in the imports of declarations. Those of a package name the files that it has. */
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
