import { sinceOf } from './generated-leads.ts';

export type Query = Readonly<Record<string, string | number>>;

/** A question that is put to organizations of every size. */
export interface ListingQuestion {
  readonly name: string;
  /** @param leads of the organization */
  readonly query: (leads: number) => Query;
}

const filtered = (...filters: object[]): Query => ({ filter: JSON.stringify(filters) });
const changed =
  (share: (leads: number) => number) =>
  (leads: number): Query => ({
    updated_since: sinceOf(Math.min(leads, share(leads)), leads),
  });
const always = (query: Query) => (): Query => query;

/** `limit` is the default, 25, where it is not named. */
export const questions: readonly ListingQuestion[] = [
  { name: 'first page', query: always({}) },
  { name: 'first page of 100', query: always({ limit: 100 }) },
  { name: 'deep page', query: (leads) => ({ cursor: Math.ceil(leads / 2) }) },
  { name: 'stage', query: always({ stage_id: 12 }) },
  { name: 'pipeline of 4 stages', query: always({ pipeline_id: 1 }) },
  { name: 'owner', query: always({ owner_id: 7 }) },
  { name: 'source', query: always({ source_id: 3 }) },
  { name: 'stage, owner and source', query: always({ stage_id: 13, owner_id: 7, source_id: 3 }) },
  {
    name: 'field filter, 1 in 10',
    query: always(filtered({ field: 'course', operator: 'is_any_of', values: ['mba'] })),
  },
  {
    name: 'stage, and a field filter',
    query: always({
      stage_id: 13,
      ...filtered({ field: 'course', operator: 'is_any_of', values: ['mba'] }),
    }),
  },
  { name: 'stage, 1 in 10,000', query: always({ stage_id: 21 }) },
  { name: 'owner and source, 1 in 10,000', query: always({ owner_id: 8, source_id: 3 }) },
  {
    name: 'field filter, 1 in 10,000',
    query: always(filtered({ field: 'city', operator: 'equals', value: 'Leh' })),
  },
  { name: 'changed: 10', query: changed(() => 10) },
  { name: 'changed: 10,000', query: changed(() => 10_000) },
  { name: 'changed: 20 %', query: changed((leads) => Math.round(leads / 5)) },
  { name: 'changed: all', query: changed((leads) => leads) },
  {
    name: 'changed: 10, owner',
    query: (leads) => ({ ...changed(() => 10)(leads), owner_id: 7 }),
  },
  {
    name: 'changed: 10,000, owner',
    query: (leads) => ({ ...changed(() => 10_000)(leads), owner_id: 7 }),
  },
];

/** The most options that settings of 350 KB hold, and so the largest field that a filter is read by. */
export const mostOptions = Array.from({ length: 9000 }, (_, index) => ({
  value: `o${index}`,
  label: `${index}`,
}));

/** The largest filter: half of its 8,000 characters a part that nearly matches everywhere in `heavyLead`, half of them options. */
export const largestFilter: ListingQuestion = {
  name: 'largest filter, largest settings',
  query: always(
    filtered(
      { field: 'remarks', operator: 'contains', value: `${'r'.repeat(975)}b${'r'.repeat(2924)}` },
      {
        field: 'course',
        operator: 'is_any_of',
        values: mostOptions.slice(-480).map(({ value }) => value),
      },
    ),
  ),
};

/** The shares of changed leads whose whole walk is measured, 100 leads a page, as a sync job walks. */
export const walkShares: readonly {
  readonly name: string;
  readonly changed: (leads: number) => number;
}[] = [
  { name: '10', changed: () => 10 },
  { name: '1,000', changed: () => 1000 },
  { name: '10,000', changed: () => 10_000 },
  { name: '5 %', changed: (leads) => Math.round(leads * 0.05) },
  { name: '20 %', changed: (leads) => Math.round(leads * 0.2) },
  { name: 'all', changed: (leads) => leads },
];
