import type { NamedItem } from '../../shared/organization/named.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { CommandError } from '../cli/command.ts';

const lists = {
  stage: 'stages',
  pipeline: 'pipelines',
  user: 'users',
  source: 'sources',
} as const;

/**
 * The ID of what a command line names by its ID or its exact name, case ignored; undefined if it names nothing.
 * @throws CommandError for a name that two share, and for an unknown one: a typo must not look like an empty list
 */
export function namedId(
  organization: Organization,
  noun: keyof typeof lists,
  named: string,
): number;
export function namedId(
  organization: Organization,
  noun: keyof typeof lists,
  named: string | undefined,
): number | undefined;
export function namedId(
  { id: organizationId, ...organization }: Organization,
  noun: keyof typeof lists,
  named: string | undefined,
): number | undefined {
  if (named === undefined) return undefined;
  const items: readonly NamedItem[] = organization[lists[noun]];
  const folded = named.trim().toLowerCase();
  const withId = items.filter(({ id }) => String(id) === folded);
  const withName = items.filter(({ name }) => name.trim().toLowerCase() === folded);
  const [found, ...others] = withId.length > 0 ? withId : withName;
  if (found && others.length === 0) return found.id;
  const text = /^\d+$/.test(folded) ? folded : JSON.stringify(named);
  const known = items.map(({ id, name }) => `${id} (${name})`).join(', ');
  const issue = found
    ? `more than one ${noun} ${text}: use its ID; the IDs are ${withName.map(({ id }) => id).join(' and ')}`
    : `no ${noun} ${text}: ${known === '' ? `it has no ${lists[noun]}` : `its ${lists[noun]} are ${known}`}`;
  throw new CommandError(`Organization ${organizationId} has ${issue}.`);
}
