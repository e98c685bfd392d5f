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
 * text back, because another apply may use the IDs meanwhile.
 * @param apply replaces only the version that completed the file
 */
export async function applyCompleted<T>(
  { path, written, text, completedBy }: CompleteSettingsFile,
  apply: (completed: Pick<ApplyOptions, 'expectedVersion'>) => Promise<T>,
): Promise<T> {
  if (text !== written) await replaceFile(path, text);
  try {
    return await apply(completedBy === undefined ? {} : { expectedVersion: completedBy });
  } catch (error) {
    const isRefused =
      error instanceof SettingsRejectedError || error instanceof SettingsChangedError;
    if (text !== written && isRefused) await replaceFile(path, written);
    throw error;
  }
}
