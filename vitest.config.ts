import { defineConfig } from 'vitest/config';
import { engines } from './test/support/engine.ts';

/**
 * Unit tests, and the integration tests (`*.integration.test.ts`) for each engine, against the built functions behind the local
 * gateway. An engine that cannot run on this machine is left out with a warning: the tests of one engine prove nothing for the other.
 */
const integration = 'test/**/*.integration.test.ts';

/**
 * Tests for which one engine is enough: faults that a proxy injects, hostile requests, examples, the verification of a service, and which
 * texts an erasure searches for (each erasure scans the table, which takes DynamoDB Local seconds).
 */
const ofOneEngine = [
  'test/examples/**',
  'test/fuzz/**',
  'test/reliability/**',
  'test/security/**',
  'test/shared/client/**',
  'test/infra/admin/lead-erase-shared-phone.integration.test.ts',
  'test/infra/verify/**',
];

const projects = await Promise.all(
  engines.map(async (engine) => {
    const found = await engine.find();
    if ('start' in found) return [engine.name];
    process.stderr.write(
      `\nWARNING: the integration tests do not run on ${engine.name}: ${found.missing}: ${engine.remedy}.\n\n`,
    );
    return [];
  }),
);

export default defineConfig({
  test: {
    // Integration tests wait for engines and gateways more than they compute: two in parallel keep two cores busy.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [integration],
          testTimeout: 20_000,
          // The CDK validates a template for seconds in each process; `cdk synth` and test/infra/stack/checks.test.ts validate it too.
          env: { CDK_VALIDATION: 'false' },
        },
      },
      ...projects.flat().map((name, index) => ({
        test: {
          name,
          include: [integration],
          exclude: index === 0 ? [] : ofOneEngine,
          globalSetup: [`test/support/engine-${name}.ts`],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // For the tests' own calls to an engine that other tests use in parallel.
          env: { DYNAMODB_TIMEOUT_MS: '5000' },
        },
      })),
    ],
  },
});
