import { isDeepStrictEqual } from 'node:util';
import {
  activeSourceNamed,
  defaultSourceName,
  organizationFrom,
} from '../../../shared/organization/organization.ts';
import type { Settings, SettingsField } from '../../../shared/organization/settings-types.ts';
import { countOwnedLeads } from '../../../shared/store/maintenance/count-owned-leads.ts';
import { type ListedApiKey, listApiKeys } from '../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { countOf } from '../../cli/format.ts';

interface SettingsStep {
  readonly before: Settings;
  readonly after: Settings;
}

/**
 * What a change of the settings breaks for websites and users that rely on them: one sentence each, with a remedy. Reads the API keys and
 * counts leads only if the change can break something.
 * @param before undefined for a new organization
 */
export async function changeWarnings(
  table: Table,
  before: Settings | undefined,
  after: Settings,
): Promise<string[]> {
  if (!before) return [];
  const fields = newlyRequired({ before, after });
  const leavers = deactivatedUsers({ before, after });
  if (fields.length === 0 && leavers.length === 0) return [];
  const now = Date.now();
  const liveKeys = (await listApiKeys(table, after.id)).filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && Date.parse(expiresAt) > now,
  );
  const sentences = [
    ...requiredWarnings(fields, liveKeys),
    ...(await ownerWarnings({ table, organizationId: after.id }, leavers)),
    ...keyWarnings(leavers, liveKeys, after.id),
    ...ruleWarnings(leavers, after),
  ];
  return sentences.map((sentence) => `Warning: ${sentence}`);
}

/** The fields that new people's captures must send from now on. */
function newlyRequired({ before, after }: SettingsStep): SettingsField[] {
  const isRequired = ({ active, requiredOnCreate }: SettingsField): boolean =>
    active && requiredOnCreate;
  const hasWebsite = activeSourceNamed(organizationFrom(after, 0), defaultSourceName) !== undefined;
  return after.fields.filter((field) => {
    // The assignment rules choose an owner, and a capture without a source has the default one.
    if (field.key === 'assigned_to' || (field.key === 'source' && hasWebsite)) return false;
    const old = before.fields.find(({ key }) => key === field.key);
    const wasRequired =
      old !== undefined &&
      isRequired(old) &&
      (old.showWhen === null || isDeepStrictEqual(old.showWhen, field.showWhen));
    return isRequired(field) && !wasRequired;
  });
}

function requiredWarnings(
  fields: readonly SettingsField[],
  liveKeys: readonly ListedApiKey[],
): string[] {
  const forms = liveKeys.filter(({ type }) => type === 'website-form').length;
  const applications = liveKeys.filter(
    ({ type, scopes }) =>
      type === 'application' &&
      (scopes.includes('leads.capture') || scopes.includes('leads.write')),
  ).length;
  if (forms + applications === 0) return [];
  const keys = [
    ...(forms > 0 ? [countOf(forms, 'live website-form key')] : []),
    ...(applications > 0 ? [countOf(applications, 'live application key')] : []),
  ].join(' and ');
  return fields.map(({ key, showWhen }) => {
    const where = showWhen === null ? '' : ' where the field is shown';
    return `$.fields[key=${JSON.stringify(key)}] is required on create now: captures of new people without it are refused${where}. ${keys} can send captures: change the forms, or make the field optional.`;
  });
}

type User = Settings['users'][number];

/** The users whom the change deactivates. None if nobody stays active: that has a warning of its own, and no other user can take over. */
function deactivatedUsers({ before, after }: SettingsStep): User[] {
  if (!after.users.some(({ active }) => active)) return [];
  const wasActive = new Set(before.users.filter(({ active }) => active).map(({ id }) => id));
  return after.users.filter(({ id, active }) => !active && wasActive.has(id));
}

const nameOf = ({ id, name }: User): string => `${name} ($.users[id=${id}])`;

async function ownerWarnings(
  own: { table: Table; organizationId: number },
  leavers: readonly User[],
): Promise<string[]> {
  const sentences: string[] = [];
  for (const user of leavers) {
    const leads = await countOwnedLeads(own, user.id);
    if (leads > 0) {
      sentences.push(
        `${nameOf(user)} is inactive and still owns ${countOf(leads, 'lead')}: give them to others with npm run admin -- lead reassign --organization ${own.organizationId} --from ${user.id} --to USER_ID.`,
      );
    }
  }
  return sentences;
}

const keyWarnings = (
  leavers: readonly User[],
  liveKeys: readonly ListedApiKey[],
  organizationId: number,
): string[] =>
  leavers.flatMap((user) =>
    liveKeys
      .filter(({ createdBy }) => createdBy === user.id)
      .map(
        ({ keyId, label }) =>
          `API key ${keyId} (${label}) still writes in the name of ${nameOf(user)}, who is inactive: replace it with npm run admin -- key rotate --organization ${organizationId} --key ${keyId} --created-by USER_ID.`,
      ),
  );

function ruleWarnings(leavers: readonly User[], { assignmentRules, users }: Settings): string[] {
  const isActive = new Set(users.filter(({ active }) => active).map(({ id }) => id));
  return assignmentRules.flatMap((rule, index) => {
    if (rule.users.some((id) => isActive.has(id))) return [];
    const names = leavers.filter(({ id }) => rule.users.includes(id)).map(nameOf);
    return names.length === 0
      ? []
      : [
          `$.assignmentRules[${index}] has no active user without ${names.join(' and ')}: the rule is skipped. Add an active user to it.`,
        ];
  });
}
