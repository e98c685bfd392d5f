import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../../../shared/endpoints.ts';
import {
  type ApiKeyType,
  apiKeyScopes,
  apiKeyTypes,
  lifetimeDays,
  scopesFor,
} from '../../../shared/organization/api-key.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import {
  createApiKey,
  type ListedApiKey,
  listApiKeys,
} from '../../../shared/store/organizations/api-keys.ts';
import { dateOf } from '../../cli/format.ts';
import { parseId } from '../../cli/options.ts';
import { type CommandContext, CommandError, existingOrganization } from '../context.ts';
import { lifetimeText, type NamedKey, parseKeyId, unknownKeyError } from './options.ts';

interface NewKey {
  organization: number;
  type: ApiKeyType;
  scopes?: readonly Scope[];
  label: string;
  createdBy: number;
  /** Days. */
  expiresIn?: number | undefined;
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
    .action(async (options: NewKey, command: Command) => {
      const granted = scopesFor(options.type, options.scopes);
      if (typeof granted === 'string') command.error(`error: option '--scopes <a,b>' ${granted}`);
      const what = (keyId: string): string => `key create ${keyId} (${options.label})`;
      await createAndPrint(context, options, { command, what });
    });
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

async function rotate(
  context: CommandContext,
  options: RotateOptions,
  command: Command,
): Promise<void> {
  const { organization, key: keyId, expiresIn } = options;
  const { type, scopes, label, expiresAt, ...old } = await keyToRotate(context, options);
  const createdBy = options.createdBy ?? old.createdBy;
  const successor = { organization, type, scopes, label, createdBy, expiresIn };
  const expiry = dateOf(expiresAt);
  const next =
    Date.parse(expiresAt) <= Date.now()
      ? `Key ${keyId} expired on ${expiry}.`
      : `Give it to its server. Once the server uses it, and before ${expiry}, revoke the old key: npm run admin -- key revoke --organization ${organization} --key ${keyId}`;
  const what = (newKeyId: string): string => `key rotate ${keyId} to ${newKeyId} (${label})`;
  await createAndPrint(context, successor, { command, what, next });
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

interface Creation {
  readonly command: Command;
  /** The audit log's entry. */
  readonly what: (keyId: string) => string;
  /** What to do with the new key. */
  readonly next?: string;
}

/** Creates a key and prints it, and warns if the user that it acts for is inactive. */
async function createAndPrint(
  context: CommandContext,
  { organization: organizationId, expiresIn, ...key }: NewKey,
  { command, what, next }: Creation,
): Promise<void> {
  const now = new Date();
  const expiresAt = expiryIn(expiresIn, key.type, now, command);
  const who = await context.callerIdentity();
  const action = (keyId: string) => ({ who, what: what(keyId) });
  const request = { organizationId, ...key, expiresAt, now, action };
  const created = await createApiKey(context.table(), request);
  context.print(created, () =>
    [
      created.key,
      '',
      `Copy it now: it is not shown again. Key ID ${created.keyId}, scopes ${created.scopes.join(', ')}, expires ${created.expiresAt}.`,
      ...(next === undefined ? [] : [next]),
    ].join('\n'),
  );
  const organization = await existingOrganization(context.table(), organizationId);
  const user = organization.userById.get(key.createdBy);
  if (user?.active === false)
    context.note(
      `Warning: ${user.name}, the user that the key acts for, is inactive: --created-by can name another user.`,
    );
}

/** When a key of `--expires-in` expires; undefined without it. A number of days that the type does not allow is wrong usage. */
function expiryIn(
  days: number | undefined,
  type: ApiKeyType,
  now: Date,
  command: Command,
): string | undefined {
  if (days === undefined) return undefined;
  if (days >= lifetimeDays[type]) {
    command.error(
      `error: option '--expires-in ${days}d' must be shorter than the ${lifetimeDays[type]} days for which an API key of type ${type} is valid`,
    );
  }
  return new Date(now.getTime() + days * 86_400_000).toISOString();
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

const labelMaxChars = 200;

function parseLabel(text: string): string {
  const label = text.trim();
  const chars = [...label].length;
  if (chars === 0 || chars > labelMaxChars || !label.isWellFormed()) {
    throw new InvalidArgumentError(`It must have 1 to ${labelMaxChars} characters.`);
  }
  return label;
}

/** Parses `30d`. */
function parseDays(text: string): number {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days === undefined)
    throw new InvalidArgumentError('It must be a number of days, such as 30d.');
  return Number(days);
}
