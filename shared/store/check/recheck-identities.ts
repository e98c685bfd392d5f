import { comparableEmail } from '../../leads/identity.ts';
import { type Lead, valueOf } from '../../leads/lead.ts';
import type { OrganizationTable } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { Item } from '../table/items.ts';
import {
  emailPrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
} from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';
import { leadIn } from './lead-issues.ts';
import { readTogether, readUntilStable, readWithLead, untilStable } from './read-together.ts';
import type { Violations } from './recheck.ts';

type IdentityKind = 'phone' | 'email';

/** A lead's phone or email as it is compared; undefined if it has none, or the value is not a text. */
export function identityOf(lead: Pick<Lead, 'fields'>, kind: IdentityKind): string | undefined {
  const value = valueOf(lead.fields, kind);
  if (typeof value !== 'string' || value === '') return undefined;
  return kind === 'phone' ? value : comparableEmail(value);
}
const identityKey = (organizationId: number, kind: IdentityKind, value: string): PrimaryKey =>
  kind === 'phone'
    ? phonePrimaryKey(organizationId, value)
    : emailPrimaryKey(organizationId, value);

/** Checks the items of a lead's phone and email. An item that wrongly names this lead is found by `recheckIdentityItem`. */
export async function recheckIdentities(own: OrganizationTable, leadId: number): Violations {
  const { table, organizationId } = own;
  const leadKey = leadPrimaryKey(organizationId, leadId);
  return untilStable(async () => {
    const before = await getItem(table, leadKey);
    if (!before) return [];
    const identities = identitiesOf(leadIn(organizationId, leadId, before));
    const keys = identities.map(({ kind, value }) => identityKey(organizationId, kind, value));
    const items = await readTogether(table, [leadKey, ...keys]);
    if (items === conflict) return conflict;
    const [leadItem, ...identityItems] = items;
    if (!leadItem) return [];
    const lead = leadIn(organizationId, leadId, leadItem);
    if (identities.some(({ kind, value }) => identityOf(lead, kind) !== value)) return conflict;
    const issues = identities.map((identity, index) =>
      identityIssue(own, leadId, identity, identityItems[index]),
    );
    return (await Promise.all(issues)).filter((issue) => issue !== undefined);
  });
}

/** A phone or email as it is compared. */
interface Identity {
  readonly kind: IdentityKind;
  readonly value: string;
}

const identitiesOf = (lead: Lead): Identity[] =>
  (['phone', 'email'] as const).flatMap((kind) => {
    const value = identityOf(lead, kind);
    return value === undefined ? [] : [{ kind, value }];
  });

async function identityIssue(
  own: OrganizationTable,
  leadId: number,
  identity: Identity,
  item: Item | undefined,
): Promise<string | undefined> {
  const { kind, value } = identity;
  const key = keyText(identityKey(own.organizationId, kind, value));
  const has = `Lead ${leadId} of organization ${own.organizationId} has the ${kind} ${value}`;
  if (!item) return `${has}, but the item ${key} is not there.`;
  const holderId = item.leadId;
  const isShared =
    typeof holderId === 'number' &&
    holderId !== leadId &&
    (await hasIdentity(own, holderId, identity));
  return isShared ? `${has}, and so has lead ${holderId}, which the item ${key} names.` : undefined;
}

async function hasIdentity(
  { table, organizationId }: OrganizationTable,
  leadId: number,
  identity: Identity,
): Promise<boolean> {
  const [item] = await readUntilStable(table, [leadPrimaryKey(organizationId, leadId)]);
  return (
    item !== undefined &&
    identityOf(leadIn(organizationId, leadId, item), identity.kind) === identity.value
  );
}

/** The lead that an identity item names must exist and have the phone or email. @param leadId as the item named it before */
export async function recheckIdentityItem(
  own: OrganizationTable,
  { kind, value }: Identity,
  leadId: unknown,
): Violations {
  const { organizationId } = own;
  const key = identityKey(organizationId, kind, value);
  const source = { leadId, leadIdIn: (item: Item) => item.leadId };
  const violations = await readWithLead(own, key, source, (namedId, item) => {
    if (typeof namedId !== 'number') return [`The item ${keyText(key)} names no lead.`];
    const names = `The item ${keyText(key)} names lead ${namedId} of organization ${organizationId}`;
    if (!item) return [`${names}, which is not there.`];
    const current = identityOf(leadIn(organizationId, namedId, item), kind);
    if (current === value) return [];
    return [
      current === undefined
        ? `${names}, which has no ${kind}.`
        : `${names}, whose ${kind} is ${current}.`,
    ];
  });
  return violations ?? [];
}
