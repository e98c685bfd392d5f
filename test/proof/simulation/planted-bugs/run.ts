import { noHistory, type Report, type Summary, sumOf } from '../explore/report.ts';
import { type Program, readService } from '../lambda/modules.ts';
import { type PlantedBug, planted, plantedBugs, writeFoundBy } from './bugs.ts';
import { type Outcome, runScenario, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/** A scenario under one of its seeds. */
interface NamedHistory {
  readonly name: string;
  readonly run: (code: Program) => Promise<Outcome>;
}

const historiesOf = (scenario: Scenario): NamedHistory[] =>
  Array.from({ length: scenario.seeds ?? 1 }, (_, seed) => ({
    name: scenario.name,
    run: (code) => runScenario(scenario, String(seed), code),
  }));

const everyHistory = scenarios.flatMap(historiesOf);

/** What became of a planted bug. */
export interface Finding extends Summary {
  /** The name of the scenario that found it; undefined for a bug that survived. */
  readonly foundBy: string | undefined;
}

/** Runs scenarios until one finds the bug. @param first the name of the one to run first */
export async function find(bug: PlantedBug, first?: string): Promise<Finding> {
  const code = await readService(planted(bug));
  let sum = noHistory;
  const isFirst = ({ name }: NamedHistory): boolean => name === first;
  const others = everyHistory.filter((history) => !isFirst(history));
  for (const { name, run } of [...everyHistory.filter(isFirst), ...others]) {
    const { faults, violations } = await run(code);
    sum = sumOf(sum, { histories: 1, faults, violations: violations.length });
    if (violations.length > 0) return { ...sum, foundBy: name };
  }
  return { ...sum, foundBy: undefined };
}

/** Runs scenarios of the unchanged code, each under all of its seeds. */
export async function runScenarios(
  chosen: readonly Scenario[],
  code: Program,
  report: Report,
): Promise<Summary> {
  let sum = noHistory;
  for (const { name, run } of chosen.flatMap(historiesOf)) {
    const { faults, violations } = await run(code);
    for (const violation of violations) report.print(`${name}: ${violation}`);
    sum = sumOf(sum, { histories: 1, faults, violations: violations.length });
    report.progress(`${name}, ${sum.violations} violations`);
  }
  return sum;
}

/** Plants each bug and looks for it. A bug that nothing finds is a violation. Records which scenario found each of the others. */
export async function findPlantedBugs(report: Report): Promise<Summary> {
  let sum = noHistory;
  const foundBy: Record<string, string> = {};
  const sought = plantedBugs.filter(({ test }) => test === undefined);
  for (const [at, bug] of sought.entries()) {
    const { histories, faults, ...found } = await find(bug);
    if (found.foundBy !== undefined) foundBy[bug.breaks] = found.foundBy;
    else report.print(`Nothing finds it: ${bug.breaks} (${bug.file})`);
    const violations = found.foundBy === undefined ? 1 : 0;
    sum = sumOf(sum, { histories, faults, violations });
    report.progress(`${at + 1} of ${sought.length} planted bugs`);
  }
  writeFoundBy(foundBy);
  return sum;
}
