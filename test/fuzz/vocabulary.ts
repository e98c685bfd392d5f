import type { Vocabulary } from './from-schema.ts';
import type { Random } from './random.ts';
import { fieldTypes } from './tenant.ts';

/** Few people, so that enquiries meet leads that are there. */
const people = 40;

const phone = (random: Random): string => {
  const digits = String(9_820_000_000 + random.integer(0, people - 1));
  return random.pick([
    `+91${digits}`,
    `0${digits}`,
    `+91 ${digits.slice(0, 5)} ${digits.slice(5)}`,
    digits,
  ]);
};
const email = (random: Random): string =>
  random
    .pick(['person', 'Person', 'PERSON'])
    .concat(`${random.integer(0, people - 1)}@example.com`);
const name = (random: Random): string =>
  random.pick(['Asha Rao', 'संगीता कुमार', "O'Neill", 'Ünal 😀', 'A']);
const date = (random: Random): string =>
  `20${random.integer(20, 30)}-0${random.integer(1, 9)}-${random.integer(10, 28)}`;
const sourceId = (random: Random): number =>
  random.percent(4) ? random.pick([4, 99]) : random.pick([1, 3]);
const userId = (random: Random): number =>
  random.percent(4) ? random.pick([9, 99]) : random.pick([7, 8]);

/** A value that a field of this type takes. */
export function fieldValue(key: string, random: Random): unknown {
  const { type, options } = fieldTypes.get(key) ?? { type: 'text', options: [] };
  switch (type) {
    case 'number':
      return random.pick([0, 1, -5, 12.5, 1e15, '42', random.integer(0, 1_000_000)]);
    case 'date':
      return date(random);
    case 'phone':
      return phone(random);
    case 'email':
      return email(random);
    case 'url':
      return random.pick(['https://example.com/a?b=c', 'http://example.org']);
    case 'select':
      return random.pick(options);
    case 'multiselect':
      return random.some(options);
    case 'checkbox':
      return random.pick([true, false, 'yes', 'no']);
    case 'lead_source':
      return sourceId(random);
    case 'user':
      return userId(random);
    default:
      return key === 'name'
        ? name(random)
        : random.pick(['Pune', 'Mumbai', 'पुणे', 'x', name(random)]);
  }
}

const operators: Readonly<Record<string, readonly string[]>> = {
  number: ['equals', 'gt', 'lt', 'between', 'is_empty', 'is_not_empty'],
  date: ['on', 'before', 'after', 'between', 'is_empty', 'is_not_empty'],
  select: ['is_any_of', 'is_empty', 'is_not_empty'],
  lead_source: ['is_any_of', 'is_empty', 'is_not_empty'],
  user: ['is_any_of', 'is_empty', 'is_not_empty'],
  multiselect: ['has_any_of', 'is_empty', 'is_not_empty'],
  checkbox: ['is_true', 'is_false'],
};

/** A filter that can apply to one of the organization's fields. */
function filter(random: Random): object {
  const field = random.pick([...fieldTypes.keys()]);
  const operator = random.pick(
    operators[fieldTypes.get(field)?.type ?? ''] ?? [
      'contains',
      'equals',
      'is_empty',
      'is_not_empty',
    ],
  );
  const value = (): unknown => [fieldValue(field, random)].flat()[0];
  if (/^is_(not_)?empty$|^is_(true|false)$/.test(operator)) return { field, operator };
  if (operator === 'between') return { field, operator, values: [value(), value()] };
  return operator.endsWith('_of')
    ? { field, operator, values: random.times(1, 3, value) }
    : { field, operator, value: value() };
}

/**
 * Values that fit the organization of `tenant.ts`.
 * @param isCapture a capture names the person beside `fields`, not in it
 * @param leadIds of leads that are there
 */
export const vocabularyFor =
  (isCapture: boolean, leadIds: readonly number[]): Vocabulary =>
  (property, random) => {
    switch (property) {
      case 'name':
        return name(random);
      case 'phone':
        return phone(random);
      case 'email':
        return email(random);
      case 'source':
        return random.pick(['Website', 'facebook ads', 'Old fair', 'nobody knows']);
      case 'stageId':
      case 'stage_id':
        return random.percent(4) ? 99 : random.pick([11, 12, 21]);
      case 'pipelineId':
      case 'pipeline_id':
        return random.percent(4) ? 99 : random.pick([1, 1, 1, 2]);
      case 'source_id':
        return sourceId(random);
      case 'owner_id':
        return userId(random);
      case 'cursor':
        return random.integer(1, 60);
      case 'leadId':
        return random.percent(90) && leadIds.length > 0 ? random.pick(leadIds) : undefined;
      case 'externalId':
      case 'Idempotency-Key':
        return `visit-${random.integer(1, 30)}`;
      case 'filter':
        return random.times(0, 3, filter);
      case 'fields':
        return fields(isCapture, random);
      default:
        return undefined;
    }
  };

const namedBeside = ['name', 'phone', 'email', 'source', 'assigned_to'];

function fields(isCapture: boolean, random: Random): object {
  const others = [...fieldTypes.keys()].filter(
    (key) => !namedBeside.includes(key) && key !== 'old_notes',
  );
  const chosen = random.some(others, 30);
  const named = isCapture
    ? []
    : [
        ...(random.percent(95) ? ['name', 'phone'] : []),
        ...random.some(['email', 'source', 'assigned_to'], 40),
      ];
  const cleared = (key: string): unknown => (random.percent(5) ? null : fieldValue(key, random));
  return Object.fromEntries(
    [...named, ...chosen].map((key) => [
      key,
      namedBeside.includes(key) ? fieldValue(key, random) : cleared(key),
    ]),
  );
}
