import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { posix } from 'node:path/posix';
import { compileFunction } from 'node:vm';
import { build, transform } from 'esbuild';
import { endpoints } from '../../../shared/endpoints.ts';
import { type Packages, sharedPackages } from './packages.ts';
import { ownGlobals } from './process.ts';

/** The exports of a program, evaluated anew with all modules of the project that it imports, as a process that starts evaluates them. */
export type Program = () => Exports;

/** Changes a module's source text. The path is relative to the project's folder. */
export type ChangeSource = (path: string, text: string) => string;

export interface ProgramOptions {
  /** For another version of the code. */
  readonly change?: ChangeSource;
}

/** Every function; a process evaluates the modules of the endpoint that it serves. */
const functionsSource = `export const handlers = { ${endpoints
  .map(
    ({ name }) =>
      `${JSON.stringify(name)}: () => import(${JSON.stringify(`./functions/${name}.ts`)})`,
  )
  .join(', ')} };`;

/** What an administrator's process evaluates. */
const administrationSource = `export { openTable, runCommand } from './test/simulation/administration.ts';`;

/** The code of a service, read once and evaluated in as many processes as a simulation has. */
export interface ServicePrograms {
  readonly functions: Program;
  readonly administration: Program;
}

export async function readService(options: ProgramOptions = {}): Promise<ServicePrograms> {
  const [functions, administration] = await Promise.all([
    readProgram(functionsSource, options),
    readProgram(administrationSource, options),
  ]);
  return { functions, administration };
}

const entryPath = 'entry.ts';

/**
 * Reads and compiles the modules that a source text imports, in the project's folder. Each is a function of its surroundings, as every
 * CommonJS module is one for Node.js, so that each process has modules of its own.
 */
export async function readProgram(
  source: string,
  { change = (_path, text) => text }: ProgramOptions = {},
): Promise<Program> {
  const paths = await modulesOf(source);
  const read = async (path: string): Promise<[string, CompiledModule]> => [
    path,
    await compiled(path, path === entryPath ? source : change(path, await textOf(path))),
  ];
  const [packages, modules] = await Promise.all([
    sharedPackages(),
    Promise.all([entryPath, ...paths].map(read)),
  ]);
  const compiledModules = new Map(modules);
  return () => evaluate(compiledModules, packages);
}

type Exports = Readonly<Record<string, unknown>>;

/** Evaluates the entry, and each module the first time it is imported. */
function evaluate(modules: ReadonlyMap<string, CompiledModule>, packages: Packages): Exports {
  const evaluated = new Map<string, Exports>();
  const { getBuiltinModule } = ownGlobals.process as NodeJS.Process;
  const importFrom =
    ({ imported }: CompiledModule) =>
    (name: string): unknown => {
      const path = imported(name);
      if (path !== undefined) return load(path);
      if (isBuiltin(name)) return getBuiltinModule(name);
      if (!packages[name]) throw new Error(`Add ${name} to the packages in packages.ts.`);
      return packages[name];
    };
  const load = (path: string): Exports => {
    const known = evaluated.get(path);
    if (known) return known;
    const found = modules.get(path);
    if (!found) throw new Error(`${path} was not read: only what the unchanged source imports is.`);
    const module = { exports: {} };
    evaluated.set(path, module.exports);
    found.run(module, importFrom(found), ...Object.values(ownGlobals));
    evaluated.set(path, module.exports);
    return module.exports;
  };
  return load(entryPath);
}

interface CompiledModule {
  readonly run: (
    module: { exports: object },
    require: (name: string) => unknown,
    ...globals: readonly unknown[]
  ) => void;
  /** The path of a module of the project that it imports by a name; undefined for a package. */
  readonly imported: (name: string) => string | undefined;
}

const parameters = ['module', 'require', ...Object.keys(ownGlobals)];
const compiledModules = new Map<string, Promise<CompiledModule>>();

/** Compiled once for each text of a module. */
function compiled(path: string, text: string): Promise<CompiledModule> {
  const id = `${path}\n${text}`;
  const known = compiledModules.get(id) ?? compile(path, text);
  compiledModules.set(id, known);
  return known;
}

async function compile(path: string, text: string): Promise<CompiledModule> {
  const { code } = await transform(text, {
    loader: path.endsWith('.json') ? 'json' : 'ts',
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    supported: { 'dynamic-import': false }, // it becomes `require`
    charset: 'utf8',
    sourcefile: path,
  });
  const run = compileFunction(code, parameters, { filename: path }) as CompiledModule['run'];
  return { run, imported: importsFrom(path) };
}

/** Joined once for all processes: it took a tenth of a cold start. */
function importsFrom(importer: string): CompiledModule['imported'] {
  const paths = new Map<string, string>();
  return (name) => {
    if (!name.startsWith('.')) return undefined;
    const path = paths.get(name) ?? posix.join(posix.dirname(importer), name);
    paths.set(name, path);
    return path;
  };
}

const texts = new Map<string, Promise<string>>();
function textOf(path: string): Promise<string> {
  const known = texts.get(path) ?? readFile(join(projectFolder, path), 'utf8');
  texts.set(path, known);
  return known;
}

const pathsOf = new Map<string, Promise<readonly string[]>>();

/** The project's modules that a source text imports, directly or not. */
function modulesOf(source: string): Promise<readonly string[]> {
  const known = pathsOf.get(source) ?? findModules(source);
  pathsOf.set(source, known);
  return known;
}

async function findModules(source: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: {
      contents: source,
      resolveDir: projectFolder,
      sourcefile: entryPath,
      loader: 'ts',
    },
    absWorkingDir: projectFolder,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outdir: 'out',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs).filter((path) => path !== entryPath);
}

export const projectFolder = join(import.meta.dirname, '../../..');
