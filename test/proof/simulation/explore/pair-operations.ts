import type { AdministratorCommand, CommandOptions } from '../administration.ts';
import type { HeldKey } from '../checker/history.ts';
import { newKey } from '../clients/client.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { Program } from '../lambda/modules.ts';
import { ObservedService } from '../observed-service.ts';
import { firstKeys } from '../organizations.ts';
import { type PreparedTable, prepareTable } from '../prepared-table.ts';

export const organizationId = 1;

/** The lead that all operations meet at; `archived` when one of the two needs it so. */
export type LeadState = 'active' | 'archived';
export const leadId = 1;

type EndpointRequest = Omit<CallerRequest, 'apiKey'>;
type Keys = readonly [HeldKey, HeldKey];

/** A request with an API key, or an administrator's command. */
export interface PairOperation {
  readonly name: string;
  readonly isRequest: boolean;
  readonly needs?: LeadState;
  /**
   * @param side tells the two of a pair apart
   * @param caller whose key is used
   * @returns whether the outcome is known and final
   */
  readonly run: (
    service: ObservedService,
    keys: Keys,
    side: number,
    caller: 0 | 1,
  ) => Promise<boolean>;
}

const request = (name: string, requestOf: (side: number) => EndpointRequest): PairOperation => ({
  name,
  isRequest: true,
  async run(service, keys, side, caller) {
    const answer = await service.request(`caller ${caller}`, keys[caller], requestOf(side));
    if (!answer) return false;
    return answer.status < 500 && !answer.body.includes('IDEMPOTENCY_IN_PROGRESS');
  },
});

const command = <Name extends AdministratorCommand>(
  name: string,
  what: Name,
  optionsOf: (side: number, keys: Keys) => CommandOptions<Name>,
): PairOperation => ({
  name,
  isRequest: false,
  async run(service, keys, side) {
    const options = optionsOf(side, keys);
    return (await service.administrate(what, organizationId, options)).outcome === 'done';
  },
});

/** One person has a lead at the start; the other is new. */
const known = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
const newcomer = { name: 'Ravi Iyer', phone: '+919887654321', email: 'ravi@example.com' };

const capture = (body: object, idempotencyKey?: string): EndpointRequest => ({
  endpoint: 'capture-lead',
  body,
  ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
});
const update = (body: object): EndpointRequest => ({ endpoint: 'update-lead', leadId, body });

/** The enquiry that made the lead. */
const firstEnquiry = capture({ ...known, source: 'Facebook Ads' }, 'first enquiry');
const filling = { ...known, notes: 'Asks again.', fields: { city: 'Pune', course: 'mba' } };
const withWave = { ...newcomer, wave: 'first' };

const operations: readonly PairOperation[] = [
  request('create', () => ({ endpoint: 'create-lead', body: { fields: withWave } })),
  request('capture new', () =>
    capture({ ...newcomer, fields: { wave: 'first' } }, 'enquiry of a newcomer'),
  ),
  request('capture filling', () => capture(filling)),
  request('capture replay', () => firstEnquiry),
  { ...request('capture archived', () => capture(filling, 'enquiry of old')), needs: 'archived' },
  request('update fields', (side) =>
    update({ fields: { city: ['Delhi', 'Goa'][side], wave: 'second' } }),
  ),
  request('update phone', () => update({ fields: { phone: newcomer.phone } })),
  request('update stage', (side) => update({ stageId: [12, 21][side] })),
  request('note', (side) => ({
    endpoint: 'add-note',
    leadId,
    body: { text: `Called back ${side}.` },
  })),
  request('get', () => ({ endpoint: 'get-lead', leadId })),
  request('list', () => ({ endpoint: 'list-leads', query: { stage_id: 11 } })),
  command('archive', 'archive', () => ({ leadId })),
  { ...command('restore', 'restore', () => ({ leadId })), needs: 'archived' },
  command('erase', 'erase', () => ({ leadId })),
  command('import new', 'import', () => ({ rows: [{ ...newcomer, source: 'Website' }] })),
  command('settings', 'settings apply', (side) => ({
    hasWave: false,
    hasSecondUser: side === 1,
    epoch: side + 1,
  })),
  command('revoke', 'key revoke', (_side, [{ keyId }]) => ({ keyId })),
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
  return operations.flatMap((one, at) =>
    operations.slice(at).flatMap((other): Pair[] => {
      const state: LeadState = one.needs ?? other.needs ?? 'active';
      const pair = { operations: [one, other] as const, state };
      const name = `${one.name} | ${other.name}`;
      if (!(one.isRequest && other.isRequest)) return [{ ...pair, name, hasOneCaller: true }];
      return [
        { ...pair, name: `${name} (one caller)`, hasOneCaller: true },
        { ...pair, name: `${name} (two callers)`, hasOneCaller: false },
      ];
    }),
  );
}

/** Does one operation of a pair. @returns whether its outcome is known and final */
export const perform = (
  service: ObservedService,
  { operations, hasOneCaller }: Pair,
  { writers }: PreparedPair,
  side: 0 | 1,
): Promise<boolean> => operations[side].run(service, writers, side, hasOneCaller ? 0 : side);

/** What happened before every run of a pair, and the first caller's and the second's keys. */
export interface PreparedPair extends PreparedTable {
  readonly writers: Keys;
}

/** A lead of one enquiry, archived or not, and two keys that may do everything. */
export async function preparePair(code: Program, state: LeadState): Promise<PreparedPair> {
  const service = await ObservedService.start(
    { versions: [code], simulation: { seed: 'prepared pair', isTimed: false } },
    await prepareTable((id) => (id === organizationId ? ['writer', 'checker'] : ['checker'])),
  );
  const writers = await service.run(async (): Promise<Keys> => {
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
