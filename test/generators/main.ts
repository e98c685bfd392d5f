import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiFile } from '../../infra/openapi/document.ts';
import { startServiceProcess } from '../support/service-process.ts';

/**
 * `npm run generators`: three generators of clients read openapi.json, each result compiles under `strict`, and each client captures a lead
 * and is refused one, with typed details. The packages are about 300 MB, so they are installed into a temporary folder and are not part of
 * `npm test`. Status 1 if any fails.
 */
interface Generator {
  readonly name: string;
  readonly packages: readonly string[];
  readonly generate: readonly string[];
  /** A file here. It has `capture(baseUrl, apiKey, body)`, which returns the reason of a refused phone, or the lead's ID. */
  readonly use: string;
}

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript with openapi-fetch',
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0'],
    generate: ['openapi-typescript', openApiFile, '-o', 'api.d.ts'],
    use: 'openapi-fetch.ts.txt',
  },
  {
    name: '@hey-api/openapi-ts',
    packages: ['@hey-api/openapi-ts@0.99.0'],
    generate: ['openapi-ts', '-i', openApiFile, '-o', 'api'],
    use: 'hey-api.ts.txt',
  },
  {
    name: 'orval',
    packages: ['orval@7.21.0'],
    generate: ['orval', '--input', openApiFile, '--output', './api.ts', '--client', 'fetch'],
    use: 'orval.ts.txt',
  },
];

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
function tryGenerator({ packages, generate, use }: Generator, service: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'generator-'));
  const run = (command: string, args: readonly string[]): void =>
    void execFileSync(command, args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    // The generators use the API of TypeScript 5. tsx runs what they write, which Node alone does not resolve.
    const all = [...packages, 'typescript@5.9.3', 'tsx@4.20.6'];
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...all]);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(folder, 'use.ts'), textOf(use));
    writeFileSync(join(folder, 'run.ts'), textOf('run.ts.txt'));
    run('npx', generate);
    run('npx', ['tsc', '-p', '.']);
    run('npx', ['tsx', 'run.ts', ...service]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const service = await startServiceProcess(['--port', '0', '--db', ':memory:']);
try {
  const { baseUrl, organizations } = service.ready;
  const apiKey = organizations[0]?.keys.website ?? '';
  for (const generator of generators) {
    const startedAt = Date.now();
    try {
      tryGenerator(generator, [baseUrl, apiKey]);
      console.log(`passed  ${generator.name} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
    } catch (error) {
      process.exitCode = 1;
      const { stdout = '', stderr = '', message } = error as Error & Record<string, string>;
      console.log(`FAILED  ${generator.name}: ${message}\n${stdout}${stderr}`);
    }
  }
} finally {
  await service.end();
}
