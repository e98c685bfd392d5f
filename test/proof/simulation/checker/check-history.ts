import { type ClientService, type ListQuery, pagesOf } from '../clients/client.ts';
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
import type { HeldKey } from './history.ts';

export interface CheckHistoryOptions {
  /** Queries that are walked in the end, for each organization. @default every list once */
  readonly walks?: (organizationId: number) => readonly ListQuery[];
  /** What the checker takes for a violation and is meant to happen. @default nothing */
  readonly means?: RegExp | undefined;
}

/**
 * Lets the simulation come to rest, looks at every list once more, and at the table by the service's own `check`. Holds all that was observed
 * against what the contract promises.
 * @returns a sentence for each violation
 */
export async function checkHistory(
  service: ObservedService,
  { walks = everyList, means }: CheckHistoryOptions = {},
): Promise<string[]> {
  const { history } = service;
  await service.settle();
  for (const id of history.organizationIds)
    await service.run(() => walkAll(service, service.keys(id).checker, walks(id)));
  const found = [...(await tableViolations(service)), ...checks.flatMap((check) => check(history))];
  return found.filter((violation) => !means?.test(violation));
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

async function tableViolations(service: ObservedService): Promise<readonly string[]> {
  const { outcome, result } = await service.run(() => service.administrate('check', 0, {}));
  if (outcome !== 'done') return [`The check of the table ${outcome}: ${String(result)}.`];
  return (result as { violations: readonly string[] }).violations;
}

/** Long before any lead. */
const always = '2020-01-01T00:00:00Z';

export const everyList = (organizationId: number): ListQuery[] => [
  {},
  { updated_since: always },
  ...[11, 12, 21].map((id) => ({ stage_id: idIn(organizationId, id) })),
  ...[7, 8].map((id) => ({ owner_id: idIn(organizationId, id) })),
  ...[1, 3].map((id) => ({ source_id: idIn(organizationId, id) })),
  ...[1, 2].map((id) => ({ pipeline_id: idIn(organizationId, id) })),
];

/** Walks each query to its end; what the pages show is checked with all other answers. */
export async function walkAll(
  service: Pick<ClientService, 'request'>,
  reader: HeldKey,
  walks: readonly ListQuery[],
): Promise<void> {
  const ask = (query: ListQuery) =>
    service.request('the checker', reader, { endpoint: 'list-leads', query });
  for (const query of walks) for await (const _page of pagesOf(query, ask));
}
