import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { writtenTag } from './test/contract/written-tag.ts';
import { v8Flags } from './test/simulation/explore/v8-flags.ts';
import { engines } from './test/support/engine.ts';

// Node.js keeps what it has compiled: each test file, and each program that a test starts, is a process that would compile its modules again.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled');

/**
 * Unit tests, those of the stack's template, the tests and explorations of the simulator and of its DynamoDB (`test/simulation/`,
 * `test/dynamodb-model/`), and the integration tests (`*.integration.test.ts`) for each engine, against the built functions behind the local
 * gateway. An engine that cannot run on this machine is left out with a warning: the tests of one engine prove nothing for the other.
 */
const integration = 'test/**/*.integration.test.ts';
const simulation = ['test/simulation/**/*.test.ts', 'test/dynamodb-model/**/*.test.ts'];
/** Tests of the template, each file of which synthesizes it. */
const stack = ['test/infra/stack/**/*.test.ts', 'test/security/roles/**/*.test.ts'];
/** The CDK validates a template for seconds in each process; `cdk synth` and test/infra/stack/checks.test.ts validate it too. */
const withoutCdkValidation = { CDK_VALIDATION: 'false' };

/** Ends a test that hangs. On a busy machine, one that starts several programs takes half a minute. */
const testTimeout = 60_000;

/** Tests for which one engine is enough, by why. All other integration tests run on each. */
const ofOneEngine = [
  // Faults that a proxy injects, killed processes, and services that tests start: what runs them is this code, on an engine that both know.
  'test/examples/**',
  'test/infra/admin/import/import-repeated.integration.test.ts',
  'test/infra/verify/**',
  'test/reliability/**',
  'test/shared/client/**',
  // Hostile, generated and wrong requests, files and options: they are refused before a write, or in its function, which no engine sees.
  // A capture stores good values as create-lead and update-lead do, whose tests store them on each engine.
  'test/contract/{1-headers,4.1-invalid-query,4.3-capture-input,7-errors,7-errors-body,8-limits,9-versioning}.integration.test.ts',
  'test/fuzz/**',
  'test/infra/admin/{refused-commands,organization/warnings,table/restore-refused}.integration.test.ts',
  'test/infra/admin/import/refusals.integration.test.ts',
  'test/infra/local/**',
  'test/infra/openapi/**',
  'test/security/**',
  // Rules about leads that were read: filters, what a check finds in them, and which texts an erasure searches for.
  'test/infra/admin/lead/erase-others.integration.test.ts',
  'test/shared/store/check/check-table.integration.test.ts',
];

/**
 * Begins with the simulator's explorations, each of which keeps a core busy for long: begun last, it would be alone at the end. The same
 * holds, among the files of their project, for the test that runs cfn-lint and for unit tests that start one program after the other.
 * A fresh clone has no durations of earlier runs, by which Vitest would know.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    const isSlow = (file: string): boolean =>
      /test\/(infra\/(cli|guides|local|stack\/checks)|examples)\b(?!.*integration)/.test(file);
    const inProjects = [...byProject.values()].flatMap((own) => matchingFirst(own, isSlow));
    return matchingFirst(inProjects, (file) => /simulation\/(explore|planted-bugs)\//.test(file));
  }
}

const matchingFirst = (
  files: readonly TestSpecification[],
  matches: (file: string) => boolean,
): TestSpecification[] => [
  ...files.filter(({ moduleId }) => matches(moduleId)),
  ...files.filter(({ moduleId }) => !matches(moduleId)),
];

const projects = await Promise.all(
  engines.map(async (engine) => {
    const found = await engine.find();
    if ('command' in found) return [engine.name];
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
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [integration, ...simulation, ...stack],
          testTimeout,
          // More than a hundred files, most of which compute for less than a process needs to start: they share processes.
          isolate: false,
          setupFiles: ['test/support/own-modules.ts'],
          // A dozen of them wait for programs that they start, and for time-outs, more than they compute.
          maxWorkers: 3,
          // They poll what other processes do, which a busy machine may delay; Vitest gives them one second.
          expect: { poll: { timeout: 10_000 } },
          sequence: { groupOrder: 1 }, // after the projects that have two
          env: withoutCdkValidation,
        },
      },
      {
        test: {
          name: 'stack',
          include: stack,
          exclude: [integration],
          testTimeout,
          // What they change outside their own modules they restore, so that files can share a process: it loads the CDK once.
          isolate: false,
          env: withoutCdkValidation,
        },
      },
      {
        test: {
          name: 'simulation',
          include: simulation,
          exclude: [integration],
          testTimeout,
          execArgv: [...v8Flags],
        },
      },
      ...projects.flat().map((name, index) => ({
        test: {
          name,
          include: [integration],
          exclude: index === 0 ? [] : ofOneEngine,
          globalSetup: ['test/support/engine.ts'],
          // What a file changes outside its own modules ends with it, so that files can share a process: it loads the AWS SDK and the
          // checks of openapi.json once, and its code is compiled once.
          isolate: false,
          setupFiles: ['test/support/own-modules.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // For the tests' own calls to an engine that other tests use in parallel, on a machine that may be busy.
          env: { DYNAMODB_TIMEOUT_MS: '20000' },
          tags: [writtenTag],
        },
      })),
    ],
  },
});
