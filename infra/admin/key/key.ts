import {
  listApiKeys,
  listApiKeysWithUse,
  revokeApiKey,
} from '../../../shared/store/organizations/api-keys.ts';
import { canAsk, confirmed } from '../../cli/confirm.ts';
import { dateOf, formatTable } from '../../cli/format.ts';
import type { AdminCommand, CommandContext } from '../context.ts';

import { parseKeyId, unknownKeyError } from './create.ts';

export function keyListCommand(key: AdminCommand): void {
  key
    .ofOrganization('list', 'list the API keys of an organization, without the keys themselves')
    .notes(`
LAST USED is when the key's latest hour of use began (UTC); later requests in that
hour do not change it. A request refused with 401 or 429 does not count.`)
    .examples('--organization 1')
    .run(list);
}

async function list(context: CommandContext): Promise<void> {
  const organization = await context.organization();
  const items = await listApiKeysWithUse(context.table(), organization.id);
  const rows = items.map(({ lastUsedAt, expiresAt, revokedAt, ...key }) => {
    const state = isExpired(expiresAt) ? 'expired' : 'live';
    return {
      'KEY ID': key.keyId,
      LABEL: key.label,
      TYPE: key.type,
      SCOPES: key.scopes.join(','),
      'CREATED BY': organization.userById.get(key.createdBy)?.name ?? String(key.createdBy),
      CREATED: dateOf(key.createdAt),
      'LAST USED': lastUsedAt ? `since ${lastUsedAt.slice(0, 16).replace('T', ' ')}` : 'never',
      EXPIRES: dateOf(expiresAt),
      'DAYS LEFT': daysLeft(expiresAt, revokedAt),
      STATE: revokedAt ? `revoked ${dateOf(revokedAt)}` : state,
    };
  });
  const none = `Organization ${organization.id} has no API keys: create one with key create.`;
  context.print({ items }, formatTable(rows, none));
}

const isExpired = (expiresAt: string): boolean => Date.parse(expiresAt) <= Date.now();

/** The alarm KeyExpiresSoon goes off at the same number of days, for a key that is in use. */
const rotateWithinDays = 14;

function daysLeft(expiresAt: string, revokedAt: string | null): string {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  if (revokedAt !== null || days < 0) return '';
  return days < rotateWithinDays ? `${days}: rotate it` : String(days);
}

interface RevokeOptions {
  readonly key: string;
  readonly yes?: boolean;
}

export function keyRevokeCommand(key: AdminCommand): void {
  key
    .ofOrganization('revoke', 'revoke a key at once, for good')
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks')
    .examples('--organization 1 --key 4fQ8LmZ2xA')
    .run(revoke);
}

async function revoke(
  context: CommandContext,
  { key: keyId, yes = false }: RevokeOptions,
): Promise<void> {
  const { id: organizationId } = await context.organization();
  if (!yes && canAsk())
    await confirmed(`API key ${keyId} loses its access at once, for good.`, keyId);
  const now = new Date();
  const action = { who: await context.callerIdentity(), what: `key revoke ${keyId}` };
  const revokedAt = await revokeApiKey(context.table(), organizationId, keyId, { at: now, action });
  if (revokedAt === undefined) throw unknownKeyError(context, keyId);
  context.print(
    { keyId, revokedAt },
    revokedAt === now.toISOString()
      ? `Revoked API key ${keyId}: requests with it are refused from now on.`
      : `API key ${keyId} was already revoked on ${revokedAt}: nothing to do.`,
  );
  const keys = await listApiKeys(context.table(), organizationId);
  // Captures need leads.capture or leads.write.
  const ofCaptures = keys.filter(({ scopes }) => scopes.some((scope) => scope !== 'leads.read'));
  const isRevoked = ofCaptures.some((one) => one.keyId === keyId);
  if (isRevoked && ofCaptures.every((one) => one.revokedAt !== null || isExpired(one.expiresAt)))
    context.note(
      `No live key of organization ${organizationId} can send captures now: key create.`,
    );
}
