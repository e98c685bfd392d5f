import { sinceOf } from '../../../support/generated/leads.ts';

export type Query = Readonly<Record<string, string | number>>;

const filtered = (...filters: object[]): Query => ({ filter: JSON.stringify(filters) });
const isMba = filtered({ field: 'course', operator: 'is_any_of', values: ['mba'] });
const changed = (count: number, leads: number): Query => ({
  updated_since: sinceOf(Math.min(leads, count), leads),
});

/** The lists requested from organizations of every size; a query may depend on the number of leads. The default `limit` is 25. */
export const lists = {
  'first page of 100': () => ({ limit: 100 }),
  stage: () => ({ stage_id: 12 }),
  'stage, owner and source': () => ({ stage_id: 13, owner_id: 7, source_id: 3 }),
  'field filter, 1 in 10': () => isMba,
  'stage, and a field filter': () => ({ stage_id: 13, ...isMba }),
  'owner and source, 1 in 10,000': () => ({ owner_id: 8, source_id: 3 }),
  'field filter, 1 in 10,000': () => filtered({ field: 'city', operator: 'equals', value: 'Leh' }),
  'changed: 10': (leads) => changed(10, leads),
  'changed: 10,000': (leads) => changed(10_000, leads),
  'changed: all': (leads) => changed(leads, leads),
  'changed: 10, owner': (leads) => ({ ...changed(10, leads), owner_id: 7 }),
  'changed: 10,000, owner': (leads) => ({ ...changed(10_000, leads), owner_id: 7 }),
} as const satisfies Readonly<Record<string, (leads: number) => Query>>;

/** How many changed leads a sync job walks through, 100 leads a page. */
export const walks = {
  '1,000': () => 1000,
  '5 %': (leads) => Math.round(leads * 0.05),
  all: (leads) => leads,
} as const satisfies Readonly<Record<string, (leads: number) => number>>;
