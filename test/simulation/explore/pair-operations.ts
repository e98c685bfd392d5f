import type { AdministratorCommand, CommandOptions } from '../administration.ts';
import type { HeldKey, ObservedAction } from '../checker/history.ts';
import { newKey } from '../clients/client.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { ServicePrograms } from '../lambda/modules.ts';
import { ObservedService } from '../observed-service.ts';
import { firstKeys } from '../organizations.ts';
import { type PreparedTable, prepareTable } from '../prepared-table.ts';

export const organizationId = 1;

/** The lead that all operations meet at; `archived` when one of the two needs it so. */
export type LeadState = 'active' | 'archived';
export const leadId = 1;

/** The first caller's and the second's keys. */
export interface PairKeys {
  readonly writers: readonly [HeldKey, HeldKey];
}

type EndpointRequest = Omit<CallerRequest, 'apiKey'>;
type Administrate = (
  service: ObservedService,
  keys: PairKeys,
  side: number,
) => Promise<ObservedAction>;

/** A request by whoever has a key, or a command of an administrator. `side` tells the two of a pair apart. */
export type PairOperation = { readonly name: string; readonly needs?: LeadState } & (
  | { readonly request: (side: number) => EndpointRequest }
  | { readonly administrate: Administrate }
);

/** Whose lead is there at the beginning, and who is new. */
const known = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
const newcomer = { name: 'Ravi Iyer', phone: '+919887654321', email: 'ravi@example.com' };

/** The enquiry that made the lead. */
const firstEnquiry: EndpointRequest = {
  endpoint: 'capture-lead',
  body: { ...known, source: 'Facebook Ads' },
  headers: { 'Idempotency-Key': 'first enquiry' },
};

const request = (
  name: string,
  endpoint: CallerRequest['endpoint'],
  body?: (side: number) => object,
): PairOperation => ({
  name,
  request: (side) => ({ endpoint, leadId, ...(body && { body: body(side) }) }),
});

const capture = (name: string, body: object, idempotencyKey?: string): PairOperation => ({
  name,
  request: () => ({
    endpoint: 'capture-lead',
    body,
    ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
  }),
});

const filling = { ...known, notes: 'Asks again.', fields: { city: 'Pune', course: 'mba' } };

const requests: readonly PairOperation[] = [
  {
    name: 'create',
    request: () => ({ endpoint: 'create-lead', body: { fields: { ...newcomer, wave: 'first' } } }),
  },
  capture('capture new', { ...newcomer, fields: { wave: 'first' } }, 'enquiry of a newcomer'),
  capture('capture filling', filling),
  { name: 'capture replay', request: () => firstEnquiry },
  { ...capture('capture archived', filling, 'enquiry of old'), needs: 'archived' },
  request('update fields', 'update-lead', (side) => ({
    fields: { city: ['Delhi', 'Goa'][side], wave: 'second' },
  })),
  request('update phone', 'update-lead', () => ({ fields: { phone: newcomer.phone } })),
  request('update stage', 'update-lead', (side) => ({ stageId: [12, 21][side] })),
  request('note', 'add-note', (side) => ({ text: `Called back ${side}.` })),
  request('get', 'get-lead'),
  { name: 'list', request: () => ({ endpoint: 'list-leads', query: { stage_id: 11 } }) },
];

const command = <Name extends AdministratorCommand>(
  name: string,
  what: Name,
  optionsOf: (side: number, keys: PairKeys) => CommandOptions<Name>,
): PairOperation => ({
  name,
  administrate: (service, keys, side) =>
    service.administrate(what, organizationId, optionsOf(side, keys)),
});

const commands: readonly PairOperation[] = [
  command('archive', 'archive', () => ({ leadId })),
  { ...command('restore', 'restore', () => ({ leadId })), needs: 'archived' },
  command('erase', 'erase', () => ({ leadId })),
  command('import new', 'import', () => ({ rows: [{ ...newcomer, source: 'Website' }] })),
  command('settings', 'settings apply', (side) => ({
    hasWave: false,
    hasSecondUser: side === 1,
    epoch: side + 1,
  })),
  command('revoke', 'key revoke', (_side, { writers }) => ({ keyId: writers[0].keyId })),
];

export interface Pair {
  readonly name: string;
  readonly operations: readonly [PairOperation, PairOperation];
  readonly state: LeadState;
  /** Of requests, whether both are made with one key. */
  readonly hasOneCaller: boolean;
}

/** Every pair once, and every pair of requests once with one key and once with two. */
export function allPairs(): Pair[] {
  const operations = [...requests, ...commands];
  return operations.flatMap((one, at) =>
    operations.slice(at).flatMap((other): Pair[] => {
      const state: LeadState = one.needs ?? other.needs ?? 'active';
      const pair = { operations: [one, other] as const, state };
      const name = `${one.name} | ${other.name}`;
      if (!('request' in one && 'request' in other)) return [{ ...pair, name, hasOneCaller: true }];
      return [
        { ...pair, name: `${name} (one caller)`, hasOneCaller: true },
        { ...pair, name: `${name} (two callers)`, hasOneCaller: false },
      ];
    }),
  );
}

/** Does one operation of a pair. @returns whether its outcome is known and final */
export async function perform(
  service: ObservedService,
  pair: Pair,
  keys: PairKeys,
  side: 0 | 1,
): Promise<boolean> {
  const operation = pair.operations[side];
  if ('administrate' in operation)
    return (await operation.administrate(service, keys, side)).outcome === 'done';
  const caller = pair.hasOneCaller ? 0 : side;
  const answer = await service.request(
    `caller ${caller}`,
    keys.writers[caller],
    operation.request(side),
  );
  if (!answer) return false;
  return answer.status < 500 && !answer.body.includes('IDEMPOTENCY_IN_PROGRESS');
}

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
    const second = await newKey(service, organizationId, firstKeys.writer);
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
