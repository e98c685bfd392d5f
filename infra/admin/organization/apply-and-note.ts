import type { Settings } from '../../../shared/organization/settings-types.ts';
import { type Applied, applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import type { CommandContext } from '../context.ts';
import { changeWarnings } from './change-warnings.ts';
import { settingsWarnings } from './settings-warnings.ts';

interface ApplyRequest {
  /** The audit log's entry. */
  readonly what: string;
  /** Applies only if this version is still in force. */
  readonly expectedVersion?: number;
  /** Of the search for references. */
  readonly readUnitsPerSecond?: number | undefined;
}

/**
 * Applies settings, notes a wait for removals, prints the result, then notes what the settings and their change break.
 * @throws SettingsRejectedError, SettingsMovedError as `applySettings`
 */
export async function applyAndNote(
  context: CommandContext,
  settings: Settings,
  { what, readUnitsPerSecond, ...expected }: ApplyRequest,
  printResult: (applied: Applied) => void,
): Promise<void> {
  const table = context.pacedTable(readUnitsPerSecond);
  const applied = await applySettings(table, settings, {
    ...expected,
    action: { who: await context.callerIdentity(), what },
    onWait: (seconds, removals) =>
      context.note(
        `Waiting ${seconds} s for requests that may still use ${removals.map(({ path }) => path).join(', ')}.`,
      ),
  });
  printResult(applied);
  await noteWarnings(context, table, { before: applied.before, settings });
}

interface SettingsChange {
  /** Undefined for a new organization. */
  readonly before: Settings | undefined;
  readonly settings: Settings;
}

/** Warns of what the settings, and their change, break. */
export async function noteWarnings(
  context: CommandContext,
  table: Table,
  { before, settings }: SettingsChange,
): Promise<void> {
  for (const warning of settingsWarnings(settings)) context.note(warning);
  for (const warning of await changeWarnings(table, before, settings)) context.note(warning);
}
