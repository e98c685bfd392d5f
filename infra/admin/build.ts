import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, Message, Plugin } from 'esbuild';
import { buildFiles, stampOf } from '../bundle/build-record.ts';
import { projectFolder } from '../bundle/bundle.ts';
import { builtinsWithoutFacade, idsFromNodeCrypto } from '../bundle/esbuild-plugins.ts';
import { replaceFile } from '../bundle/replace-file.ts';

const adminFile = 'infra/admin/main.ts';
const programsFolder = join(projectFolder, 'node_modules', '.cache', 'programs');

/** A bundled module must find the files beside its source. */
const sourcePaths: Plugin = {
  name: 'source-paths',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](infra|shared)[\\/].*\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const source = await readFile(path, 'utf8');
      const contents = source
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.main', 'false');
      return { contents, loader: 'ts' };
    });
  },
};

/**
 * Bundles the admin program, with a record of what it was built from: `infra/launch/run.mjs` starts the bundle while the record holds.
 * To import the modules of a command and of the SDK one by one takes longer than most commands.
 */
export async function buildAdmin(folder: string = programsFolder): Promise<void> {
  const begunAtMs = Date.now();
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectFolder,
    entryPoints: [adminFile],
    outdir: folder,
    // A name that tells the content: a command that runs meanwhile still finds its own modules.
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: ['esbuild'],
    metafile: true,
    write: false,
    logLevel: 'silent', // the error has what it would print
    plugins: [sourcePaths, builtinsWithoutFacade, idsFromNodeCrypto],
  });
  for (const { path, contents } of outputFiles) await replaceFile(path, contents);
  const sources = Object.keys(metafile.inputs).filter((file) => /^(infra|shared)\//.test(file));
  const files = [...sources, ...(await buildFiles()), join('infra', 'admin', 'build.ts')];
  const stamps = await Promise.all(files.map(stampOf));
  // A file that changed meanwhile may be in the bundle as it was before: the next command builds again.
  if (stamps.some((stamp) => !stamp || stamp.changedAtMs >= begunAtMs)) return;
  const main = outputFiles.find(({ path }) => basename(path).startsWith('main-'));
  const record = {
    main: basename(main?.path ?? ''),
    inputs: Object.fromEntries(files.map((file, at) => [file, stamps[at]?.text])),
  };
  await replaceFile(join(folder, 'admin.json'), Buffer.from(JSON.stringify(record)));
  await removeOldFiles(folder, new Set(outputFiles.map(({ path }) => path)));
}

const keptMs = 24 * 3_600_000;

/** Removes earlier bundles that no command can still be running. */
async function removeOldFiles(folder: string, current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (current.has(file) || !name.endsWith('.mjs')) continue;
    const { mtimeMs } = await stat(file);
    if (Date.now() - mtimeMs > keptMs) await rm(file, { force: true });
  }
}

/** One sentence: the command that this follows has done what it was asked to. */
function warn(error: unknown): void {
  const [issue = error] = (error as Partial<BuildFailure>).errors ?? [];
  const reason = issue instanceof Error ? issue.message : (issue as Message).text;
  process.stderr.write(
    `Warning: the admin program was not bundled, so its commands start more slowly: ${reason}. If a package is missing, run npm ci.\n`,
  );
}

if (import.meta.main) await buildAdmin().catch(warn);
