import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../../shared/endpoints.ts';
import { type ApiKeyType, apiKeyPrefix, apiKeyScopes, apiKeyTypes, scopesFor } from '../../shared/organization/api-key.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import { createApiKey, type ListedApiKey, listApiKeys, revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import type { AuditAction } from '../../shared/store/organizations/audit-log.ts';
import { canAsk, confirmed } from './confirm.ts';
import { type CommandContext, CommandError, existingOrganization, formatColumns, parseId } from './context.ts';

interface CreateOptions {
  organization: number;
  type: ApiKeyType;
  scopes?: Scope[];
  label: string;
  createdBy: number;
}

interface RevokeOptions {
  organization: number;
  key: string;
  yes?: boolean;
}

const labelMaxChars = 200;

/** `key create|list|rotate|revoke`. */
export function keyCommands(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .description("create, list, rotate and revoke an organization's API keys")
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1');

  key
    .command('create')
    .description('mint an API key, which is shown this once')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .addOption(new Option('--type <TYPE>', 'what the key is for').choices(apiKeyTypes).makeOptionMandatory())
    .option('--scopes <a,b>', `of an application key: ${apiKeyScopes.join(', ')}; leads.write brings leads.read`, parseScopes)
    .requiredOption('--label <L>', 'name of the key, for people', parseLabel)
    .requiredOption('--created-by <USER_ID>', 'user in whose name the key acts', parseId)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  npm run admin -- key create --organization 1 --type website-form --label website --created-by 7\n' +
        '  npm run admin -- key create --organization 1 --type application --scopes leads.read,leads.write --label sync --created-by 7',
    )
    .action((options: CreateOptions, command: Command) => create(context, options, command));

  key
    .command('list')
    .description('list the API keys, without their secret')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1')
    .action((options: { organization: number }) => list(context, options.organization));

  key
    .command('rotate')
    .description('mint the successor of a key, with the same type, scopes, label and creator')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .requiredOption('--key <KEY_ID>', "key's id, as key list shows it", parseKeyId)
    .addHelpText(
      'after',
      '\nThe old key works until it is revoked: give the new one to its server first.\n' +
        '\nExample:\n  npm run admin -- key rotate --organization 1 --key 4fQ8LmZ2xA',
    )
    .action((options: { organization: number; key: string }) => rotate(context, options.organization, options.key));

  key
    .command('revoke')
    .description("end a key's access at once, for good")
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .requiredOption('--key <KEY_ID>', "key's id, as key list shows it", parseKeyId)
    .option('--yes', 'do not ask for confirmation; without a terminal nobody is asked')
    .addHelpText('after', '\nExample:\n  npm run admin -- key revoke --organization 1 --key 4fQ8LmZ2xA')
    .action((options: RevokeOptions) => revoke(context, options));
}

async function create(context: CommandContext, options: CreateOptions, command: Command): Promise<void> {
  const { organization: organizationId, type, scopes, label, createdBy } = options;
  const granted = scopesFor(type, scopes);
  if (typeof granted === 'string') command.error(`error: option '--scopes <a,b>' ${granted}`);
  const who = await context.callerIdentity();
  const action = (keyId: string): AuditAction => ({ who, what: `key create ${keyId} (${label})` });
  const created = await createApiKey(context.table(), {
    organizationId,
    type,
    scopes,
    label,
    createdBy,
    now: new Date(),
    action,
  });
  const creator = (await existingOrganization(context.table(), organizationId)).userById.get(createdBy);
  if (creator?.active === false) context.note(`Warning: ${creator.name}, in whose name the key acts, is inactive.`);
  context.print(created, () =>
    [
      created.key,
      '',
      `Copy it now: it is not shown again. Key id ${created.keyId}, scopes ${created.scopes.join(', ')}, expires ${created.expiresAt}.`,
    ].join('\n'),
  );
}

