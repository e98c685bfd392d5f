import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { posix } from 'node:path/posix';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';
import { endpoints } from '../../../shared/endpoints.ts';
import { type Packages, sharedPackages } from './packages.ts';
import { ownGlobals } from './process-globals.ts';

/** Evaluates a program with all project modules that it imports, anew, as a new process does. @returns its exports */
export type Program = () => unknown;

export interface ProgramOptions {
  /** Changes a module's source text, to run another version of the code. The path is relative to the project's folder. */
  readonly change?: (path: string, text: string) => string;
}

/** Every function; a process evaluates the modules of the endpoint that it serves. */
const functionsSource = `export const handlers = { ${endpoints
  .map(({ name }) => `'${name}': () => import(${JSON.stringify(`./functions/${name}.ts`)})`)
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
 * Reads and compiles a source text in the project's folder and the modules that it imports, directly or not. Each is a function of its
 * surroundings, as every CommonJS module is one for Node.js, so that each process has modules of its own.
 */
export async function readProgram(
  source: string,
  { change = (_path, text) => text }: ProgramOptions = {},
): Promise<Program> {
  const packages = await sharedPackages();
  const modules = new Map<string, CompiledModule>();
  const seen = new Set([entryPath]);
  const read = async (path: string, text: string): Promise<void> => {
    const module = await compiled(path, text);
    modules.set(path, module);
    const unread = [...module.paths.values()].filter((one) => !seen.has(one));
    for (const one of unread) seen.add(one);
    await Promise.all(unread.map(async (one) => read(one, change(one, await textOf(one)))));
  };
  await read(entryPath, source);
  return () => evaluate(modules, packages);
}

/** Evaluates the entry, and each module the first time it is imported. */
function evaluate(modules: ReadonlyMap<string, CompiledModule>, packages: Packages): object {
  const evaluated = new Map<string, object>();
  const { getBuiltinModule } = ownGlobals.process as NodeJS.Process;
  const importFrom =
    ({ paths }: CompiledModule) =>
    (name: string): unknown => {
      const path = paths.get(name);
      if (path !== undefined) return load(path);
      if (isBuiltin(name)) return getBuiltinModule(name);
      if (!packages[name]) throw new Error(`Add ${name} to the packages in packages.ts.`);
      return packages[name];
    };
  const load = (path: string): object => {
    const known = evaluated.get(path);
    if (known) return known;
    const compiledModule = modules.get(path) as CompiledModule;
    const module = { exports: {} };
    evaluated.set(path, module.exports);
    compiledModule.run(module, importFrom(compiledModule), ...globalValues);
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
  /** The paths of the project modules that it imports, by the names it imports them under. */
  readonly paths: ReadonlyMap<string, string>;
}

const parameters = ['module', 'require', ...Object.keys(ownGlobals)];
const globalValues = Object.values(ownGlobals);
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
  const names = [...code.matchAll(/\brequire\("(\.[^"]+)"\)/g)].map(([, name = '']) => name);
  const paths = names.map((name) => [name, posix.join(posix.dirname(path), name)] as const);
  return { run, paths: new Map(paths) };
}

const texts = new Map<string, Promise<string>>();
function textOf(path: string): Promise<string> {
  const known = texts.get(path) ?? readFile(join(projectFolder, path), 'utf8');
  texts.set(path, known);
  return known;
}

export const projectFolder = join(import.meta.dirname, '../../..');
