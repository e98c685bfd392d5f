import type { Command } from 'commander';
import { revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { canAsk, confirmed } from '../../cli/confirm.ts';
import { parseId } from '../../cli/options.ts';
import { type CommandContext, existingOrganization } from '../context.ts';
import { keyCreateCommand, keyRotateCommand } from './create.ts';
import { keyListCommand } from './list.ts';
import { type NamedKey, parseKeyId, unknownKeyError } from './options.ts';

interface RevokeOptions extends NamedKey {
  yes?: boolean;
}

export function keyCommands(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .description('create, list, rotate and revoke API keys')
    .addHelpText('after', '\nExample:\n  npm run admin -- key list --organization 1');
  keyCreateCommand(key, context);
  keyListCommand(key, context);
  keyRotateCommand(key, context);
  revokeCommand(key, context);
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
