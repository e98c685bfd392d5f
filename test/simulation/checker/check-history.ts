import type { ClientService } from '../clients/client.ts';
import type { ObservedService } from '../observed-service.ts';
import { idIn } from '../organizations.ts';
import { checkAnswers } from './check-answers.ts';
import { checkEffects } from './check-effects.ts';
import { checkImports } from './check-imports.ts';
import { checkLeads } from './check-leads.ts';
import { checkLimits } from './check-limits.ts';
import { checkReads } from './check-reads.ts';
import { checkRotations, checkSettings } from './check-settings.ts';
import { checkWrites } from './check-writes.ts';
import type { HeldKey, History } from './history.ts';

export interface CheckHistoryOptions {
  /** Queries that are walked in the end, for each organization. @default every list once */
  readonly walks?: (organizationId: number) => readonly Readonly<Record<string, string | number>>[];
  /** What the checker takes for a violation and is meant to happen. @default nothing */
  readonly means?: RegExp | undefined;
}

/**
 * Lets the simulation come to rest and holds all that was observed against what the contract promises. A history that is right so far has
 * every list looked at once more, and its table by the service's own `check`.
 * @returns a sentence for each violation
 */
export async function checkHistory(
  service: ObservedService,
  { walks = everyList, means }: CheckHistoryOptions = {},
): Promise<string[]> {
  const { history } = service;
  const isMeant = (violation: string): boolean => means?.test(violation) === true;
  await service.settle();
  const found = violationsOf(history).filter((one) => !isMeant(one));
  if (found.length > 0) return found;
  const endless: string[] = [];
  for (const id of history.organizationIds)
    endless.push(
      ...(await service.run(() => walkAll(service, service.keys(id).checker, walks(id)))),
    );
  return [...endless, ...(await tableViolations(service)), ...violationsOf(history)].filter(
    (one) => !isMeant(one),
  );
}

const checks = [
  checkWrites,
  checkEffects,
  checkAnswers,
  checkReads,
  checkLimits,
  checkLeads,
  checkRotations,
  checkImports,
  checkSettings,
] as const;

/** Of a history that is over. */
function violationsOf(history: History): string[] {
  return checks.flatMap((check) => check(history));
}

async function tableViolations(service: ObservedService): Promise<readonly string[]> {
  const { outcome, result } = await service.run(() => service.administrate('check', 0, {}));
  if (outcome !== 'done') return [`The check of the table ${outcome}: ${String(result)}.`];
  return (result as { violations: readonly string[] }).violations;
}

/** Long before any lead. */
const always = '2020-01-01T00:00:00Z';

export const everyList = (organizationId: number): Readonly<Record<string, string | number>>[] => [
  {},
  { updated_since: always },
  ...[11, 12, 21].map((id) => ({ stage_id: idIn(organizationId, id) })),
  ...[7, 8].map((id) => ({ owner_id: idIn(organizationId, id) })),
  ...[1, 3].map((id) => ({ source_id: idIn(organizationId, id) })),
  ...[1, 2].map((id) => ({ pipeline_id: idIn(organizationId, id) })),
];

/** More than any list of these histories has. */
export const pagesMax = 200;

/**
 * Walks each query to its end; what the pages show is checked with all other answers.
 * @returns a sentence for each query that has more pages than it may
 */
export async function walkAll(
  service: Pick<ClientService, 'request'>,
  reader: HeldKey,
  walks: readonly Readonly<Record<string, string | number>>[],
): Promise<string[]> {
  const endless: string[] = [];
  for (const query of walks) {
    let cursor: number | null = null;
    for (let page = 0; page < pagesMax; page += 1) {
      const answer = await service.request('the checker', reader, {
        endpoint: 'list-leads',
        query: { ...query, ...(cursor !== null && { cursor }) },
      });
      cursor =
        answer?.status === 200
          ? (JSON.parse(answer.body) as { nextCursor: number | null }).nextCursor
          : null;
      if (cursor === null) break;
    }
    if (cursor !== null)
      endless.push(`The list ${JSON.stringify(query)} goes on after ${pagesMax} pages.`);
  }
  return endless;
}
