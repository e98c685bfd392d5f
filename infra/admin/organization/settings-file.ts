import { readFile } from 'node:fs/promises';
import { completedFile, incompleteId } from '../../../shared/organization/names-alone.ts';
import {
  type ParsedSettingsFile,
  parseSettingsFile,
} from '../../../shared/organization/settings.ts';
import { SettingsRejectedError } from '../../../shared/organization/settings-shape.ts';
import {
  type ApplyOptions,
  SettingsChangedError,
} from '../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { ContentionError } from '../../../shared/store/table/retry.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { replaceFile } from '../../cli/resumable-file.ts';

/** A settings file, completed with what it left out, such as IDs. */
export interface CompleteSettingsFile extends ParsedSettingsFile {
  readonly path: string;
  readonly written: string;
  /** The same text as `written` if nothing was left out. */
  readonly text: string;
  /** The version in force that completed the file, 0 for none; undefined if nothing was left out. */
  readonly completedBy: number | undefined;
}

/** @param written the text of the file @throws SettingsRejectedError as `parseSettingsFile` and `completedFile` */
export async function completeSettingsFile(
  table: Table,
  path: string,
  written: string,
): Promise<CompleteSettingsFile> {
  const id = incompleteId(written);
  const inForce = id === undefined ? undefined : await readSettings(table, id);
  const text = completedFile(written, inForce?.settings);
  const completedBy = text === written ? undefined : (inForce?.version ?? 0);
  return { path, written, text, completedBy, ...parseSettingsFile(text) };
}

/**
 * Writes the completed text into the file, and then applies it, so that IDs stay the same. If nothing is applied, the file gets its old
 * text back, because another apply may use the IDs meanwhile. What a person saves meanwhile is never overwritten.
 * @param apply replaces only the version that completed the file
 * @throws CommandError if the file was saved since it was read
 */
export async function applyCompleted<T>(
  file: CompleteSettingsFile,
  apply: (completed: Pick<ApplyOptions, 'expectedVersion'>) => Promise<T>,
): Promise<T> {
  const { path, written, text, completedBy } = file;
  if (completedBy === undefined) return apply({});
  if (!(await replaceText(path, written, text)))
    throw new CommandError(`${path} was saved meanwhile: run the command again.`);
  try {
    return await apply({ expectedVersion: completedBy });
  } catch (error) {
    const isRefused = refusals.some((refusal) => error instanceof refusal);
    // Why nothing was applied matters more than a file that cannot be written.
    if (isRefused) await replaceText(path, text, written).catch(() => undefined);
    throw error;
  }
}

/** After these errors, it is certain that nothing was applied. */
const refusals = [SettingsRejectedError, SettingsChangedError, ContentionError];

/** @returns false if the file has another text than `before` */
async function replaceText(path: string, before: string, after: string): Promise<boolean> {
  const bytes = await readFile(path).catch((error: unknown) =>
    refusePath(`${path} cannot be read`, error),
  );
  if (new TextDecoder().decode(bytes) !== before) return false;
  await replaceFile(path, after);
  return true;
}
