import type { Item, KeyText } from '../../dynamodb-model/dynamodb-model.ts';
import type { HeldKey, ObservedAction, ObservedRequest, Write } from '../checker/history.ts';
import type { ServicePrograms } from '../lambda/modules.ts';
import { ObservedService, type ObservedServiceOptions } from '../observed-service.ts';
import { firstKeys, idIn } from '../organizations.ts';
import {
  firstEnquiry,
  type LeadState,
  leadId,
  organizationId,
  type PairKeys,
} from './pair-operations.ts';

/** What happened before every run of a pair: the table as it left it, and what was observed of it. */
export interface PreparedPair extends PairKeys {
  readonly items: readonly { readonly key: KeyText; readonly item: Item }[];
  readonly requests: readonly ObservedRequest[];
  readonly actions: readonly ObservedAction[];
  readonly writes: readonly Write[];
}

/** A lead of one enquiry, archived or not, and two keys that may do everything. */
export async function preparePair(
  bundles: ServicePrograms,
  state: LeadState,
): Promise<PreparedPair> {
  const service = await ObservedService.start({
    versions: [bundles],
    simulation: { seed: 'prepared pair', isTimed: false },
  });
  const newKey = async (label: string): Promise<HeldKey> => {
    const order = {
      ...firstKeys.writer,
      createdBy: idIn(organizationId, 7),
      label,
    };
    const key = await service.newKey(organizationId, order);
    if (!key) throw new Error('A key could not be made.');
    return key;
  };
  const writers = await service.run(async () => {
    const keys = [await newKey('first'), await newKey('second')] as const;
    const answer = await service.request('a form', keys[0], firstEnquiry);
    if (answer?.status !== 201)
      throw new Error(`The first enquiry was answered with ${answer?.status}.`);
    if (state === 'archived') {
      await service.administrate('archive', organizationId, { leadId });
    }
    return keys;
  });
  await service.settle();
  const { requests, actions, writes } = service.history;
  const items = [...service.simulation.dynamodb.table('leads').all()].flatMap(({ key, current }) =>
    current ? [{ key, item: current }] : [],
  );
  return { writers, items, requests, actions, writes };
}

/** A service that goes on from there, some minutes later. */
export async function startPair(
  prepared: PreparedPair,
  options: ObservedServiceOptions,
): Promise<ObservedService> {
  const service = await ObservedService.start({
    ...options,
    simulation: { ...options.simulation, startsAt: startsAt },
  });
  const table = service.simulation.dynamodb.table('leads');
  for (const { key, item } of prepared.items) {
    const place = table.place(key);
    if (place.current !== item) table.write(place, item, service.now - 3_600_000);
  }
  const { recorder } = service;
  recorder.requests.push(...prepared.requests);
  recorder.actions.push(...prepared.actions);
  // With the times at which they were made.
  recorder.writes.length = 0;
  recorder.writesOf.clear();
  for (const write of prepared.writes) {
    recorder.writes.push(write);
    const name = `${write.pk} ${write.sk}`;
    const others = recorder.writesOf.get(name);
    if (others) others.push(write);
    else recorder.writesOf.set(name, [write]);
  }
  return service;
}

/** A quarter of an hour after the first enquiry, in the same hour's windows. */
const startsAt = Date.UTC(2026, 0, 31, 9, 45);
