import type { FieldValue } from '../../shared/leads/lead.ts';
import type { Attribution, FieldChange, KeptField, TimelineItem } from '../../shared/leads/timeline.ts';
import { fieldKinds } from '../../shared/organization/field-kinds.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { printable } from './context.ts';

/** What an item may carry beside type, time and actor; DynamoDB gives a map's attributes in no order. */
interface Carried {
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

/** In the order of the contract's CaptureAttribution (section 2). */
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

/** One item for people: what happened, when and by whom on a line, then what it carries, always in the same order; what is empty is left out. */
export function timelineLines(organization: Organization, item: TimelineItem): string {
  const { via, importedAt, keyId, keyLabel, source, archived, filled = [], kept = [], changes = [], ...rest } = item as Carried;
  const { notes, text, attribution = {} } = rest;
  const said = (field: string, value: FieldValue | null): string => valueNamed(organization, field, value);
  const carried: [name: string, value: string | undefined][] = [
    ['via', via],
    ['imported at', importedAt],
    ['API key', keyLabel === undefined ? keyId : `${keyId} (${keyLabel})`],
    ['source', source],
    ['archived', archived ? 'yes: nothing was changed on the lead' : undefined],
    ['filled', filled.join(', ')],
    ...kept.map(({ field, current, submitted }): [string, string] => [
      'kept',
      `${field}: ${said(field, current)}, not ${said(field, submitted)} as sent`,
    ]),
    ...inFormOrder(organization, changes).map(({ field, from, to }): [string, string] => [
      field,
      `${said(field, from)} → ${said(field, to)}`,
    ]),
    ['notes', notes],
    ['text', text],
    ...attributionNames.map((name): [string, string | undefined] => [name, attribution[name]]),
  ];
  const lines = carried.flatMap(([name, value]) => (value ? [`    ${name}: ${indented(value)}`] : []));
  return [`${item.at}  ${item.type}  by ${printable(item.actor.name)}`, ...lines].join('\n');
}

/** What is no field, as stage and pipeline, comes last. */
function inFormOrder(organization: Organization, changes: readonly FieldChange[]): readonly FieldChange[] {
  const fieldKeys = organization.fields.map(({ key }) => key);
  const place = ({ field }: FieldChange): number => (fieldKeys.includes(field) ? fieldKeys.indexOf(field) : fieldKeys.length);
  return changes.toSorted((a, b) => place(a) - place(b));
}

/** Texts of several lines stay within their item. */
const indented = (value: string): string =>
  value
    .split(/\r\n|\r|\n/)
    .map(printable)
    .join('\n      ');

/** A value as the lead has it, and the name of what an id stands for; `empty` for none. */
function valueNamed(organization: Organization, field: string, value: FieldValue | null): string {
  if (value === null) return 'empty';
  if (typeof value === 'object') return value.join(', ');
  const name = typeof value === 'number' ? namesOf(organization, field)?.get(value)?.name : undefined;
  return name === undefined ? String(value) : `${value} (${name})`;
}

function namesOf(organization: Organization, field: string): ReadonlyMap<number, { readonly name: string }> | undefined {
  const { sourceById: sources, userById: users, stageById: stage, pipelineById: pipeline } = organization;
  const type = organization.fieldByKey.get(field)?.type;
  if (type === undefined) return field === 'stage' ? stage : field === 'pipeline' ? pipeline : undefined;
  const { references } = fieldKinds[type];
  return references === null ? undefined : { sources, users }[references];
}
