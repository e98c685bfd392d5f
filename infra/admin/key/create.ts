import { type Command, Option } from 'commander';
import type { Scope } from '../../../shared/endpoints.ts';
import {
  type ApiKeyType,
  apiKeyScopes,
  apiKeyTypes,
  lifetimeDays,
  scopesFor,
} from '../../../shared/organization/api-key.ts';
import {
  type CreatedApiKey,
  createApiKey,
  type ListedApiKey,
  listApiKeys,
} from '../../../shared/store/organizations/api-keys.ts';
import type { AuditAction } from '../../../shared/store/organizations/audit-log.ts';
import { dateOf } from '../../cli/format.ts';
import { parseId } from '../../cli/options.ts';
import { type CommandContext, CommandError, existingOrganization } from '../context.ts';
import {
  expiryAfter,
  lifetimeText,
  type NamedKey,
  parseDays,
  parseKeyId,
  parseLabel,
  parseScopes,
  unknownKeyError,
} from './options.ts';

interface CreateOptions {
  organization: number;
  type: ApiKeyType;
  scopes?: Scope[];
  label: string;
  createdBy: number;
  expiresIn?: number;
}

interface RotateOptions extends NamedKey {
  createdBy?: number;
  expiresIn?: number;
}

const expiresInText = `days until the key expires, such as 30d; fewer than its type allows (${lifetimeText})`;

export function keyCreateCommand(key: Command, context: CommandContext): void {
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
    .option('--expires-in <DAYSd>', expiresInText, parseDays)
    .addHelpText(
      'after',
      `
A key is valid for ${lifetimeText}. Replace it in
time with key rotate: key list shows the days left.

Examples:
  npm run admin -- key create --organization 1 --type website-form \\
    --label website --created-by 7
  npm run admin -- key create --organization 1 --type application \\
    --scopes leads.read,leads.write --label sync --created-by 7
  npm run admin -- key create --organization 1 --type application \\
    --scopes leads.read --label trial --created-by 7 --expires-in 30d`,
    )
    .action((options: CreateOptions, command: Command) => create(context, options, command));
}

export function keyRotateCommand(key: Command, context: CommandContext): void {
  key
    .command('rotate')
    .description('create the successor of a key, with the same type, scopes, label and creator')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--created-by <USER_ID>', 'user that the successor acts for', parseId)
    .option('--expires-in <DAYSd>', expiresInText, parseDays)
    .addHelpText(
      'after',
      `
The old key works until you revoke it: give its server the new key first. key
list shows when each key was last used. The new key is valid for
${lifetimeText}.

Examples:
  npm run admin -- key rotate --organization 1 --key 4fQ8LmZ2xA
  npm run admin -- key rotate --organization 1 --key 4fQ8LmZ2xA --created-by 8`,
    )
    .action((options: RotateOptions, command: Command) => rotate(context, options, command));
}

async function create(
  context: CommandContext,
  options: CreateOptions,
  command: Command,
): Promise<void> {
  const { organization: organizationId, type, scopes, label, createdBy } = options;
  const granted = scopesFor(type, scopes);
  if (typeof granted === 'string') command.error(`error: option '--scopes <a,b>' ${granted}`);
  const now = new Date();
  const expiresAt = requestedExpiry(options, type, now, command);
  const who = await context.callerIdentity();
  const action = (keyId: string): AuditAction => ({ who, what: `key create ${keyId} (${label})` });
  const request = { organizationId, type, scopes, label, createdBy, expiresAt, now, action };
  const created = await createApiKey(context.table(), request);
  context.print(created, () => newKeyLines(created).join('\n'));
  await warnOfInactive(context, organizationId, createdBy);
}

/** The expiry of `--expires-in`; undefined without it. A number of days that the type does not allow is wrong usage. */
function requestedExpiry(
  { expiresIn }: { expiresIn?: number },
  type: ApiKeyType,
  now: Date,
  command: Command,
): string | undefined {
  if (expiresIn === undefined) return undefined;
  const expiry = expiryAfter(expiresIn, type, now);
  if (expiry === 'tooLong') {
    command.error(
      `error: option '--expires-in ${expiresIn}d' must be shorter than the ${lifetimeDays[type]} days for which an API key of type ${type} is valid`,
    );
  }
  return expiry;
}

async function warnOfInactive(
  context: CommandContext,
  organizationId: number,
  userId: number,
): Promise<void> {
  const organization = await existingOrganization(context.table(), organizationId);
  const user = organization.userById.get(userId);
  if (user?.active === false)
    context.note(
      `Warning: ${user.name}, the user that the key acts for, is inactive: --created-by can name another user.`,
    );
}

const newKeyLines = ({ key, keyId, scopes, expiresAt }: CreatedApiKey): string[] => [
  key,
  '',
  `Copy it now: it is not shown again. Key ID ${keyId}, scopes ${scopes.join(', ')}, expires ${expiresAt}.`,
];

async function rotate(
  context: CommandContext,
  options: RotateOptions,
  command: Command,
): Promise<void> {
  const { organization: organizationId, key: keyId } = options;
  const table = context.table();
  const old = await keyToRotate(context, options);
  const { type, scopes, label } = old;
  const createdBy = options.createdBy ?? old.createdBy;
  const now = new Date();
  const expiresAt = requestedExpiry(options, type, now, command);
  const who = await context.callerIdentity();
  const action = (newKeyId: string): AuditAction => ({
    who,
    what: `key rotate ${keyId} to ${newKeyId} (${label})`,
  });
  const request = { organizationId, type, scopes, label, createdBy, expiresAt, now, action };
  const created = await createApiKey(table, request);
  const revoke = `npm run admin -- key revoke --organization ${organizationId} --key ${keyId}`;
  const expiry = dateOf(old.expiresAt);
  context.print(created, () =>
    [
      ...newKeyLines(created),
      Date.parse(old.expiresAt) <= now.getTime()
        ? `Key ${keyId} expired on ${expiry}.`
        : `Give it to its server. Once the server uses it, and before ${expiry}, revoke the old key: ${revoke}`,
    ].join('\n'),
  );
  await warnOfInactive(context, organizationId, createdBy);
}

/** @throws CommandError for a key that is unknown or revoked */
async function keyToRotate(context: CommandContext, options: RotateOptions): Promise<ListedApiKey> {
  const { organization: organizationId, key: keyId } = options;
  await existingOrganization(context.table(), organizationId);
  const listed = await listApiKeys(context.table(), organizationId);
  const old = listed.find((one) => one.keyId === keyId);
  if (!old) throw unknownKeyError(options);
  if (old.revokedAt !== null) {
    throw new CommandError(
      `API key ${keyId} was revoked on ${old.revokedAt}: create a new one with key create.`,
    );
  }
  return old;
}
