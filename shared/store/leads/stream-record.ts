import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type EntryPlace, eventOf, type LeadEvent } from '../../leads/events.ts';
import type { TimelineEntryItem } from '../table/items.ts';
import { kindOf, type PrimaryKey } from '../table/primary-keys.ts';

/** What the publisher reads of a record of the table's stream (AWS: DynamoDB Streams, `Record`). */
export interface StreamRecord {
  readonly eventName?: string | undefined;
  readonly dynamodb?:
    | {
        readonly SequenceNumber?: string | undefined;
        readonly Keys?: Readonly<Record<string, unknown>> | undefined;
        readonly NewImage?: Readonly<Record<string, unknown>> | undefined;
      }
    | undefined;
}

/** Keys or an image of a record as the item that they are of. */
const itemIn = <T>(image: Readonly<Record<string, unknown>>): T =>
  unmarshall(image as Record<string, AttributeValue>) as T;

/** The lead of a timeline entry's record, by its key alone. */
export function leadOfRecord({
  dynamodb,
}: StreamRecord): Pick<EntryPlace, 'organizationId' | 'leadId'> | undefined {
  if (!dynamodb?.Keys) return undefined;
  const { pk, sk } = itemIn<PrimaryKey>(dynamodb.Keys);
  const kind = kindOf({ pk, sk });
  return kind?.kind === 'timeline'
    ? { organizationId: kind.organizationId, leadId: kind.leadId }
    : undefined;
}

/** The event that a record tells; undefined if it is not a new timeline entry, or of a type that a later release added. */
export function eventInRecord({ eventName, dynamodb }: StreamRecord): LeadEvent | undefined {
  if (eventName !== 'INSERT' || !dynamodb?.NewImage) return undefined;
  const { pk, sk: id, ...entry } = itemIn<TimelineEntryItem>(dynamodb.NewImage);
  const kind = kindOf({ pk, sk: id });
  if (kind?.kind !== 'timeline') return undefined;
  const place: EntryPlace = { organizationId: kind.organizationId, leadId: kind.leadId, id };
  return eventOf(place, entry);
}
