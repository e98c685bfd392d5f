import type { FieldValue } from '../../shared/leads/lead.ts';
import { fieldKinds } from '../../shared/organization/field-kinds.ts';
import { itemsNamed, type NamedItem } from '../../shared/organization/named.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { CommandError } from '../cli/command.ts';

type NamedNoun = 'stage' | 'pipeline' | 'user' | 'source';
type Offered = 'all' | 'active';

/**
 * The ID of the item that a command line names by its ID or, ignoring case, by its exact name; undefined if it names none.
 * @param offered the items that the error lists as choices: `active` for a command that refuses inactive ones
 * @throws CommandError if the name is ambiguous or unknown, because a typo must not look like an empty list
 */
export function namedId(
  organization: Organization,
  noun: NamedNoun,
  named: string,
  offered?: Offered,
): number;
export function namedId(
  organization: Organization,
  noun: NamedNoun,
  named: string | undefined,
  offered?: Offered,
): number | undefined;
export function namedId(
  { id: organizationId, ...organization }: Organization,
  noun: NamedNoun,
  named: string | undefined,
  offered: Offered = 'all',
): number | undefined {
  if (named === undefined) return undefined;
  const items: readonly NamedItem[] = organization[`${noun}s`];
  const same = itemsNamed(items, named);
  const [found, ...others] = same;
  if (found && others.length === 0) return found.id;
  const text = /^\d+$/.test(named.trim()) ? named.trim() : JSON.stringify(named);
  const choices = items.filter(({ active = true }) => active || offered === 'all');
  const known = choices.map(({ id, name }) => `${id} (${name})`).join(', ');
  const nouns = offered === 'all' ? `${noun}s` : `active ${noun}s`;
  const issue = found
    ? `more than one ${noun} ${text}: use its ID; the IDs are ${same.map(({ id }) => id).join(' and ')}`
    : `no ${noun} ${text}: ${known === '' ? `it has no ${nouns}` : `its ${nouns} are ${known}`}`;
  throw new CommandError(`Organization ${organizationId} has ${issue}.`);
}

/** A value, followed by the name if the value is an ID; `empty` for null. */
export function valueWithName(
  organization: Organization,
  field: string,
  value: FieldValue | null,
): string {
  if (value === null) return 'empty';
  if (typeof value === 'object') return value.join(', ');
  const name = itemsNamedBy(organization, field).find(({ id }) => id === value)?.name;
  return name === undefined ? String(value) : `${value} (${name})`;
}

/** The items whose IDs are a field's values; none if the values are not IDs. */
export function itemsNamedBy(organization: Organization, field: string): readonly NamedItem[] {
  // No field can have these keys, because settings files reserve both.
  if (field === 'stage') return organization.stages;
  if (field === 'pipeline') return organization.pipelines;
  const type = organization.fieldByKey.get(field)?.type;
  const references = type === undefined ? null : fieldKinds[type].references;
  return references === null ? [] : organization[references];
}
