import type { HeldKey } from '../checker/history.ts';
import type { ServicePrograms } from '../lambda/modules.ts';
import { ObservedService } from '../observed-service.ts';
import { firstKeys, idIn } from '../organizations.ts';
import { type PreparedTable, prepareTable } from '../prepared-table.ts';
import {
  firstEnquiry,
  type LeadState,
  leadId,
  organizationId,
  type PairKeys,
} from './pair-operations.ts';

/** What happened before every run of a pair. */
export interface PreparedPair extends PreparedTable, PairKeys {}

/** A lead of one enquiry, archived or not, and two keys that may do everything. */
export async function preparePair(
  bundles: ServicePrograms,
  state: LeadState,
): Promise<PreparedPair> {
  const service = await ObservedService.start(
    { versions: [bundles], simulation: { seed: 'prepared pair', isTimed: false } },
    await prepareTable((id) => (id === organizationId ? ['writer', 'checker'] : ['checker'])),
  );
  const writers = await service.run(async (): Promise<readonly [HeldKey, HeldKey]> => {
    const first = service.key(organizationId, 'writer');
    const order = { ...firstKeys.writer, createdBy: idIn(organizationId, 7), label: 'second' };
    const second = await service.newKey(organizationId, order);
    if (!second) throw new Error('A key could not be made.');
    const answer = await service.request('a form', first, firstEnquiry);
    if (answer?.status !== 201)
      throw new Error(`The first enquiry was answered with ${answer?.status}.`);
    if (state === 'archived') await service.administrate('archive', organizationId, { leadId });
    return [first, second];
  });
  await service.settle();
  return { ...service.prepared(), writers };
}

/** A quarter of an hour after the first enquiry, in the same hour's windows. */
export const pairStart = Date.UTC(2026, 0, 31, 9, 45);
