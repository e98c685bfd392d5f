import type { Plain } from '../../../support/reference/plain.ts';
import { comparableEmail, type Values } from '../../../support/reference/reference.ts';
import { mask, namesOfOthersTexts, ofPerson, takenFrom } from '../checker/timeline-writes.ts';
import { itemsUnder, type RestoredItems } from './restored-table.ts';

/**
 * The entries in which a restore changed the text of a person who was not erased, and the entries that still name a lead that it erased
 * again. It may change a text that an erasure removed from the old table, and a phone or email that an erased lead had and nobody has now.
 * @param erased as `organization#lead`
 */
export function changedTexts(items: RestoredItems, erased: ReadonlySet<string>): string[] {
  const { backup, old, restored } = items;
  return itemsUnder(restored, 'TIMELINE#').flatMap(([name, after]) => {
    const organizationId = String(after.pk).split('#')[1] ?? '';
    const people = peopleOf(items, organizationId, erased);
    const before = backup.get(name);
    const isErased = ofPerson(people.erased);
    const inOld = new Set(before ? takenOut(before, old?.before.get(name)) : []);
    const isTheirs = (text: unknown): boolean => inOld.has(String(text)) || isErased(text);
    const changed = before ? namesOfOthersTexts(before, after, isTheirs) : [];
    const remains = textsIn(after).some((text) => text.split(' ').some(ofPerson(people.leftOver)));
    return [
      ...changed.map(
        (one) => `The restore changed ${one} of ${name}, which is no erased person's.`,
      ),
      ...(remains ? [`The entry ${name} names a person who was erased again.`] : []),
    ];
  });
}

/** The phones and emails that belonged to erased leads, in the history or in the backup, and that no lead has now. */
function peopleOf(
  { backup, writes, restored }: RestoredItems,
  organizationId: string,
  erased: ReadonlySet<string>,
) {
  const pk = `LEADS#${organizationId}`;
  const isErased = (one: { sk?: unknown }): boolean =>
    erased.has(`${organizationId}#${Number(one.sk)}`);
  const leadsIn = (items: readonly (Plain | undefined)[]) =>
    items.flatMap((item) => (item?.pk === pk ? [item] : []));
  const held = identitiesOf(leadsIn([...restored.values()]));
  const free = (leads: readonly Plain[]): ReadonlySet<string> =>
    new Set([...identitiesOf(leads.filter(isErased))].filter((one) => !held.has(one)));
  return {
    erased: free(leadsIn(writes.map(({ after }) => after))),
    leftOver: free(leadsIn([...backup.values()])),
  };
}

const identitiesOf = (leads: readonly Plain[]): Set<string> =>
  new Set(
    leads.flatMap(({ fields }) => {
      const { phone, email } = fields as Values;
      return [String(phone), ...(email === undefined ? [] : [comparableEmail(String(email))])];
    }),
  );

/** The parts of an entry's texts for which another copy of it has marks. */
function takenOut(before: unknown, copy: unknown): string[] {
  if (typeof copy === 'string')
    return before !== copy && copy.includes(mask) ? takenFrom(String(before), copy) : [];
  if (typeof before !== 'object' || typeof copy !== 'object' || !before || !copy) return [];
  return Object.entries(before).flatMap(([name, one]) => takenOut(one, (copy as Plain)[name]));
}

/** Whether an entry still has what its copy has a mark for. */
export function keepsErased(versions: Record<'before' | 'copy' | 'after', unknown>): boolean {
  const { before, copy, after } = versions;
  if (typeof copy === 'string')
    return takenOut(before, copy).some((part) => String(after).includes(part));
  if (typeof before !== 'object' || typeof copy !== 'object' || !before || !copy) return false;
  const part = (of: unknown, name: string): unknown => (of as Plain | undefined)?.[name];
  return Object.entries(before).some(([name, one]) =>
    keepsErased({ before: one, copy: part(copy, name), after: part(after, name) }),
  );
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : Object.values(typeof value === 'object' && value ? value : {}).flatMap(textsIn);
