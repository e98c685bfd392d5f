import {
  type ListedApiKeyUse,
  listApiKeys,
  listApiKeysWithUse,
  revokeApiKey,
} from '../../../shared/store/organizations/api-keys.ts';
import type { CliCommand } from '../../cli/command.ts';
import { canAsk, confirmed } from '../../cli/confirm.ts';
import { dateOf, formatColumns } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';
import { organizationCommand } from '../options.ts';
import { parseKeyId, unknownKeyError } from './create.ts';

export function keyListCommand(key: CliCommand, context: CommandContext): void {
  organizationCommand(
    key,
    'list',
    'list the API keys of an organization, without the keys themselves',
  )
    .notes(`
LAST USED is when the key's latest hour of use began (UTC); later requests in that
hour do not change it. A request refused with 401 or 429 does not count.`)
    .examples('--organization 1')
    .action(() => list(context));
}

const headings = [
  'KEY ID',
  'LABEL',
  'TYPE',
  'SCOPES',
  'CREATED BY',
  'CREATED',
  'LAST USED',
  'EXPIRES',
  'DAYS LEFT',
  'STATE',
];

async function list(context: CommandContext): Promise<void> {
  const organization = await context.organization();
  const items = await listApiKeysWithUse(context.table(), organization.id);
  const rows = items.map((item) =>
    rowOf(item, organization.userById.get(item.createdBy)?.name ?? String(item.createdBy)),
  );
  const none = `Organization ${organization.id} has no API keys: create one with key create.`;
  context.print({ items }, rows.length === 0 ? none : formatColumns(headings, rows));
}

function rowOf(
  { keyId, label, type, scopes, createdAt, lastUsedAt, expiresAt, revokedAt }: ListedApiKeyUse,
  creator: string,
): string[] {
  const state = revokedAt
    ? `revoked ${dateOf(revokedAt)}`
    : isExpired(expiresAt)
      ? 'expired'
      : 'live';
  const lastUse =
    lastUsedAt === null ? 'never' : `since ${lastUsedAt.slice(0, 16).replace('T', ' ')}`;
  const dates = [dateOf(createdAt), lastUse, dateOf(expiresAt), daysLeft(expiresAt, revokedAt)];
  return [keyId, label, type, scopes.join(','), creator, ...dates, state];
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

export function keyRevokeCommand(key: CliCommand, context: CommandContext): void {
  organizationCommand(key, 'revoke', 'revoke a key at once, for good')
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks')
    .examples('--organization 1 --key 4fQ8LmZ2xA')
    .action((_id, options: RevokeOptions) => revoke(context, options));
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
