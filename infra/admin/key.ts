import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../../shared/endpoints.ts';
import {
  type ApiKeyType,
  apiKeyPrefix,
  apiKeyScopes,
  apiKeyTypes,
  scopesFor,
} from '../../shared/organization/api-key.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import {
  type CreatedApiKey,
  createApiKey,
  type ListedApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../shared/store/organizations/api-keys.ts';
import type { AuditAction } from '../../shared/store/organizations/audit-log.ts';
import { canAsk, confirmed } from './confirm.ts';
import { type CommandContext, CommandError, existingOrganization, parseId } from './context.ts';
import { dateOf, formatColumns } from './format.ts';

interface CreateOptions {
  organization: number;
  type: ApiKeyType;
  scopes?: Scope[];
  label: string;
  createdBy: number;
}

interface KeyOptions {
  organization: number;
  key: string;
}

interface RevokeOptions extends KeyOptions {
  yes?: boolean;
}

const labelMaxChars = 200;

export function keyCommands(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .description('create, list, rotate and revoke API keys')
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1');
  createCommand(key, context);
  listCommand(key, context);
  rotateCommand(key, context);
  revokeCommand(key, context);
}

function createCommand(key: Command, context: CommandContext): void {
  key
    .command('create')
    .description('create an API key and print it; it is not shown again')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .addOption(
      new Option('--type <TYPE>', 'what the key is for').choices(apiKeyTypes).makeOptionMandatory(),
    )
    .option(
      '--scopes <a,b>',
      `scopes of an application key: ${apiKeyScopes.join(', ')}; leads.write includes leads.read`,
      parseScopes,
    )
    .requiredOption('--label <L>', 'name of the key', parseLabel)
    .requiredOption('--created-by <USER_ID>', 'user that the key acts for', parseId)
    .addHelpText(
      'after',
      `
Examples:
  npm run admin -- key create --organization 1 --type website-form \\
    --label website --created-by 7
  npm run admin -- key create --organization 1 --type application \\
    --scopes leads.read,leads.write --label sync --created-by 7`,
    )
    .action((options: CreateOptions, command: Command) => create(context, options, command));
}

function listCommand(key: Command, context: CommandContext): void {
  key
    .command('list')
    .description('list the API keys of an organization, without the keys themselves')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1')
    .action((options: { organization: number }) => list(context, options.organization));
}

function rotateCommand(key: Command, context: CommandContext): void {
  key
    .command('rotate')
    .description('create the successor of a key, with the same type, scopes, label and creator')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .addHelpText(
      'after',
      `
The old key works until you revoke it: give its server the new key first.

Example:
  npm run admin -- key rotate --organization 1 --key 4fQ8LmZ2xA`,
    )
    .action((options: KeyOptions) => rotate(context, options));
}

function revokeCommand(key: Command, context: CommandContext): void {
  key
    .command('revoke')
    .description('revoke a key at once, for good')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks')
    .addHelpText(
      'after',
      '\nExample:\n  npm run admin -- key revoke --organization 1 --key 4fQ8LmZ2xA',
    )
    .action((options: RevokeOptions) => revoke(context, options));
}

async function create(
  context: CommandContext,
  options: CreateOptions,
  command: Command,
): Promise<void> {
  const { organization: organizationId, type, scopes, label, createdBy } = options;
  const granted = scopesFor(type, scopes);
  if (typeof granted === 'string') command.error(`error: option '--scopes <a,b>' ${granted}`);
  const who = await context.callerIdentity();
  const action = (keyId: string): AuditAction => ({ who, what: `key create ${keyId} (${label})` });
  const request = { organizationId, type, scopes, label, createdBy, now: new Date(), action };
  const created = await createApiKey(context.table(), request);
  const creator = (await existingOrganization(context.table(), organizationId)).userById.get(
    createdBy,
  );
  if (creator?.active === false)
    context.note(`Warning: ${creator.name}, the user that the key acts for, is inactive.`);
  context.print(created, () => newKeyLines(created).join('\n'));
}

const newKeyLines = ({ key, keyId, scopes, expiresAt }: CreatedApiKey): string[] => [
  key,
  '',
  `Copy it now: it is not shown again. Key ID ${keyId}, scopes ${scopes.join(', ')}, expires ${expiresAt}.`,
];

