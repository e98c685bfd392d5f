import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../context.ts';

const lists = { stage: 'stages', user: 'users', source: 'sources' } as const;

/** @throws CommandError for an ID that the organization does not have: a typo must not look like an empty list */
export function assertKnownId(
  organization: Organization,
  noun: keyof typeof lists,
  id: number | undefined,
): void {
  const items: readonly { id: number; name: string }[] = organization[lists[noun]];
  if (id === undefined || items.some((item) => item.id === id)) return;
  const known = items.map((item) => `${item.id} (${item.name})`).join(', ');
  throw new CommandError(
    `Organization ${organization.id} has no ${noun} ${id}: ${known === '' ? `it has no ${lists[noun]}` : `its ${lists[noun]} are ${known}`}.`,
  );
}
