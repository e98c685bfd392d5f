import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type EntryPlace, eventOf, type LeadEvent } from '../../leads/events.ts';
import type { TimelineEntryItem } from '../table/items.ts';
import { kindOf, type PrimaryKey } from '../table/primary-keys.ts';

/** The parts of a stream record that the publisher reads (AWS: DynamoDB Streams, `Record`). */
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

/** The item that the keys or an image of a record represent. */
const itemIn = <T>(image: Readonly<Record<string, unknown>>): T =>
  unmarshall(image as Record<string, AttributeValue>) as T;

/** The lead to which a record's timeline entry belongs, from the entry's key alone. */
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

/** The event of a record; undefined if it is not a new timeline entry, or if a later release added the entry's type. */
export function eventInRecord({ eventName, dynamodb }: StreamRecord): LeadEvent | undefined {
  if (eventName !== 'INSERT' || !dynamodb?.NewImage) return undefined;
  const { pk, sk: id, ...entry } = itemIn<TimelineEntryItem>(dynamodb.NewImage);
  const kind = kindOf({ pk, sk: id });
  if (kind?.kind !== 'timeline') return undefined;
  const place: EntryPlace = { organizationId: kind.organizationId, leadId: kind.leadId, id };
  return eventOf(place, entry);
}
