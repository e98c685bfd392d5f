import type { FieldValue } from '../../../shared/leads/lead.ts';
import type {
  Attribution,
  FieldChange,
  KeptField,
  TimelineItem,
} from '../../../shared/leads/timeline.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { printable } from '../../cli/format.ts';
import { indented, valueWithName } from './value-text.ts';

/** What an item may have besides type, time and actor. */
interface ItemDetails {
  readonly via?: string;
  readonly importedAt?: string;
  readonly keyId?: string;
  readonly keyLabel?: string;
  readonly source?: string;
  readonly archived?: boolean;
  readonly filled?: readonly string[];
  readonly kept?: readonly KeptField[];
  readonly changes?: readonly FieldChange[];
  readonly notes?: string;
  readonly text?: string;
  readonly attribution?: Attribution;
}

/** In the order of CaptureAttribution (contract, section 2). */
const attributionNames = [
  'pageUrl',
  'pageTitle',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'formName',
];

/**
 * One timeline item as text: a line with the time, the type and the actor, then a line per detail. Details have a fixed order, because
 * DynamoDB returns the attributes of a map in any order; empty ones are left out.
 */
export function timelineLines(organization: Organization, item: TimelineItem): string {
  const {
    via,
    importedAt,
    keyId,
    keyLabel,
    source,
    archived,
    filled = [],
    kept = [],
    changes = [],
    ...rest
  } = item as ItemDetails;
  const { notes, text, attribution = {} } = rest;
  const display = (field: string, value: FieldValue | null): string =>
    valueWithName(organization, field, value);
  const details: [name: string, value: string | undefined][] = [
    ['via', via],
    ['imported at', importedAt],
    ['API key', keyLabel === undefined ? keyId : `${keyId} (${keyLabel})`],
    ['source', source],
    ['archived', archived ? 'yes: the capture did not change the lead' : undefined],
    ['filled', filled.join(', ')],
    ...kept.map(({ field, current, submitted }): [string, string] => [
      'kept',
      `${field}: ${display(field, current)}; submitted: ${display(field, submitted)}`,
    ]),
    ...inFormOrder(organization, changes).map(({ field, from, to }): [string, string] => [
      field,
      `${display(field, from)} → ${display(field, to)}`,
    ]),
    ['notes', notes],
    ['text', text],
    ...attributionNames.map((name): [string, string | undefined] => [name, attribution[name]]),
  ];
  const lines = details.flatMap(([name, value]) =>
    value ? [`    ${name}: ${indented(value)}`] : [],
  );
  return [`${item.at}  ${item.type}  by ${printable(item.actor.name)}`, ...lines].join('\n');
}

/** Stage and pipeline are not fields and come last. */
function inFormOrder(
  organization: Organization,
  changes: readonly FieldChange[],
): readonly FieldChange[] {
  const fieldKeys = organization.fields.map(({ key }) => key);
  const place = ({ field }: FieldChange): number =>
    fieldKeys.includes(field) ? fieldKeys.indexOf(field) : fieldKeys.length;
  return changes.toSorted((a, b) => place(a) - place(b));
}
