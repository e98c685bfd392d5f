import { type Organization, organizationFrom } from '../../organization/organization.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { Item, SettingsItem } from '../table/items.ts';
import {
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { leadIn, leadIssues } from './lead-issues.ts';
import { readUntilStable, readWithLead } from './read-together.ts';

/**
 * Each function reads again, in one transaction, what looked wrong, and returns the violations that remain, as sentences. What live
 * traffic has changed since, or is changing, is never reported.
 */
export type Violations = Promise<string[]>;

export function organizationIn(settingsItem: Item | undefined): Organization | undefined {
  if (!settingsItem) return undefined;
  const { settings, version } = settingsItem as SettingsItem;
  return organizationFrom(settings, version);
}

/** The last lead id that was assigned; undefined if the usage item does not say. */
export const lastLeadIdIn = (usageItem: Item | undefined): number | undefined =>
  typeof usageItem?.lastLeadId === 'number' ? usageItem.lastLeadId : undefined;

/** Checks a lead in itself, against the organization's settings and against its usage item. */
export async function recheckLead(
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Violations {
  const keys = [
    leadPrimaryKey(organizationId, leadId),
    settingsPrimaryKey(organizationId),
    usagePrimaryKey(organizationId),
  ];
  const [item, settings, usage] = await readUntilStable(table, keys);
  if (!item) return [];
  return leadIssues(
    leadIn(organizationId, leadId, item),
    item,
    organizationIn(settings),
    lastLeadIdIn(usage),
  );
}

/** The lead of an idempotency record must exist. @param leadId as the record named it before */
export async function recheckRecord(
  own: OrganizationTable,
  key: PrimaryKey,
  leadId: unknown,
): Violations {
  const violations = await readWithLead(
    own,
    key,
    { leadId, leadIdIn: recordedLead },
    (namedId, lead) => {
      if (lead) return [];
      const names = `The idempotency record ${keyText(key)} names`;
      if (typeof namedId !== 'number') return [`${names} no lead.`];
      return [
        `${names} lead ${namedId} of organization ${own.organizationId}, which is not there.`,
      ];
    },
  );
  return violations ?? [];
}

export const recordedLead = ({ result }: Item): unknown =>
  typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;

/** The lead of an imported row must exist: an erasure deletes the row too. */
export async function recheckImportedRow(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
): Violations {
  const [before] = await readUntilStable(table, [key]);
  if (!before) return [];
  const leadId = Number(before.leadId);
  const [row, lead] = await readUntilStable(table, [key, leadPrimaryKey(organizationId, leadId)]);
  if (!row || lead) return [];
  return [
    `The imported row ${keyText(key)} became lead ${before.leadId} of organization ${organizationId}, which is not there.`,
  ];
}

/** The item of an erasure exists until the erasure is complete. */
export async function recheckErasure(
  { table, organizationId }: OrganizationTable,
  key: PrimaryKey,
  leadId: number,
): Violations {
  const [erasure] = await readUntilStable(table, [key]);
  if (!erasure) return [];
  return [
    `The erasure of lead ${leadId} of organization ${organizationId} is in progress or was interrupted: npm run admin -- lead erase --organization ${organizationId} --lead ${leadId} completes it.`,
  ];
}
