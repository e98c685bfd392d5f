import { InvalidArgumentError, Option } from 'commander';
import { apiKeyScopes, type Scope } from '../../../shared/contract/endpoints.ts';
import {
  type ApiKeyType,
  apiKeyPrefix,
  apiKeyTypes,
  lifetimeDays,
  scopesFor,
} from '../../../shared/organization/api-key.ts';
import {
  listApiKeys,
  listApiKeysWithUse,
  revokeApiKey,
} from '../../../shared/store/organizations/api-keys.ts';
import { canAsk } from '../../cli/confirm.ts';
import { countOf, dateOf, formatTable } from '../../cli/format.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { namedId } from '../named.ts';
import {
  canCapture,
  createKey,
  dayMs,
  daysIssue,
  isExpired,
  isLive,
  type NewKey,
  successorOf,
  unknownKeyError,
} from './make-key.ts';

/** Accepts any text except a whole key, because nobody should get used to typing keys into a shell's history. */
function parseKeyId(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a key ID, as printed by key list.');
  if (text.startsWith(apiKeyPrefix)) {
    throw new InvalidArgumentError(
      "It must be the key's ID, which is the ten characters after the prefix, not the key itself.",
    );
  }
  return text;
}

/** How long the keys of each type are valid, for help: `730 days for website-form, 90 for application`. */
const lifetimeText = apiKeyTypes
  .map((type, index) => `${lifetimeDays[type]} ${index === 0 ? 'days ' : ''}for ${type}`)
  .join(', ');

interface CreateOptions {
  readonly type: ApiKeyType;
  readonly scopes?: readonly Scope[];
  readonly label: string;
  readonly createdBy: string;
  /** Days. */
  readonly expiresIn?: number;
}

interface RotateOptions extends Pick<CreateOptions, 'expiresIn'> {
  readonly key: string;
  readonly createdBy?: string;
}

const expiresInText = `days until the key expires, such as 30d; fewer than its type allows (${lifetimeText})`;

export function keyCreateCommand(key: AdminCommand): void {
  key
    .ofOrganization('create', 'create an API key and print it; it is not shown again')
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
    .examples(
      '--organization 1 --type website-form --label website --created-by 1',
      '--organization 1 --type application --scopes leads.read --label trial --created-by 1 --expires-in 30d',
    )
    .refuse(({ type, scopes }: CreateOptions) => {
      const granted = scopesFor(type, scopes);
      return typeof granted === 'string' && `option '--scopes <a,b>' ${granted}`;
    })
    .json('{"key":"…","keyId":"…","scopes":[…],"expiresAt":"…"}')
    .run(create);
}

/** `key list`, `rotate` and `revoke`. */
export function keyCommands(key: AdminCommand): void {
  key
    .ofOrganization('list', 'list the API keys of an organization, without the keys themselves')
    .notes(`
LAST USED is when the key's latest hour of use began (UTC); later requests in that
hour do not change it. A request refused with 401 or 429 does not count.`)
    .examples('--organization 1')
    .json(
      '{"items":[{"keyId","label","type","scopes","createdBy","createdAt","expiresAt","revokedAt","lastUsedAt"}]}',
    )
    .run(list);
  key
    .ofOrganization(
      'rotate',
      'create the successor of a key, with the same type, scopes, label and creator',
    )
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--created-by <USER>', 'user that the successor acts for, named by ID or name')
    .option('--expires-in <DAYSd>', expiresInText, parseDays)
    .notes(`
The old key works until you revoke it: give its server the new key first. key
list shows when each key was last used.`)
    .examples('--organization 1 --key 4fQ8LmZ2xA --created-by 2')
    .json('{"key":"…","keyId":"…","scopes":[…],"expiresAt":"…"}')
    .run(rotate);
  key
    .ofOrganization('revoke', 'revoke a key at once, for good')
    .requiredOption('--key <KEY_ID>', 'key ID, as printed by key list', parseKeyId)
    .option('--yes', 'do not ask for confirmation; without a terminal, the command never asks')
    .examples('--organization 1 --key 4fQ8LmZ2xA')
    .json('{"keyId":"…","revokedAt":"…"}')
    .run(revoke);
}

