import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Scope } from '../../shared/endpoints.ts';
import { type ApiKeyType, apiKeyPrefix, apiKeyScopes, apiKeyTypes, scopesFor } from '../../shared/organization/api-key.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import { createApiKey, type ListedApiKey, listApiKeys, revokeApiKey } from '../../shared/store/api-keys.ts';
import { CommandRefused, columns, type Desk, existingOrganization, parseId } from './desk.ts';

interface CreateOptions {
  organization: number;
  type: ApiKeyType;
  scopes?: Scope[];
  label: string;
  createdBy: number;
}

const labelMaxChars = 200;

/** `key create|list|revoke`. */
export function keyCommands(program: Command, desk: Desk): void {
  const key = program
    .command('key')
    .description("create, list and revoke an organization's API keys")
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1');

  key
    .command('create')
    .description('mint an API key, which is shown this once')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .addOption(new Option('--type <TYPE>', 'what the key is for').choices(apiKeyTypes).makeOptionMandatory())
    .option('--scopes <a,b>', `of an application key: ${apiKeyScopes.join(', ')}`, parseScopes)
    .requiredOption('--label <L>', 'name of the key, for people', parseLabel)
    .requiredOption('--created-by <USER_ID>', 'user in whose name the key acts', parseId)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  npm run admin -- key create --organization 1 --type website-form --label website --created-by 7\n' +
        '  npm run admin -- key create --organization 1 --type application --scopes leads.read,leads.write --label sync --created-by 7',
    )
    .action((options: CreateOptions, command: Command) => create(desk, options, command));

  key
    .command('list')
    .description('list the API keys, without their secret')
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1')
    .action((options: { organization: number }) => list(desk, options.organization));

  key
    .command('revoke')
    .description("end a key's access at once, for good")
    .requiredOption('--organization <ID>', "organization's id", parseId)
    .requiredOption('--key <KEY_ID>', "key's id, as key list shows it", parseKeyId)
    .addHelpText('after', '\nExample:\n  npm run admin -- key revoke --organization 1 --key 4fQ8LmZ2xA')
    .action((options: { organization: number; key: string }) => revoke(desk, options.organization, options.key));
}

async function create(desk: Desk, options: CreateOptions, command: Command): Promise<void> {
  const { organization: organizationId, type, scopes, label, createdBy } = options;
  const granted = scopesFor(type, scopes);
  if (typeof granted === 'string') command.error(`error: option '--scopes <a,b>' ${granted}`);
  const created = await createApiKey(desk.table(), { organizationId, type, scopes, label, createdBy, now: new Date() });
  desk.answer(created, () =>
    [
      created.key,
      '',
      `Copy it now: it is not shown again. Key id ${created.keyId}, scopes ${created.scopes.join(', ')}, expires ${created.expiresAt}.`,
    ].join('\n'),
  );
}

async function list(desk: Desk, organizationId: number): Promise<void> {
  const organization = await existingOrganization(desk.table(), organizationId);
  const items = await listApiKeys(desk.table(), organizationId);
  desk.answer({ items }, () => {
    if (items.length === 0) return `Organization ${organizationId} has no API keys yet: make one with key create.`;
    const row = ({ keyId, label, type, scopes, createdBy, createdAt, expiresAt, revokedAt }: ListedApiKey): string[] => {
      const creator = organization.userById.get(createdBy)?.name ?? String(createdBy);
      const state = revokedAt ? `revoked ${day(revokedAt)}` : Date.parse(expiresAt) <= Date.now() ? 'expired' : 'live';
      return [keyId, label, type, scopes.join(','), creator, day(createdAt), day(expiresAt), state];
    };
    return columns(['KEY ID', 'LABEL', 'TYPE', 'SCOPES', 'CREATED BY', 'CREATED', 'EXPIRES', 'STATE'], items.map(row));
  });
}

const day = (dateTime: string): string => dateTime.slice(0, 10);

async function revoke(desk: Desk, organizationId: number, keyId: string): Promise<void> {
  await existingOrganization(desk.table(), organizationId);
  const revokedAt = await revokeApiKey(desk.table(), organizationId, keyId, new Date());
  if (revokedAt === undefined) {
    throw new CommandRefused(`Organization ${organizationId} has no API key with the id ${keyId}: key list shows those it has.`);
  }
  desk.answer({ keyId, revokedAt }, () => `API key ${keyId} is revoked since ${revokedAt}.`);
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
