import type { Report, Summary } from '../explore/report.ts';
import { readService, type ServicePrograms } from '../lambda/modules.ts';
import { type PlantedBug, planted, plantedBugs, writeFoundBy } from './bugs.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/** What became of a planted bug, and how many histories that took. */
export interface Finding {
  readonly histories: number;
  readonly faults: number;
  /** Undefined for a bug that survived. */
  readonly found: { readonly scenario: string; readonly violation: string } | undefined;
}

/** Looks for a bug in every scenario, one seed of each after the other. @param first the scenario that is run first */
export async function find(bug: PlantedBug, first?: string): Promise<Finding> {
  const bundles = await readService({ change: (path, text) => planted(bug, path, text) });
  let histories = 0;
  let faults = 0;
  for (const { scenario, seed } of historiesFrom(first)) {
    const outcome = await runScenario(scenario, seed, bundles);
    histories += 1;
    faults += outcome.faults;
    const [violation] = outcome.violations;
    if (violation !== undefined)
      return { histories, faults, found: { scenario: scenario.name, violation } };
  }
  return { histories, faults, found: undefined };
}

interface PlannedHistory {
  readonly scenario: Scenario;
  readonly seed: string;
}

const seedsOf = ({ seeds = 1 }: Scenario): string[] =>
  Array.from({ length: seeds }, (_, seed) => String(seed));

function historiesFrom(first: string | undefined): PlannedHistory[] {
  const isFirst = ({ scenario }: PlannedHistory): boolean => scenario.name === first;
  const histories = scenarios.flatMap((scenario) =>
    seedsOf(scenario).map((seed) => ({ scenario, seed })),
  );
  return histories.sort(
    (one, other) =>
      Number(isFirst(other)) - Number(isFirst(one)) || Number(one.seed) - Number(other.seed),
  );
}

/** Each scenario under every seed of its own. @returns a line for each violation */
export async function runScenarios(
  chosen: readonly Scenario[],
  bundles: ServicePrograms,
): Promise<string[]> {
  const found: string[] = [];
  for (const scenario of chosen)
    for (const seed of seedsOf(scenario)) {
      const { violations } = await runScenario(scenario, seed, bundles);
      found.push(...violations.map((one) => `${scenario.name} (seed ${seed}): ${one}`));
    }
  return found;
}

/** Plants each bug and looks for it in every scenario. A bug that survives is a violation. Remembers what found the others. */
export async function findPlantedBugs(report: Report): Promise<Summary> {
  const total = { histories: 0, faults: 0, violations: 0 };
  const scenarioOf: Record<string, string> = {};
  const sought = plantedBugs.filter(({ test }) => test === undefined);
  for (const [at, bug] of sought.entries()) {
    const { histories, faults, found } = await find(bug);
    total.histories += histories;
    total.faults += faults;
    if (found) scenarioOf[bug.breaks] = found.scenario;
    else {
      total.violations += 1;
      report.print(`Nothing finds it: ${bug.breaks} (${bug.file})`);
    }
    report.progress(`${at + 1} of ${sought.length} planted bugs`);
  }
  writeFoundBy(scenarioOf);
  return total;
}