async function create(context: CommandContext, options: CreateOptions): Promise<void> {
  const createdBy = namedId(await context.organization(), 'user', options.createdBy);
  await createAndPrint(context, { ...options, createdBy });
}

async function rotate(
  context: CommandContext,
  { key: keyId, expiresIn, createdBy }: RotateOptions,
): Promise<void> {
  const organization = await context.organization();
  const userId = namedId(organization, 'user', createdBy);
  const { old, key } = await successorOf(context.table(), organization, keyId, userId);
  const expiry = dateOf(old.expiresAt);
  const next = isExpired(old.expiresAt)
    ? `Key ${keyId} expired on ${expiry}.`
    : `Give it to its server. Once the server uses it, and before ${expiry}, revoke the old key: npm run admin -- key revoke --organization ${organization.id} --key ${keyId}`;
  await createAndPrint(context, { ...key, expiresIn }, next);
}

/** @param next what to do with the new key */
async function createAndPrint(
  context: CommandContext,
  key: NewKey,
  ...next: readonly string[]
): Promise<void> {
  const { id: organizationId, userById } = await context.organization();
  const issue = daysIssue(key.expiresIn, key.type);
  if (issue !== undefined)
    context.command.error(`error: option '--expires-in ${key.expiresIn}d' ${issue}`);
  const who = await context.callerIdentity();
  const created = await createKey(context.table(), organizationId, key, who);
  const { keyId, scopes, expiresAt } = created;
  const facts = `Key ID ${keyId}, scopes ${scopes.join(', ')}, expires ${expiresAt}.`;
  context.print(created, created.key, '', `Copy it now: it is not shown again. ${facts}`, next);
  const user = userById.get(key.createdBy);
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
    throw new InvalidArgumentError(
      `It must be one or more of ${apiKeyScopes.join(', ')}, separated by commas.`,
    );
  });
}

const labelMaxChars = 200;

export function parseLabel(text: string): string {
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

async function list(context: CommandContext): Promise<void> {
  const organization = await context.organization();
  const items = await listApiKeysWithUse(context.table(), organization.id);
  const rows = items.map(({ lastUsedAt, expiresAt, revokedAt, ...key }) => {
    const state = isExpired(expiresAt) ? 'expired' : 'live';
    return {
      'KEY ID': key.keyId,
      LABEL: key.label,
      STATE: revokedAt ? `revoked ${dateOf(revokedAt)}` : state,
      'LAST USED': lastUsedAt ? lastUsedAt.slice(0, 16).replace('T', ' ') : 'never',
      'DAYS LEFT': daysLeft(expiresAt, revokedAt),
      EXPIRES: dateOf(expiresAt),
      TYPE: key.type,
      SCOPES: key.scopes.join(','),
      'CREATED BY': organization.userById.get(key.createdBy)?.name ?? String(key.createdBy),
      CREATED: dateOf(key.createdAt),
    };
  });
  const none = `Organization ${organization.id} has no API keys: create one with key create.`;
  const count = items.length === 0 ? [] : ['', `${countOf(items.length, 'API key')}.`];
  context.print({ items }, formatTable(rows, { width: context.width, none }), count);
}

/** The alarm KeyExpiresSoon goes off at the same number of days, if the key is in use. */
export const rotateWithinDays = 14;

function daysLeft(expiresAt: string, revokedAt: string | null): string {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / dayMs);
  if (revokedAt !== null || days < 0) return '';
  return days < rotateWithinDays ? `${days}: rotate it` : String(days);
}

async function revoke(
  context: CommandContext,
  { key: keyId }: { readonly key: string },
): Promise<void> {
  const { id: organizationId } = await context.organization();
  if (canAsk())
    await context.confirm(`API key ${keyId} loses its access at once, for good.`, keyId);
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
  const capturing = (await listApiKeys(context.table(), organizationId)).filter(canCapture);
  const isRevoked = capturing.some((listed) => listed.keyId === keyId);
  if (isRevoked && !capturing.some(isLive))
    context.note(
      `No live key of organization ${organizationId} can send captures now: create one with key create.`,
    );
}
