import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder, startServiceProcess } from '../support/service-process.ts';
import { type Generator, generatorName, generators } from './generators.ts';
import { writePassedRun } from './passed.ts';

/**
 * `npm run generators`: three generators of clients read openapi.json, each result compiles under `strict`, and each client captures a lead
 * and is refused one, with typed details. The packages are large, so the first run installs them into a cache, and they are not part of
 * `npm test`, which only fails if openapi.json is not the one that passed here last (passed.json). `npm run generators -- orval` tries one
 * of them. Status 1 if any fails.
 */

const config = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'preserve',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
  },
  files: ['use.ts', 'run.ts'],
};
const textOf = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

/** Generates, compiles and runs one client. @throws Error with the output of the step that failed */
function tryGenerator(generator: Generator, service: readonly string[]): string {
  const { packages, generate, use } = generator;
  // The generators use the API of TypeScript 5. tsx runs what they write, which Node alone does not resolve.
  const folder = installed([...packages, 'typescript@5.9.3', 'tsx@4.20.6']);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'use.ts'), textOf(use));
  writeFileSync(join(folder, 'run.ts'), textOf('run.ts.txt'));
  const [command, ...args] = generate;
  runPackage(folder, command, args);
  runPackage(folder, 'tsc', ['-p', '.']);
  runPackage(folder, 'tsx', ['run.ts', ...service]);
  return 'generates, compiles under strict, captures a lead and reads why one was refused';
}

const cache = join(projectFolder, 'node_modules', '.cache', 'generators');

/** A folder with these packages, which only the first run installs. @param packages each with its exact version */
function installed(packages: readonly string[]): string {
  const folder = join(cache, packages.join('+').replaceAll('/', '-'));
  const complete = join(folder, 'installed');
  if (existsSync(complete)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const options = ['--silent', '--no-audit', '--no-fund', '--save-exact'];
  execFileSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: 'pipe' });
  writeFileSync(complete, '');
  return folder;
}

/** Runs a command of the packages in their folder. @throws Error with the output of a command that failed */
function runPackage(folder: string, command: string, args: readonly string[]): void {
  execFileSync(join(folder, 'node_modules', '.bin', command), args, {
    cwd: folder,
    stdio: 'pipe',
    encoding: 'utf8',
  });
}

const selection = process.argv.slice(2);
const service = await startServiceProcess();
const passed: Record<string, string> = {};
try {
  const { baseUrl, organizations } = service.ready;
  const apiKey = organizations[0]?.keys.website ?? '';
  for (const generator of generators) {
    const name = generatorName(generator);
    if (!selection.every((one) => name.includes(one))) continue;
    const startedAt = Date.now();
    try {
      passed[name] = tryGenerator(generator, [baseUrl, apiKey]);
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      console.log(`passed  ${name}: ${passed[name]} (${seconds} s)`);
    } catch (error) {
      process.exitCode = 1;
      const { stdout = '', stderr = '', message } = error as Error & Record<string, string>;
      console.log(`FAILED  ${name}: ${message}\n${stdout}${stderr}`);
    }
  }
} finally {
  await service.end();
}
if (process.exitCode !== 1 && selection.length === 0) writePassedRun(passed);
