import { isDeepStrictEqual } from 'node:util';
import { defaultPipelineId, startingStage } from '../../../shared/leads/placement.ts';
import { ownerKey } from '../../../shared/organization/built-in-fields.ts';
import { activeSourceNamed } from '../../../shared/organization/named.ts';
import {
  defaultSourceName,
  type Field,
  organizationFrom,
  type Settings,
  type User,
} from '../../../shared/organization/organization.ts';
import { countLeads } from '../../../shared/store/leads/read-leads.ts';
import { type ListedApiKey, listApiKeys } from '../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { countOf } from '../../cli/format.ts';
import { canCapture, isLive } from '../key/make-key.ts';

/**
 * Warnings about settings that are seldom intended, and about what their change breaks for websites and users: one sentence each, with a
 * remedy. Reads the API keys and counts leads only if the change can break something.
 * @param before undefined for a new organization
 */
export async function settingsWarnings(
  table: Table,
  before: Settings | undefined,
  after: Settings,
): Promise<string[]> {
  const sentences = [...captureWarnings(after)];
  const fields = before ? newlyRequired(before, after) : [];
  const leavers = before ? deactivatedUsers(before, after) : [];
  if (fields.length + leavers.length > 0) {
    const liveKeys = (await listApiKeys(table, after.id)).filter(isLive);
    sentences.push(...requiredWarnings(fields, liveKeys));
    for (const user of leavers) {
      const leads = await countLeads({ table, organizationId: after.id }, { ownerId: user.id });
      sentences.push(...leaverWarnings(user, leads, liveKeys, after.id));
    }
    sentences.push(...ruleWarnings(leavers, after));
  }
  return sentences.map((sentence) => `Warning: ${sentence}`);
}

/**
 * Why an organization with these settings cannot accept captures, or record their source. Organizations pass through such states, so they
 * are allowed.
 */
function* captureWarnings(settings: Settings): Generator<string> {
  const organization = organizationFrom(settings, 0);
  const pipelineId = defaultPipelineId(organization);
  if (!settings.modules.includes('crm'))
    yield '$.modules does not contain "crm": every request with an API key of the organization is refused with FORBIDDEN. Add "crm".';
  if (pipelineId === undefined)
    yield '$.pipelines has no default pipeline: captures without pipelineId are refused with NOT_READY. Set "isDefault": true on one pipeline.';
  else if (startingStage(organization, pipelineId) === undefined)
    yield `$.pipelines[id=${pipelineId}].stages has no active default stage: captures are refused with NOT_READY. Set "isDefault": true on one active stage.`;
  if (!settings.users.some(({ active }) => active))
    yield '$.users has no active user to own new leads: captures are refused with NOT_READY. Add or activate a user.';
  if (activeSourceNamed(organization, defaultSourceName) === undefined)
    yield `$.sources has no active "${defaultSourceName}": leads whose capture names no known source have no source. Add or activate it.`;
}

/** The fields that captures of new people must send from now on. */
function newlyRequired(before: Settings, after: Settings): Field[] {
  const hasWebsite = activeSourceNamed(organizationFrom(after, 0), defaultSourceName) !== undefined;
  return after.fields.filter((field) => {
    // The assignment rules choose an owner, and a capture without a source has the default one.
    if (field.key === ownerKey || (field.key === 'source' && hasWebsite)) return false;
    const old = before.fields.find(({ key }) => key === field.key);
    const wasRequired =
      old?.active &&
      old.requiredOnCreate &&
      (old.showWhen === null || isDeepStrictEqual(old.showWhen, field.showWhen));
    return field.active && field.requiredOnCreate && !wasRequired;
  });
}

function requiredWarnings(fields: readonly Field[], liveKeys: readonly ListedApiKey[]): string[] {
  const capturing = liveKeys.filter(canCapture);
  if (capturing.length === 0) return [];
  const keys = countOf(capturing.length, 'live API key');
  return fields.map(({ key, showWhen }) => {
    const where = showWhen === null ? '' : ' where the field is shown';
    return `$.fields[key=${JSON.stringify(key)}] is required on create now: captures of new people without it are refused${where}. ${keys} can send captures: change the forms, or make the field optional.`;
  });
}

const activeIds = ({ users }: Settings): ReadonlySet<number> =>
  new Set(users.filter(({ active }) => active).map(({ id }) => id));

/**
 * The users whom the change deactivates. None if nobody stays active, because that has a separate warning, and no other user can take over.
 */
function deactivatedUsers(before: Settings, after: Settings): User[] {
  if (!after.users.some(({ active }) => active)) return [];
  const wasActive = activeIds(before);
  return after.users.filter(({ id, active }) => !active && wasActive.has(id));
}

const nameOf = ({ id, name }: User): string => `${name} ($.users[id=${id}])`;

function* leaverWarnings(
  user: User,
  leads: number,
  liveKeys: readonly ListedApiKey[],
  organizationId: number,
): Generator<string> {
  if (leads > 0)
    yield `${nameOf(user)} is inactive and still owns ${countOf(leads, 'lead')}: give them to others with npm run admin -- lead reassign --organization ${organizationId} --from ${user.id} --to USER_ID.`;
  for (const { keyId, label, createdBy } of liveKeys)
    if (createdBy === user.id)
      yield `API key ${keyId} (${label}) still writes in the name of ${nameOf(user)}, who is inactive: replace it with npm run admin -- key rotate --organization ${organizationId} --key ${keyId} --created-by USER_ID.`;
}

function* ruleWarnings(leavers: readonly User[], settings: Settings): Generator<string> {
  const isActive = activeIds(settings);
  for (const [index, rule] of settings.assignmentRules.entries()) {
    const names = leavers.filter(({ id }) => rule.users.includes(id)).map(nameOf);
    if (names.length > 0 && !rule.users.some((id) => isActive.has(id)))
      yield `$.assignmentRules[${index}] has no active user without ${names.join(' and ')}: the rule is skipped. Add an active user to it.`;
  }
}
