import type { Command } from 'commander';
import { limits } from '../../../shared/limits.ts';
import { toSettingsFile } from '../../../shared/organization/settings.ts';
import { integerOption, parseId } from '../../cli/options.ts';
import type { CommandContext } from '../context.ts';
import { changeLine, type SettingsChange, settingsChanges } from './settings-diff.ts';
import { type SettingsVersion, settingsInForce, settingsOfVersion } from './settings-version.ts';

/** Parses a version of the settings on the command line. */
export const parseVersion = integerOption(1, limits.idMax);

/** `organization show` and `organization diff`. */
export function organizationShowCommands(organization: Command, context: CommandContext): void {
  organization
    .command('show')
    .description('print the settings of an organization, in the format of the settings file')
    .argument('<ID>', 'organization ID', parseId)
    .option('--version <N>', 'a kept version (default: the version in force)', parseVersion)
    .addHelpText(
      'after',
      `
Edit the output and apply it: organization apply refuses it if others have
applied settings in the meantime. organization history lists the versions.

Examples:
  npm run --silent admin -- organization show 1 > organization-1.json
  npm run --silent admin -- organization show 1 --version 3`,
    )
    .action((organizationId: number, { version }: { version?: number }) =>
      show(context, organizationId, version),
    );
  organization
    .command('diff')
    .description('print what changed between two versions of the settings')
    .argument('<ID>', 'organization ID', parseId)
    .requiredOption('--from <N>', 'the earlier version', parseVersion)
    .option('--to <N>', 'the later version (default: the version in force)', parseVersion)
    .addHelpText(
      'after',
      `
organization history lists the versions, and who applied them.

Examples:
  npm run admin -- organization diff 1 --from 3
  npm run admin -- organization diff 1 --from 3 --to 5`,
    )
    .action((organizationId: number, options: DiffOptions) =>
      diff(context, organizationId, options),
    );
}

async function show(
  context: CommandContext,
  organizationId: number,
  requested: number | undefined,
): Promise<void> {
  const table = context.table();
  const inForce = await settingsInForce(table, organizationId);
  const { settings, version } = await settingsOfVersion(
    table,
    inForce,
    requested ?? inForce.version,
  );
  const { id, ...rest } = toSettingsFile(settings);
  const file = { id, version, ...rest };
  context.print(file, () => JSON.stringify(file, null, 2));
}

interface DiffOptions {
  from: number;
  to?: number;
}

async function diff(
  context: CommandContext,
  organizationId: number,
  { from, to }: DiffOptions,
): Promise<void> {
  const table = context.table();
  const inForce = await settingsInForce(table, organizationId);
  const before = await settingsOfVersion(table, inForce, from);
  const after = await settingsOfVersion(table, inForce, to ?? inForce.version);
  const changes = settingsChanges(before.settings, after.settings);
  context.print({ changes: changes.map(kindOf) }, () =>
    [headline(organizationId, before, after, changes), ...changes.map(changeLine)].join('\n'),
  );
}

const headline = (
  organizationId: number,
  { version: from }: SettingsVersion,
  { version: to }: SettingsVersion,
  changes: readonly SettingsChange[],
): string =>
  changes.length === 0
    ? `Organization ${organizationId}: versions ${from} and ${to} have the same settings.`
    : `Organization ${organizationId}, from version ${from} to version ${to}:`;

/** A change as programs read it: where, and what kind of. */
const kindOf = ({ path, change }: SettingsChange) => ({
  path,
  kind: change === 'added' || change === 'removed' ? change : 'changed',
});
