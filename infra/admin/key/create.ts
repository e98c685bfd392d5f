import { InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../../../shared/endpoints.ts';
import {
  type ApiKeyType,
  apiKeyPrefix,
  apiKeyScopes,
  apiKeyTypes,
  lifetimeDays,
  scopesFor,
} from '../../../shared/organization/api-key.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { createApiKey, listApiKeys } from '../../../shared/store/organizations/api-keys.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { dateOf } from '../../cli/format.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { namedId } from '../named-id.ts';
import { organizationCommand } from '../options.ts';

/** An API key that a command line names. */
export interface NamedKey {
  organization: number;
  key: string;
}

export const unknownKeyError = ({ organization, key }: NamedKey) =>
  new CommandError(
    `Organization ${organization} has no API key with the ID ${key}: find the ID with key list.`,
  );

/** Any text may be looked up, except a whole key: typing keys into a shell's history must not become a habit. */
export function parseKeyId(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a key ID, as printed by key list.');
  if (text.startsWith(apiKeyPrefix)) {
    throw new InvalidArgumentError(
      "It must be the key's ID, which is the ten characters after the prefix, not the key itself.",
    );
  }
  return text;
}

/** Each type with how long its keys are valid, for help: `730 days for website-form, 90 for application`. */
export const lifetimeText = apiKeyTypes
  .map((type, index) => `${lifetimeDays[type]} ${index === 0 ? 'days ' : ''}for ${type}`)
  .join(', ');

interface NewKey {
  organization: Organization;
  type: ApiKeyType;
  scopes?: readonly Scope[];
  label: string;
  createdBy: number;
  /** Days. */
  expiresIn?: number | undefined;
  /** The audit log's entry. */
  what: (keyId: string) => string;
  /** What to do with the new key. */
  next?: string;
}

interface CreateOptions extends Pick<NewKey, 'type' | 'scopes' | 'label' | 'expiresIn'> {
  organization: number;
  createdBy: string;
}

interface RotateOptions extends NamedKey {
  createdBy?: string;
  expiresIn?: number;
}

const expiresInText = `days until the key expires, such as 30d; fewer than its type allows (${lifetimeText})`;

export function keyCreateCommand(key: CliCommand, context: CommandContext): void {
  organizationCommand(key, 'create', 'create an API key and print it; it is not shown again')
    .addOption(
      new Option('--type <TYPE>', 'what the key is for').choices(apiKeyTypes).makeOptionMandatory(),
    )
    .option(
      '--scopes <a,b>',
      `scopes of an application key: ${apiKeyScopes.join(', ')}; leads.write includes leads.read`,
      parseScopes,
    )
    .requiredOption('--label <L>', 'name of the key', parseLabel)
    .requiredOption('--created-by <USER>', 'user that the key acts for, named by ID or name')
    .option('--expires-in <DAYSd>', expiresInText, parseDays)
    .notes(`
A key is valid for ${lifetimeText}. Replace it in
time with key rotate: key list shows the days left.

Examples:
  npm run admin -- key create --organization 1 --type website-form \\
    --label website --created-by 7
  npm run admin -- key create --organization 1 --type application \\
    --scopes leads.read,leads.write --label sync --created-by 7
  npm run admin -- key create --organization 1 --type application \\
    --scopes leads.read --label trial --created-by 7 --expires-in 30d`)
    .action(async (options: CreateOptions, command: CliCommand) => {
      const granted = scopesFor(options.type, options.scopes);
      if (typeof granted === 'string') command.error(`error: option '--scopes <a,b>' ${granted}`);
      const organization = await existingOrganization(context.table(), options.organization);
      const createdBy = namedId(organization, 'user', options.createdBy);
      const what = (keyId: string): string => `key create ${keyId} (${options.label})`;
      await createAndPrint(context, command, { ...options, organization, createdBy, what });
    });
}

export function keyRotateCommand(key: CliCommand, context: CommandContext): void {
  organizationCommand(
    key,
    'rotate',
    'create the successor of a key, with the same type, scopes, label and creator',
  )
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--created-by <USER>', 'user that the successor acts for, named by ID or name')
    .option('--expires-in <DAYSd>', expiresInText, parseDays)
    .notes(`
The old key works until you revoke it: give its server the new key first. key
list shows when each key was last used. The new key is valid for
${lifetimeText}.

Examples:
  npm run admin -- key rotate --organization 1 --key 4fQ8LmZ2xA
  npm run admin -- key rotate --organization 1 --key 4fQ8LmZ2xA --created-by 8`)
    .action((options: RotateOptions, command: CliCommand) => rotate(context, options, command));
}

/** @throws CommandError for a key that is unknown or revoked */
async function rotate(
  context: CommandContext,
  options: RotateOptions,
  command: CliCommand,
): Promise<void> {
  const { key: keyId, expiresIn } = options;
  const organization = await existingOrganization(context.table(), options.organization);
  const keys = await listApiKeys(context.table(), organization.id);
  const old = keys.find((one) => one.keyId === keyId);
  if (!old) throw unknownKeyError(options);
  if (old.revokedAt !== null)
    throw new CommandError(
      `API key ${keyId} was revoked on ${old.revokedAt}: create a new one with key create.`,
    );
  const { type, scopes, label, expiresAt } = old;
  const expiry = dateOf(expiresAt);
  await createAndPrint(context, command, {
    ...{ organization, type, scopes, label, expiresIn },
    createdBy: namedId(organization, 'user', options.createdBy) ?? old.createdBy,
    what: (newKeyId) => `key rotate ${keyId} to ${newKeyId} (${label})`,
    next:
      Date.parse(expiresAt) <= Date.now()
        ? `Key ${keyId} expired on ${expiry}.`
        : `Give it to its server. Once the server uses it, and before ${expiry}, revoke the old key: npm run admin -- key revoke --organization ${organization.id} --key ${keyId}`,
  });
}

/** Creates a key and prints it, and warns if the user that it acts for is inactive. */
async function createAndPrint(
  context: CommandContext,
  command: CliCommand,
  { organization, expiresIn: days, what, next, ...key }: NewKey,
): Promise<void> {
  const lifetime = lifetimeDays[key.type];
  if (days !== undefined && days >= lifetime)
    command.error(
      `error: option '--expires-in ${days}d' must be shorter than the ${lifetime} days for which an API key of type ${key.type} is valid`,
    );
  const now = new Date();
  const expiry = days === undefined ? undefined : new Date(now.getTime() + days * 86_400_000);
  const who = await context.callerIdentity();
  const action = (keyId: string) => ({ who, what: what(keyId) });
  const request = {
    organizationId: organization.id,
    ...key,
    expiresAt: expiry?.toISOString(),
    now,
    action,
  };
  const created = await createApiKey(context.table(), request);
  context.print(created, () =>
    [
      created.key,
      '',
      `Copy it now: it is not shown again. Key ID ${created.keyId}, scopes ${created.scopes.join(', ')}, expires ${created.expiresAt}.`,
      ...(next === undefined ? [] : [next]),
    ].join('\n'),
  );
  const user = organization.userById.get(key.createdBy);
  if (user?.active === false)
    context.note(
      `Warning: ${user.name}, the user that the key acts for, is inactive: --created-by can name another user.`,
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
