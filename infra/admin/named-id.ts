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
  const withId = items.find(({ id }) => String(id) === folded);
  const [found, ...others] = withId
    ? [withId]
    : items.filter(({ name }) => name.trim().toLowerCase() === folded);
  const text = /^\d+$/.test(folded) ? folded : JSON.stringify(named);
  if (found && others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(' and ');
    throw new CommandError(
      `Organization ${organizationId} has more than one ${noun} ${text}: use its ID; the IDs are ${ids}.`,
    );
  }
  if (found) return found.id;
  const known = items.map((item) => `${item.id} (${item.name})`).join(', ');
  throw new CommandError(
    `Organization ${organizationId} has no ${noun} ${text}: ${known === '' ? `it has no ${lists[noun]}` : `its ${lists[noun]} are ${known}`}.`,
  );
}
