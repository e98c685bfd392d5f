import type { ItemType } from '../../contract/endpoints.ts';

/**
 * The service's table as data: the deployed table (infra/stack/lead-table.ts) and the local one (infra/cli/table.ts) are made from it.
 * `primary-keys.ts` says which item is stored under each key.
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLiveAttribute: 'ttl',
  /** Indexes of keys only: a write pays for an index only if that key changes. Sparse: archived leads are in none. */
  indexes: [
    { name: 'leadsByStage', partitionKey: 'stageKey', sortKey: 'sk', holds: 'stageIndex' },
    { name: 'leadsByOwner', partitionKey: 'ownerKey', sortKey: 'sk', holds: 'ownerIndex' },
    { name: 'leadsBySource', partitionKey: 'sourceKey', sortKey: 'sk', holds: 'sourceIndex' },
    {
      name: 'leadsByUpdate',
      partitionKey: 'updateKey',
      sortKey: 'updatedAt',
      holds: 'updateIndex',
    },
  ],
} as const satisfies {
  partitionKey: string;
  sortKey: string;
  timeToLiveAttribute: string;
  indexes: readonly { name: string; partitionKey: string; sortKey: string; holds: ItemType }[];
};

export type IndexName = (typeof tableDefinition.indexes)[number]['name'];

/**
 * Item type to the prefix of its partition key. Each type has its own prefix, so that a function's role can be limited
 * to item types by `dynamodb:LeadingKeys`, although all types share one table.
 */
export const partitionKeyPrefixes = {
  settings: 'ORG#',
  usage: 'USAGE#',
  apiKey: 'KEY#',
  turn: 'TURN#',
  lead: 'LEADS#',
  phone: 'PHONE#',
  email: 'EMAIL#',
  timeline: 'TIMELINE#',
  idempotency: 'IDEMPOTENCY#',
  importedRow: 'IMPORTED#',
  erasure: 'ERASURE#',
  history: 'HISTORY#',
  stageIndex: 'STAGE#',
  ownerIndex: 'OWNER#',
  sourceIndex: 'SOURCE#',
  updateIndex: 'UPDATED#',
} as const satisfies Record<ItemType, string>;

/** What the stream holds of each record. An event needs no earlier image. */
export const streamViewType = 'NEW_IMAGE';