async function list(context: CommandContext, organizationId: number): Promise<void> {
  const organization = await existingOrganization(context.table(), organizationId);
  const items = await listApiKeys(context.table(), organizationId);
  context.print({ items }, () => {
    if (items.length === 0) return `Organization ${organizationId} has no API keys yet: make one with key create.`;
    const row = ({ keyId, label, type, scopes, createdBy, createdAt, expiresAt, revokedAt }: ListedApiKey): string[] => {
      const creator = organization.userById.get(createdBy)?.name ?? String(createdBy);
      const state = revokedAt ? `revoked ${day(revokedAt)}` : Date.parse(expiresAt) <= Date.now() ? 'expired' : 'live';
      return [
        keyId,
        label,
        type,
        scopes.join(','),
        creator,
        day(createdAt),
        day(expiresAt),
        daysLeft(expiresAt, revokedAt),
        state,
      ];
    };
    return formatColumns(
      ['KEY ID', 'LABEL', 'TYPE', 'SCOPES', 'CREATED BY', 'CREATED', 'EXPIRES', 'DAYS LEFT', 'STATE'],
      items.map(row),
    );
  });
}

/** A key in use with fewer days left raises the alarm KeyExpiresSoon too. */
const soonDays = 14;

const day = (dateTime: string): string => dateTime.slice(0, 10);

function daysLeft(expiresAt: string, revokedAt: string | null): string {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  if (revokedAt !== null || days < 0) return '';
  return days < soonDays ? `${days}: rotate it` : String(days);
}

const noKey = (organizationId: number, keyId: string) =>
  new CommandError(`Organization ${organizationId} has no API key with the id ${keyId}: key list shows those it has.`);

async function rotate(context: CommandContext, organizationId: number, keyId: string): Promise<void> {
  const table = context.table();
  await existingOrganization(table, organizationId);
  const old = (await listApiKeys(table, organizationId)).find((listed) => listed.keyId === keyId);
  if (!old) throw noKey(organizationId, keyId);
  if (old.revokedAt !== null) {
    throw new CommandError(`API key ${keyId} is revoked since ${old.revokedAt}: make a new one with key create.`);
  }
  const { type, scopes, label, createdBy } = old;
  const who = await context.callerIdentity();
  const action = (newKeyId: string): AuditAction => ({ who, what: `key rotate ${keyId} to ${newKeyId} (${label})` });
  const created = await createApiKey(table, { organizationId, type, scopes, label, createdBy, now: new Date(), action });
  const revoke = `key revoke --organization ${organizationId} --key ${keyId}`;
  const isExpired = Date.parse(old.expiresAt) <= Date.now();
  context.print({ ...created, replaces: { keyId, expiresAt: old.expiresAt } }, () =>
    [
      created.key,
      '',
      `Copy it now: it is not shown again. Key id ${created.keyId}, scopes ${created.scopes.join(', ')}, expires ${created.expiresAt}.`,
      isExpired
        ? `Key ${keyId} expired on ${day(old.expiresAt)}.`
        : `Give it to its server, and when that uses it, before ${day(old.expiresAt)}, revoke the old one: ${revoke}`,
    ].join('\n'),
  );
}

async function revoke(
  context: CommandContext,
  { organization: organizationId, key: keyId, yes = false }: RevokeOptions,
): Promise<void> {
  await existingOrganization(context.table(), organizationId);
  if (!yes && canAsk()) await confirmed(`API key ${keyId} loses its access at once, for good.`, keyId);
  const now = new Date();
  const action = { who: await context.callerIdentity(), what: `key revoke ${keyId}` };
  const revokedAt = await revokeApiKey(context.table(), organizationId, keyId, { at: now, action });
  if (revokedAt === undefined) throw noKey(organizationId, keyId);
  context.print({ keyId, revokedAt }, () =>
    revokedAt === now.toISOString()
      ? `Revoked API key ${keyId}: what is sent with it is refused from now on.`
      : `API key ${keyId} was revoked already, on ${revokedAt}: nothing to do.`,
  );
}

function parseScopes(text: string): Scope[] {
  return text.split(',').map((part) => {
    const name = part.trim();
    const scope = apiKeyScopes.find((known) => known === name);
    if (scope) return scope;
    const near = nearestName(name, apiKeyScopes);
    throw new InvalidArgumentError(
      near ? `Did you mean ${near}?` : `It must be a list of ${apiKeyScopes.join(', ')}, with commas between.`,
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

/** Any text can be looked for, but a whole key must not go into a shell's history as if that were usual. */
function parseKeyId(text: string): string {
  if (text === '') throw new InvalidArgumentError("It must be a key's id, as key list shows it.");
  if (text.startsWith(apiKeyPrefix)) {
    throw new InvalidArgumentError("It must be the key's id, the ten characters after the prefix, and not the key itself.");
  }
  return text;
}
