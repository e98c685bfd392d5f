import { prefixOf } from './entities.ts';

/**
 * The stream records to publish: inserted timeline entries. Erasures modify or delete entries, so they publish nothing. The form is that of
 * an event source mapping (AWS: Lambda event filtering).
 */
export const eventFilter = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: prefixOf('timeline') }] } } },
} as const;
