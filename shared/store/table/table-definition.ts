import type { ItemType } from '../../endpoints.ts';

/**
 * The one table as data: the deployed table (infra/stack/lead-table.ts) and the local one (infra/local/engine.ts) are both made from it.
 * What lies under each key stands in `primary-keys.ts`.
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLiveAttribute: 'ttl',
  /** Keys, so that a write pays for an index just when that key changes; sparse, so that archived leads leave them. */
  indexes: [
    { name: 'leadsByStage', partitionKey: 'stageKey', sortKey: 'sk', holds: 'stageIndex' },
    { name: 'leadsByOwner', partitionKey: 'ownerKey', sortKey: 'sk', holds: 'ownerIndex' },
    { name: 'leadsBySource', partitionKey: 'sourceKey', sortKey: 'sk', holds: 'sourceIndex' },
    { name: 'leadsByUpdate', partitionKey: 'updateKey', sortKey: 'updatedAt', holds: 'updateIndex' },
  ],
  /** What the indexes hold beside the keys: a large lead's size, so that a page knows before what it is about to read. */
  indexedToo: ['largeKb'],
} as const satisfies {
  partitionKey: string;
  sortKey: string;
  timeToLiveAttribute: string;
  indexedToo: readonly string[];
  indexes: readonly { name: string; partitionKey: string; sortKey: string; holds: ItemType }[];
};

export type IndexName = (typeof tableDefinition.indexes)[number]['name'];

/**
 * Item type to the prefix of its partition key. A prefix of its own per type, so that a function's role can be limited
 * to item types by `dynamodb:LeadingKeys`, although all lie in one table.
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
