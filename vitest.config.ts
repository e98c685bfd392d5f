import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { writtenTag } from './test/contract/written-tag.ts';
import { engines } from './test/support/engine.ts';

// Node.js keeps what it has compiled: each test file, and each program that a test starts, is a process that would compile its modules again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/**
 * The tests without an engine, and for each engine the integration tests: they call the built functions behind the local gateway. An engine
 * that cannot run on this machine is left out with a warning.
 */
const integration = 'test/**/*.integration.test.ts';

/**
 * Tests of what DynamoDB decides: conditions, transactions, expressions, indexes, sizes, pages. All others run on the first engine alone:
 * what is refused before a write, rules about what was read, faults that this code injects, commands that write as an endpoint does.
 */
const onEveryEngine = [
  'test/*.integration.test.ts',
  'test/contract/{1-timeline,2-,3-,8-}*.integration.test.ts',
  'test/contract/4-endpoints/*.integration.test.ts',
  'test/dynamodb-model/**/*.integration.test.ts',
  'test/infra/admin/import/{import,undo}.integration.test.ts',
  'test/infra/admin/lead/erase.integration.test.ts',
  'test/infra/admin/table/{check,restore}.integration.test.ts',
  'test/shared/store/**/*.integration.test.ts',
];

const found = await Promise.all(
  engines.map(async (engine) => ({ ...engine, missing: await engine.missing() })),
);
for (const { name, remedy, missing } of found)
  if (missing)
    process.stderr.write(
      `\nWARNING: the integration tests do not run on ${name}: ${missing}: ${remedy}.\n\n`,
    );
const running = found.filter(({ missing }) => !missing);

export default defineConfig({
  test: {
    // Two kept two cores busy for 70 % of the time: a test also waits for engines and other processes.
    maxWorkers: 3,
    // Files share a process, which loads the AWS SDK, the CDK and the checks of openapi.json once: a file restores what it changes.
    isolate: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [integration],
          // Ends a test that hangs. On a busy machine, a test that starts several programs takes half a minute.
          testTimeout: 60_000,
          hookTimeout: 60_000, // a hook that bundles every function takes more than Vitest's ten seconds there
          // They poll what other processes do, which a busy machine may delay; Vitest gives them one second.
          expect: { poll: { timeout: 10_000 } },
          // The CDK validates a template for seconds in each process; `cdk synth` and test/infra/stack/checks.test.ts validate it too.
          env: { CDK_VALIDATION: 'false' },
        },
      },
      ...running.map(({ name }, index) => ({
        test: {
          name,
          include: index === 0 ? [integration] : onEveryEngine,
          globalSetup: ['test/support/engine.ts'],
          // Ends a test that hangs. On a very busy machine, `verify --write` alone takes more than two minutes.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // A busy machine may delay the tests' own calls to an engine that others use in parallel.
          env: { DYNAMODB_TIMEOUT_MS: '20000', CDK_VALIDATION: 'false' },
          tags: [writtenTag],
        },
      })),
    ],
  },
});
