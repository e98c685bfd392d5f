import type { indexKeys } from './entities.ts';

/**
 * The service's table as data. The deployed table (infra/stack/lead-table.ts) and the local one (infra/cli/table.ts) are made from it.
 * `entities.ts` describes its items.
 */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLiveAttribute: 'ttl',
  /**
   * Indexes that project only keys, so that a write pays for an index only if its key changes. They are sparse: archived leads are in none.
   */
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

/** What the stream contains for each record. An event does not need the old image. */
export const streamViewType = 'NEW_IMAGE';
