import type { indexKeys } from './entities.ts';

/**
 * The service's table as data: the deployed table (infra/stack/lead-table.ts) and the local one (infra/cli/table.ts) are made from it.
 * `entities.ts` has its items.
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
  indexes: readonly {
    name: string;
    partitionKey: string;
    sortKey: string;
    holds: keyof typeof indexKeys;
  }[];
};

export type IndexName = (typeof tableDefinition.indexes)[number]['name'];

/** What the stream holds of each record. An event needs no earlier image. */
export const streamViewType = 'NEW_IMAGE';