async function list(context: CommandContext, organizationId: number): Promise<void> {
  const organization = await existingOrganization(context.table(), organizationId);
  const items = await listApiKeys(context.table(), organizationId);
  context.print({ items }, () => {
    if (items.length === 0)
      return `Organization ${organizationId} has no API keys: create one with key create.`;
    const rows = items.map((item) =>
      rowOf(item, organization.userById.get(item.createdBy)?.name ?? String(item.createdBy)),
    );
    return formatColumns(
      [
        'KEY ID',
        'LABEL',
        'TYPE',
        'SCOPES',
        'CREATED BY',
        'CREATED',
        'EXPIRES',
        'DAYS LEFT',
        'STATE',
      ],
      rows,
    );
  });
}

function rowOf(
  { keyId, label, type, scopes, createdAt, expiresAt, revokedAt }: ListedApiKey,
  creator: string,
): string[] {
  const state = revokedAt
    ? `revoked ${dateOf(revokedAt)}`
    : isExpired(expiresAt)
      ? 'expired'
      : 'live';
  const dates = [dateOf(createdAt), dateOf(expiresAt), daysLeft(expiresAt, revokedAt)];
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

const unknownKeyError = ({ organization, key }: KeyOptions) =>
  new CommandError(
    `Organization ${organization} has no API key with the ID ${key}: find the ID with key list.`,
  );

async function rotate(context: CommandContext, options: KeyOptions): Promise<void> {
  const { organization: organizationId, key: keyId } = options;
  const table = context.table();
  await existingOrganization(table, organizationId);
  const old = (await listApiKeys(table, organizationId)).find((listed) => listed.keyId === keyId);
  if (!old) throw unknownKeyError(options);
  if (old.revokedAt !== null) {
    throw new CommandError(
      `API key ${keyId} was revoked on ${old.revokedAt}: create a new one with key create.`,
    );
  }
  const { type, scopes, label, createdBy } = old;
  const who = await context.callerIdentity();
  const action = (newKeyId: string): AuditAction => ({
    who,
    what: `key rotate ${keyId} to ${newKeyId} (${label})`,
  });
  const created = await createApiKey(table, {
    organizationId,
    type,
    scopes,
    label,
    createdBy,
    now: new Date(),
    action,
  });
  const revoke = `key revoke --organization ${organizationId} --key ${keyId}`;
  const expiry = dateOf(old.expiresAt);
  context.print({ ...created, replaces: { keyId, expiresAt: old.expiresAt } }, () =>
    [
      ...newKeyLines(created),
      isExpired(old.expiresAt)
        ? `Key ${keyId} expired on ${expiry}.`
        : `Give it to its server. Once the server uses it, and before ${expiry}, revoke the old key: ${revoke}`,
    ].join('\n'),
  );
}

async function revoke(
  context: CommandContext,
  { yes = false, ...options }: RevokeOptions,
): Promise<void> {
  const { organization: organizationId, key: keyId } = options;
  await existingOrganization(context.table(), organizationId);
  if (!yes && canAsk())
    await confirmed(`API key ${keyId} loses its access at once, for good.`, keyId);
  const now = new Date();
  const action = { who: await context.callerIdentity(), what: `key revoke ${keyId}` };
  const revokedAt = await revokeApiKey(context.table(), organizationId, keyId, { at: now, action });
  if (revokedAt === undefined) throw unknownKeyError(options);
  context.print({ keyId, revokedAt }, () =>
    revokedAt === now.toISOString()
      ? `Revoked API key ${keyId}: requests with it are refused from now on.`
      : `API key ${keyId} was already revoked on ${revokedAt}: nothing to do.`,
  );
}

function parseScopes(text: string): Scope[] {
  return text.split(',').map((part) => {
    const name = part.trim();
    const scope = apiKeyScopes.find((known) => known === name);
    if (scope) return scope;
    const near = nearestName(name, apiKeyScopes);
    throw new InvalidArgumentError(
      near
        ? `Did you mean ${near}?`
        : `It must be one or more of ${apiKeyScopes.join(', ')}, separated by commas.`,
    );
  });
}

function parseLabel(text: string): string {
  const label = text.trim();
  const chars = [...label].length;
  if (chars === 0 || chars > labelMaxChars || !label.isWellFormed()) {
    throw new InvalidArgumentError(`It must have 1 to ${labelMaxChars} characters.`);
  }
  return label;
}

/** Any text may be looked up, except a whole key: typing keys into a shell's history must not become a habit. */
function parseKeyId(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a key ID, as printed by key list.');
  if (text.startsWith(apiKeyPrefix)) {
    throw new InvalidArgumentError(
      "It must be the key's ID, which is the ten characters after the prefix, not the key itself.",
    );
  }
  return text;
}
