import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSettingsFile, SettingsFileError } from '../../shared/organization/settings.ts';
import type { KeyRequest, Settings } from '../../shared/organization/settings-types.ts';
import {
  ApiKeyError,
  createApiKey,
  listApiKeys,
} from '../../shared/store/organizations/api-keys.ts';
import {
  applySettings,
  SettingsRejectedError,
} from '../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../shared/store/organizations/organizations.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { errorCode } from '../cli/error-code.ts';
import { StartError } from './start-error.ts';
import {
  createTable,
  engineAnswersWithinMs,
  engineTimeout,
  startingConfig,
  type TableEnvironment,
} from './table.ts';

/** A settings file that was read and validated. */
export interface OrganizationFile {
  readonly file: string;
  readonly settings: Settings;
  readonly keys: readonly KeyRequest[];
  /** The demo organization: applied only if it does not exist yet. */
  readonly isDemo: boolean;
}

/** An organization that is served, with the API keys created at this start, by label. */
export interface ServedOrganization {
  readonly id: number;
  readonly keys: Readonly<Record<string, string>>;
  /** A user who may create keys; undefined if no user is active. */
  readonly activeUserId: number | undefined;
}

const demoFile = join(import.meta.dirname, 'demo-organization.json');

/**
 * Reads the settings files, or that of the demo organization if none is named.
 * @throws StartError with the file and all its issues
 */
export function readOrganizationFiles(files: readonly string[]): OrganizationFile[] {
  const isDemo = files.length === 0;
  const read = (isDemo ? [demoFile] : files).map((file) => ({ file, isDemo, ...parse(file) }));
  for (const [at, { file, settings }] of read.entries()) {
    const twin = read.slice(0, at).find((other) => other.settings.id === settings.id);
    if (twin) {
      throw new StartError(
        `--organization ${file}: organization ${settings.id} is already defined by ${twin.file}: give each organization its own ID.`,
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
      `--organization ${file}: the file cannot be read (${errorCode(error)}): name a settings file.`,
    );
  }
  try {
    return parseSettingsFile(text);
  } catch (error) {
    throw refusalOf(file, error);
  }
}

export interface TablePreparation {
  readonly environment: TableEnvironment;
  readonly files: readonly OrganizationFile[];
  /** Prints a sentence for the person who waits. */
  readonly tell: (sentence: string) => void;
  /** The time limit of each call. */
  readonly answersWithinMs?: number;
}

/** Creates the table, applies the settings files one after the other, and then creates their keys. @throws StartError for any failure of the engine */
export async function prepareTable(preparation: TablePreparation): Promise<ServedOrganization[]> {
  const { environment, files, tell, answersWithinMs = engineAnswersWithinMs } = preparation;
  await createTable(environment, answersWithinMs);
  const table = openTable(environment.LEADS_TABLE, startingConfig(environment, answersWithinMs));
  try {
    for (const file of files) await applyFile(table, file, tell);
    // Only a start that is not refused shows the keys that it created.
    const organizations: ServedOrganization[] = [];
    for (const file of files) organizations.push(await createKeysOf(table, file));
    return organizations;
  } catch (error) {
    throw engineFailure(error, environment.AWS_ENDPOINT_URL_DYNAMODB, answersWithinMs) ?? error;
  } finally {
    table.client.destroy();
  }
}

function engineFailure(
  error: unknown,
  endpoint: string,
  answersWithinMs: number,
): StartError | undefined {
  const timeout = engineTimeout(error, endpoint, answersWithinMs);
  if (timeout || !(error instanceof Error) || !('$metadata' in error)) return timeout;
  const { name, message } = error;
  return new StartError(
    `The engine at ${endpoint} failed (${name}: ${message}): start again, or check --engine.`,
    {
      cause: error,
    },
  );
}

/**
 * Applies the settings of a file. Those of the demo organization are applied only once.
 * @param tell prints a sentence before a long wait
 * @throws StartError for settings that are refused
 */
async function applyFile(
  table: Table,
  { file, settings, isDemo }: OrganizationFile,
  tell: (sentence: string) => void,
): Promise<void> {
  const isKept = isDemo && (await readSettings(table, settings.id)) !== undefined;
  if (isKept) return;
  const onWait = (seconds: number): void =>
    tell(`${file} removes settings: waiting ${seconds} s for requests that may still use them.`);
  try {
    await applySettings(table, settings, { onWait });
  } catch (error) {
    throw refusalOf(file, error);
  }
}

/**
 * Creates the keys of a file whose label does not exist yet.
 * @throws StartError for a key that is refused
 */
async function createKeysOf(
  table: Table,
  { file, settings, keys: requests }: OrganizationFile,
): Promise<ServedOrganization> {
  const { id, users } = settings;
  const existing = new Set((await listApiKeys(table, id)).map(({ label }) => label));
  const keys: Record<string, string> = {};
  for (const request of requests.filter(({ label }) => !existing.has(label))) {
    const newKey = { organizationId: id, ...request, now: new Date() };
    try {
      keys[request.label] = (await createApiKey(table, newKey)).key;
    } catch (error) {
      throw refusalOf(file, error);
    }
  }
  return { id, keys, activeUserId: users.find(({ active }) => active)?.id };
}

/** What a start says of a refused file; any other error as it is. */
function refusalOf(file: string, error: unknown): unknown {
  if (error instanceof SettingsFileError || error instanceof SettingsRejectedError)
    return new StartError(`--organization ${file}: ${withIssues(error)}`);
  if (error instanceof ApiKeyError)
    return new StartError(`--organization ${file}: ${error.message}`);
  return error;
}

/** One issue in the sentence, several on a line each. */
function withIssues({ message, issues }: SettingsFileError | SettingsRejectedError): string {
  const [first, ...more] = issues.map(({ path, message }) => `${path} ${message}`);
  const sentence = message.replace(/\.$/, ':');
  if (first === undefined) return message;
  if (more.length === 0) return `${sentence} ${first}${/[.?]$/.test(first) ? '' : '.'}`;
  return [sentence, ...[first, ...more].map((issue) => `  ${issue}`)].join('\n');
}
