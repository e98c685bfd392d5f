import { bundleService, type ServiceBundles } from '../lambda/given-service.ts';
import { plantedBugs } from './bugs.ts';
import type { PlantedBug } from './planted-bug.ts';
import { runScenario, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

/** What became of a planted bug. */
export interface Finding {
  readonly bug: PlantedBug;
  /** Histories until it was found, or all of them. */
  readonly histories: number;
  readonly faults: number;
  /** Undefined for a bug that survived. */
  readonly found:
    | { readonly scenario: string; readonly seed: string; readonly violation: string }
    | undefined;
}

/** The source with a bug in it. The text is found however the formatter breaks its lines. @throws Error unless the text is there once */
export function planted(
  { name, file, before, after }: PlantedBug,
  path: string,
  text: string,
): string {
  if (path !== file) return text;
  const places = [...text.matchAll(inAnyLayout(before))];
  const [place] = places;
  if (!place || places.length > 1) {
    throw new Error(`Bug '${name}': ${file} must have its text exactly once.`);
  }
  return text.slice(0, place.index) + after + text.slice(place.index + place[0].length);
}

/** Matches a piece of source with any white space where it has some or a bracket has some, and with or without a trailing comma. */
function inAnyLayout(source: string): RegExp {
  const tokens = source.trim().match(/\s+|[([{]|[)\]}]|[^\s()[\]{}]+/g) ?? [];
  const pattern = tokens.map((token) => {
    if (/^\s/.test(token)) return '\\s*';
    if (/[([{]/.test(token)) return `\\${token}\\s*`;
    if (/[)\]}]/.test(token)) return `,?\\s*\\${token}`;
    return token.replace(/[.*+?^$|\\/]/g, '\\$&');
  });
  return new RegExp(pattern.join(''), 'g');
}

/** Looks for a bug, first where it is expected, then in every scenario, one seed of each after the other. */
export async function find(bug: PlantedBug): Promise<Finding> {
  const bundles = await bundleService({ change: (path, text) => planted(bug, path, text) });
  let histories = 0;
  let faults = 0;
  for (const { scenario, seed } of historiesFor(bug)) {
    const outcome = await runScenario(scenario, seed, bundles);
    histories += 1;
    faults += outcome.faults;
    const [violation] = outcome.violations;
    if (violation !== undefined)
      return { bug, histories, faults, found: { scenario: scenario.name, seed, violation } };
  }
  return { bug, histories, faults, found: undefined };
}

interface PlannedHistory {
  readonly scenario: Scenario;
  readonly seed: string;
}

const seedsOf = ({ seeds = 1 }: Scenario): string[] =>
  Array.from({ length: seeds }, (_, seed) => String(seed));

function historiesFor({ foundBy }: PlantedBug): PlannedHistory[] {
  const expected = scenarios.filter(({ name }) => name === foundBy);
  const others = scenarios.filter(({ name }) => name !== foundBy);
  const all = others.flatMap((scenario) => seedsOf(scenario).map((seed) => ({ scenario, seed })));
  return [
    ...expected.flatMap((scenario) => seedsOf(scenario).map((seed) => ({ scenario, seed }))),
    ...all.sort((one, other) => Number(one.seed) - Number(other.seed)),
  ];
}

/** Each scenario under every seed of its own. @returns a line for each violation */
export async function runScenarios(
  chosen: readonly Scenario[],
  bundles: ServiceBundles,
): Promise<string[]> {
  const violations: string[] = [];
  for (const scenario of chosen) {
    for (const seed of seedsOf(scenario)) {
      const outcome = await runScenario(scenario, seed, bundles);
      violations.push(
        ...outcome.violations.map((violation) => `${scenario.name} (seed ${seed}): ${violation}`),
      );
    }
  }
  return violations;
}

/**
 * Plants each bug and looks for it.
 * @param report told of each finding, a row of the table
 * @returns as violations, how many bugs survived
 */
export async function findPlantedBugs(
  report: (row: string, finding: Finding) => void,
): Promise<{ histories: number; faults: number; violations: number }> {
  const total = { histories: 0, faults: 0, violations: 0 };
  for (const bug of plantedBugs) {
    const finding = await find(bug);
    total.histories += finding.histories;
    total.faults += finding.faults;
    if (!finding.found) total.violations += 1;
    report(rowOf(finding), finding);
  }
  return total;
}

/** The table of `findPlantedBugs`, for a page in Markdown. */
export const tableHead: readonly string[] = [
  '| planted bug | file | found by | seed | histories |',
  '|---|---|---|---|---|',
];

function rowOf({ bug, found, histories }: Finding): string {
  const cells = [
    bug.how,
    `\`${bug.file}\``,
    found?.scenario ?? '**nothing**',
    found?.seed ?? '',
    String(histories),
  ];
  return `| ${cells.join(' | ')} |`;
}
