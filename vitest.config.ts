import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { writtenTag } from './test/contract/written-tag.ts';
import { contractTests, engineTests, type Project, serviceTests, slowTests } from './test/parts.ts';

// Node.js keeps what it has compiled: each test file, and each program that a test starts, is a process that would compile its modules again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/** Tests in a process of their own; those that start programs do so themselves. */
const inProcess = (name: Project, include: readonly string[], exclude: readonly string[]) =>
  ({
    test: {
      name,
      include: [...include],
      exclude: [...exclude],
      // Ends a test that hangs. On a busy machine, a test that starts several programs takes half a minute.
      testTimeout: 60_000,
      hookTimeout: 60_000, // a hook that bundles every function takes more than Vitest's ten seconds there
      // They poll what other processes do, which a busy machine may delay; Vitest gives them one second.
      expect: { poll: { timeout: 10_000 } },
      // The CDK validates a template for seconds in each process; `cdk synth` and test/infra/stack/checks.test.ts validate it too.
      env: { CDK_VALIDATION: 'false' },
    },
  }) satisfies TestProjectInlineConfiguration;

/** Tests that call the built functions through the local gateway, on an engine. */
const onEngine = (name: Project, include: readonly string[], exclude: readonly string[] = []) =>
  ({
    test: {
      name,
      include: [...include],
      exclude: [...exclude],
      globalSetup: ['test/support/engine.ts'],
      // Ends a test that hangs. On a very busy machine, `verify --write` alone takes more than two minutes.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // A busy machine may delay the tests' own calls to an engine that others use in parallel.
      env: { DYNAMODB_TIMEOUT_MS: '20000', CDK_VALIDATION: 'false' },
      tags: [writtenTag],
    },
  }) satisfies TestProjectInlineConfiguration;

export default defineConfig({
  test: {
    // Two kept two cores busy for 70 % of the time: a test also waits for engines and other processes.
    maxWorkers: 3,
    // Files share a process, which loads the AWS SDK, the CDK and the checks of openapi.json once: a file restores what it changes.
    isolate: false,
    // Under --watch, each save runs what was selected again: a program, and a function behind HTTP, is not among the imports of its test.
    watchTriggerPatterns: [
      {
        pattern: /\/(?:functions|infra|shared|test)\/.*\.(?:ts|mjs|json|md)$/,
        testsToRun: () => globSync('test/**/*.test.ts'),
      },
    ],
    projects: [
      inProcess('unit', ['test/**/*.test.ts'], [slowTests, serviceTests]),
      inProcess('slow', [slowTests], []),
      onEngine('contract', [contractTests]),
      onEngine('service', [serviceTests], [contractTests]),
      onEngine('second-engine', [engineTests]),
    ],
  },
});
