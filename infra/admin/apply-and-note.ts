import type { Settings } from '../../shared/organization/settings-types.ts';
import { type Applied, applySettings } from '../../shared/store/organizations/apply-settings.ts';
import { changeWarnings } from './change-warnings.ts';
import type { CommandContext } from './context.ts';
import { settingsWarnings } from './settings-warnings.ts';

interface ApplyRequest {
  /** The audit log's entry. */
  readonly what: string;
  /** Applies only if this version is still in force. */
  readonly expectedVersion?: number;
}

/**
 * Applies settings, notes a wait for removals, prints the result, then notes what the settings and their change break.
 * @throws SettingsRejectedError, SettingsMovedError as `applySettings`
 */
export async function applyAndNote(
  context: CommandContext,
  settings: Settings,
  { what, ...expected }: ApplyRequest,
  printResult: (applied: Applied) => void,
): Promise<void> {
  const applied = await applySettings(context.pacedTable(), settings, {
    ...expected,
    action: { who: await context.callerIdentity(), what },
    onWait: (seconds, removals) =>
      context.note(
        `Waiting ${seconds} s for requests that may still use ${removals.map(({ path }) => path).join(', ')}.`,
      ),
  });
  printResult(applied);
  await noteWarnings(context, applied.before, settings);
}

/** Warns of what the settings, and their change, break. @param before undefined for a new organization */
export async function noteWarnings(
  context: CommandContext,
  before: Settings | undefined,
  settings: Settings,
): Promise<void> {
  for (const warning of settingsWarnings(settings)) context.note(warning);
  for (const warning of await changeWarnings(context.pacedTable(), before, settings))
    context.note(warning);
}
