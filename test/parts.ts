/** Which tests run when: those of `npm test`, and the parts of `npm run prove`. A test's name and folder say where it belongs. */

/** Tests that start programs of their own, or take a processor for seconds. */
export const slowTests = 'test/**/*.prove.test.ts';

/** Tests that call the built functions through the local gateway, on the first engine that this machine has. */
export const serviceTests = 'test/**/*.{integration,engines}.test.ts';

/**
 * Those of them that the second engine repeats, because they are about what DynamoDB decides: conditions, transactions, expressions,
 * indexes, sizes, pages. All others run only on the first engine: refusals before a write, rules about values that were read, injected
 * faults, and commands that write like an endpoint.
 */
export const engineTests = 'test/**/*.engines.test.ts';

/** The service tests of `npm test`. */
export const contractTests = 'test/contract/**/*.{integration,engines}.test.ts';

/** A project of vitest.config.ts. */
export type Project = 'unit' | 'contract' | 'slow' | 'service' | 'second-engine';

/** What `npm run prove` can run alone. */
export interface Part {
  readonly name: string;
  readonly proves: string;
  /** Its share of a complete run on two quiet cores, measured by the time of its files. Alone, it takes about as long. */
  readonly seconds: number;
  readonly projects: readonly Project[];
  /** Undefined for all that no other part has. */
  readonly folders?: readonly string[];
}

const projects = ['slow', 'service'] as const;
export const parts: readonly Part[] = [
  {
    name: 'simulator',
    proves:
      'random histories, pairs of operations, restores and planted bugs, under a simulated DynamoDB',
    seconds: 105,
    projects,
    folders: ['test/proof/simulation/'],
  },
  {
    name: 'second-engine',
    proves: 'what DynamoDB decides, once more on DynamoDB Local, which needs Java',
    seconds: 50,
    projects: ['second-engine'],
  },
  {
    name: 'administration',
    proves: 'the commands for organizations, keys, leads, imports and tables, on an engine',
    seconds: 65,
    projects,
    folders: ['test/infra/admin/', 'test/infra/cli/'],
  },
  {
    name: 'programs',
    proves:
      'npm start, npm run docs and verify, the client’s package, and every command of the guides',
    seconds: 60,
    projects,
    folders: [
      'test/infra/guides/',
      'test/infra/local/',
      'test/infra/openapi/',
      'test/infra/verify/',
    ],
  },
  {
    name: 'cloud',
    proves:
      'the deployment command, the construct’s package, the templates by cfn-lint, and what a change replaces',
    seconds: 35,
    projects,
    folders: ['test/infra/deploy/', 'test/infra/stack/'],
  },
  {
    name: 'recipes',
    proves:
      'the recipes in seven languages under faults and in a browser, and the copies of all leads',
    seconds: 40,
    projects,
    folders: ['test/infra/recipes/'],
  },
  {
    name: 'fuzz',
    proves: 'hostile requests, random histories and random calls of DynamoDB on a real engine',
    seconds: 12,
    projects,
    folders: ['test/dynamodb-model/', 'test/proof/fuzz/', 'test/proof/soak/'],
  },
  {
    name: 'service',
    proves: 'budgets of calls, security, the client and the store against the running service',
    seconds: 10,
    projects,
  },
];

/** The part that runs a test file. @param path from the project's folder */
export function partOf(path: string, project: string): Part | undefined {
  const own = parts.filter(({ projects }) => projects.some((name) => name === project));
  const isIn = ({ folders }: Part): boolean => !!folders?.some((folder) => path.startsWith(folder));
  return own.find(isIn) ?? own.find(({ folders }) => folders === undefined);
}
