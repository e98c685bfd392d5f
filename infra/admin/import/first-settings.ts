import { comparableName } from '../../../shared/base/text.ts';
import { hasEmailForm } from '../../../shared/leads/field-values.ts';
import { targetNamed } from '../../../shared/leads/transfer/import-columns.ts';
import { usualTarget } from '../../../shared/leads/transfer/usual-headings.ts';
import { builtInNamed } from '../../../shared/organization/built-in-fields.ts';
import { withName } from '../../../shared/organization/named.ts';
import { completedFile } from '../../../shared/organization/names-alone.ts';
import { type Organization, organizationFrom } from '../../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import type { WrittenFile } from '../../../shared/organization/settings-schema.ts';
import { dateFormats, writtenDate } from '../files/written-times.ts';
import { phoneOfCountry } from '../options.ts';
import type { ReadList } from './open.ts';

type Field = WrittenFile['fields'][number];

const optionsMax = 30;
const nameMaxChars = 200;
/** Columns that need no settings, because the plan reads them. */
const ofThePlan = [
  'note',
  'pipeline',
  'created at',
  'updated at',
  'archived at',
  'lead id',
  'lead_type',
];

/** The smallest settings that accept captures. */
export const settingsWith = (id: number, more: object) => ({
  id,
  name: 'My organization',
  modules: ['crm'],
  users: ['First user'],
  stages: ['New', { name: 'Won', meaning: 'won' }, { name: 'Lost', meaning: 'lost' }],
  sources: ['Website'],
  fields: [],
  ...more,
});

/** The organization that a settings file defines. */
export function organizationOf(text: string): Organization {
  return organizationFrom(parseSettingsFile(completedFile(text, undefined)).settings, 1);
}

/** Proposes an organization's settings from a list of its leads: names of users, stages and sources, and fields for all other columns. */
export function settingsFromList(id: number, columns: ReadList['columns']): object {
  const empty = organizationOf(JSON.stringify(settingsWith(id, {})));
  const names = new Map<string, readonly string[]>();
  const fields: Field[] = [];
  const taken = new Set<string>();
  for (const { heading, values } of columns) {
    if (heading === '' || values.length === 0 || isRowNumbers(values)) continue;
    const exact = targetNamed(empty, heading);
    const usual = usualTarget(empty, heading);
    const name = exact?.name ?? usual?.target.name;
    if (usual?.isPart || (name !== undefined && ofThePlan.includes(name))) continue;
    if (name !== undefined && !taken.has(name)) {
      taken.add(name);
      if (['assigned_to', 'stage', 'source'].includes(name)) names.set(name, namesIn(values));
    } else if (!exact) fields.push(fieldFor(heading, values, fields));
  }
  const stages = names
    .get('stage')
    ?.map(stageNamed)
    .toSorted((a, b) => a.rank - b.rank);
  return settingsWith(id, {
    ...(names.get('assigned_to')?.length && { users: names.get('assigned_to') }),
    ...(stages?.length && { stages: stages.map(({ stage }) => stage) }),
    sources: distinct(['Website', ...(names.get('source') ?? [])]),
    fields,
  });
}

/** The first spelling of each text, where texts that people read as the same name count once. */
const distinct = (texts: readonly string[]): string[] =>
  [...Map.groupBy(new Set(texts), comparableName).values()].flatMap(([first]) => first ?? []);

/** Excludes numbers, which are IDs of another system. */
const namesIn = (values: readonly string[]): string[] =>
  distinct(values).filter((text) => text.length <= nameMaxChars && !/^\d+$/.test(text));

const isRowNumbers = (values: readonly string[]): boolean =>
  values.every((value, at) => value === String(at + 1));

/** Stages where leads start come first, and stages where they end come last. */
function stageNamed(name: string): { rank: number; stage: string | object } {
  if (
    /\bnot\b|\b(lost|dead|junk|dropped|invalid|rejected|closed)\b/i.test(name) &&
    !/won/i.test(name)
  )
    return { rank: 3, stage: { name, meaning: 'lost' } };
  if (/\b(won|enrolled|admitted|admission (done|taken)|converted|joined|customer)\b/i.test(name))
    return { rank: 2, stage: { name, meaning: 'won' } };
  return { rank: /\b(new|fresh|naya)\b/i.test(name) ? 0 : 1, stage: name };
}

function fieldFor(heading: string, values: readonly string[], fields: readonly Field[]): Field {
  const words = heading
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['field'];
  const base = words.join('_').slice(0, 50);
  const isTaken = (key: string): boolean =>
    ['constructor', 'pipeline', 'stage', 'owner', 'note'].includes(key) ||
    builtInNamed(key) !== undefined ||
    fields.some((field) => field.key === key);
  let key = base;
  for (let number = 2; isTaken(key); number += 1) key = `${base}_${number}`;
  const named = heading.slice(0, nameMaxChars).trim();
  // Two headings can differ only in invisible characters.
  const isLabel =
    withName(
      fields.map((field) => ({ name: field.label })),
      named,
    ).length > 0;
  const label = isLabel ? key : named;
  const options = distinct(values);
  const type = typeOf(values, options);
  return {
    key,
    label,
    type,
    section: 'Enquiry',
    storage: 'custom',
    ...(type === 'select' && { options: options.map((value) => ({ value, label: value })) }),
  };
}

/** The type that most readers would give a column's values. Numbers of equal length are codes, such as postcodes. */
function typeOf(values: readonly string[], options: readonly string[]): Field['type'] {
  const are = (is: (value: string) => boolean): boolean => values.every(is);
  if (are(hasEmailForm)) return 'email';
  if (are((value) => phoneOfCountry(value, undefined).phone !== undefined)) return 'phone';
  if (
    [undefined, ...dateFormats].some((format) =>
      are((value) => writtenDate(value, format) !== undefined),
    )
  )
    return 'date';
  const isNumber = (value: string) => /^(0|[1-9]\d{0,8})(\.\d{1,2})?$/.test(value);
  if (are(isNumber))
    return new Set(values.map(({ length }) => length)).size > 1 ? 'number' : 'text';
  const isRepeated = options.length <= optionsMax && values.length >= 2 * options.length;
  if (isRepeated && options.every(({ length }) => length <= nameMaxChars)) return 'select';
  return are((value) => value.length <= nameMaxChars && !value.includes('\n'))
    ? 'text'
    : 'textarea';
}
