import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyRequest, parseSettingsFile, type Settings, SettingsFileError } from '../../shared/organization/settings.ts';
import { ApiKeyError, createApiKey, listApiKeys } from '../../shared/store/organizations/api-keys.ts';
import { applySettings, SettingsRejectedError } from '../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../shared/store/organizations/organizations.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { StartError } from './start-error.ts';

/** A settings file, read and found whole. */
export interface OrganizationFile {
  readonly file: string;
  readonly settings: Settings;
  readonly keys: readonly KeyRequest[];
  /** The demo organization, which is applied where there is no such organization yet, and else left as it was made since. */
  readonly isDemo: boolean;
}

/** An organization that is served, with the API keys minted at this start by their label. */
export interface ServedOrganization {
  readonly id: number;
  readonly keys: Readonly<Record<string, string>>;
  /** A person who may create keys; undefined where nobody is active. */
  readonly activeUserId: number | undefined;
}

const demoFile = join(import.meta.dirname, 'demo-organization.json');

/** Reads the settings files, or the demo organization's when none is named.
 *  @throws StartProblem naming the file, with all that is wrong with it */
export function readOrganizationFiles(files: readonly string[]): OrganizationFile[] {
  const isDemo = files.length === 0;
  const read = (isDemo ? [demoFile] : files).map((file) => ({ file, isDemo, ...parse(file) }));
  for (const [at, { file, settings }] of read.entries()) {
    const twin = read.slice(0, at).find((other) => other.settings.id === settings.id);
    if (twin) {
      throw new StartError(
        `--organization ${file}: organization ${settings.id} is described by ${twin.file} already: give each an id of its own.`,
      );
    }
  }
  return read;
}

function parse(file: string): { settings: Settings; keys: KeyRequest[] } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `--organization ${file}: the file cannot be read (${(error as NodeJS.ErrnoException).code}): name a settings file.`,
    );
  }
  try {
    return parseSettingsFile(text);
  } catch (error) {
    if (error instanceof SettingsFileError) throw new StartError(`--organization ${file}: ${withIssues(error)}`);
    throw error;
  }
}

/** Applies the settings and mints the keys that do not exist yet, told by their label.
 *  @param tell is told before a wait, which is long for a person
 *  @throws StartProblem for settings that are refused */
export async function applyFile(
  table: Table,
  organization: OrganizationFile,
  tell: (sentence: string) => void,
): Promise<ServedOrganization> {
  const { file, settings, keys, isDemo } = organization;
  try {
    const leftAlone = isDemo && (await readSettings(table, settings.id)) !== undefined;
    const onWait = (seconds: number): void =>
      tell(`${file} drops something: waiting ${seconds} s for requests that may still use it.`);
    if (!leftAlone) await applySettings(table, settings, { onWait });

    const known = new Set((await listApiKeys(table, settings.id)).map(({ label }) => label));
    const minted: Record<string, string> = {};
    for (const request of keys) {
      if (known.has(request.label)) continue;
      const { key } = await createApiKey(table, { organizationId: settings.id, ...request, now: new Date() });
      minted[request.label] = key;
    }
    return { id: settings.id, keys: minted, activeUserId: settings.users.find(({ active }) => active)?.id };
  } catch (error) {
    if (error instanceof SettingsRejectedError) throw new StartError(`--organization ${file}: ${withIssues(error)}`);
    if (error instanceof ApiKeyError) throw new StartError(`--organization ${file}: ${error.message}`);
    throw error;
  }
}

const withIssues = ({ message, issues }: SettingsFileError | SettingsRejectedError): string =>
  `${message.replace(/\.$/, '')}: ${issues.map((issue) => `${issue.path} ${issue.message}`.replace(/\.$/, '')).join('; ')}.`;
