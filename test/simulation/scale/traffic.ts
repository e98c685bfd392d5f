import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { KeyKind } from '../organizations.ts';

/** A kind of request, how much of all requests it is, and how the real functions are asked. */
export interface Traffic {
  readonly name: string;
  /** Of all requests. */
  readonly share: number;
  readonly keys: KeyKind;
  /** @param at counts the requests of this kind; leads 1 to `preparedLeads` are there */
  readonly request: (at: number) => Omit<CallerRequest, 'apiKey'>;
}

/** Leads that every measurement finds. */
export const preparedLeads = 200;

const phone = (number: number): string => `+9198${String(number).padStart(8, '0')}`;
export const person = (number: number) => ({
  name: `Person ${number}`,
  phone: phone(number),
  email: `person${number}@example.com`,
});
const leadId = (at: number): number => 1 + (at % preparedLeads);

/** What clients of a lead service ask: forms capture, an application reads and changes, a sync job lists what changed. */
export const traffic: readonly Traffic[] = [
  {
    name: 'capture of a new lead',
    share: 0.3,
    keys: 'website',
    request: (at) => ({
      endpoint: 'capture-lead',
      body: { ...person(100_000 + at), source: 'Facebook Ads', notes: 'Asks for the fees.' },
      headers: { 'Idempotency-Key': `new ${at}` },
    }),
  },
  {
    name: 'capture of a known person',
    share: 0.1,
    keys: 'website',
    request: (at) => ({
      endpoint: 'capture-lead',
      body: { ...person(leadId(at)), fields: { city: 'Pune' }, notes: 'Asks again.' },
      headers: { 'Idempotency-Key': `known ${at}` },
    }),
  },
  {
    name: 'update of a lead',
    share: 0.15,
    keys: 'writer',
    request: (at) => ({
      endpoint: 'update-lead',
      leadId: leadId(at),
      body: { stageId: [11, 12][at % 2], fields: { remarks: `Called ${at} times.` } },
    }),
  },
  {
    name: 'note',
    share: 0.1,
    keys: 'writer',
    request: (at) => ({
      endpoint: 'add-note',
      leadId: leadId(at),
      body: { text: `Called back ${at}.` },
    }),
  },
  {
    name: 'read of a lead',
    share: 0.2,
    keys: 'reader',
    request: (at) => ({ endpoint: 'get-lead', leadId: leadId(at) }),
  },
  {
    name: 'page of 25 leads',
    share: 0.15,
    keys: 'reader',
    request: () => ({ endpoint: 'list-leads', query: { limit: 25 } }),
  },
];

/** The share of the largest of so many organizations, where the second has half of its requests, the third a third (Zipf's law). */
export function largestShare(organizations: number): number {
  let sum = 0;
  for (let rank = 1; rank <= organizations; rank += 1) sum += 1 / rank;
  return 1 / sum;
}
