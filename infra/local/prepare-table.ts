import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completedFile, incompleteId } from '../../shared/organization/names-alone.ts';
import {
  type ParsedSettingsFile,
  parseSettingsFile,
  parseShape,
} from '../../shared/organization/settings.ts';
import { SettingsRejectedError } from '../../shared/organization/settings-shape.ts';
import {
  ApiKeyError,
  createApiKey,
  listApiKeys,
} from '../../shared/store/organizations/api-keys.ts';
import {
  applySettings,
  SettingsChangedError,
} from '../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../shared/store/organizations/organizations.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { applyCompleted, completeSettingsFile } from '../admin/organization/settings-file.ts';
import { CommandError } from '../cli/command.ts';
import { errorCode, refusePath } from '../cli/error-code.ts';
import {
  createTable,
  engineAnswersWithinMs,
  startingConfig,
  type TableEnvironment,
} from '../cli/table.ts';

/** A settings file that was read and validated, but for the references of a file that leaves something out: they need the settings in force. */
export interface OrganizationFile {
  readonly file: string;
  readonly text: string;
  readonly id: number;
}

/** An organization that is served, with the API keys that this start created, by label. */
export interface ServedOrganization {
  readonly id: number;
  readonly keys: Readonly<Record<string, string>>;
  /** A user who may create keys; undefined if no user is active. */
  readonly activeUserId: number | undefined;
}

const demoFile = join(import.meta.dirname, 'demo-organization.json');

/**
 * Reads the settings files, or the demo organization's if none is named.
 * @throws CommandError with the file and all its issues
 */
export function readOrganizationFiles(files: readonly string[]): OrganizationFile[] {
  const paths = files.length > 0 ? files : [demoFile];
  const read = paths.map((file) => {
    const text = textOf(file);
    return { file, text, id: idOf(file, text) };
  });
  for (const [id, [first, second]] of Map.groupBy(read, (one) => one.id))
    if (first && second)
      throw new CommandError(
        `--organization ${second.file}: organization ${id} is already defined by ${first.file}: give each organization its own ID.`,
      );
  return read;
}

function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    return refusePath(`--organization ${file}: the file cannot be read`, error);
  }
}

function idOf(file: string, text: string): number {
  try {
    return incompleteId(text) === undefined
      ? parseSettingsFile(text).settings.id
      : parseShape(completedFile(text, undefined)).id;
  } catch (error) {
    return refuse(file, error);
  }
}

export interface TablePreparation {
  readonly environment: TableEnvironment;
  readonly files: readonly OrganizationFile[];
  /** Prints a sentence for the waiting user. */
  readonly tell: (sentence: string) => void;
  /** The time limit of each call. */
  readonly answersWithinMs?: number;
}

/** Creates the table, applies the settings files one after the other, and then creates their keys. @throws CommandError for any failure of the engine */
export async function prepareTable({
  environment,
  files,
  tell,
  answersWithinMs = engineAnswersWithinMs,
}: TablePreparation): Promise<ServedOrganization[]> {
  const table = openTable(environment.LEADS_TABLE, startingConfig(environment, answersWithinMs));
  try {
    await createTable(environment, answersWithinMs);
    const applied: (readonly [file: string, ParsedSettingsFile])[] = [];
    for (const read of files) applied.push([read.file, await applyFile(table, read, tell)]);
    // Keys are created last, because only a start that succeeds shows them.
    const organizations: ServedOrganization[] = [];
    for (const [file, parsed] of applied)
      organizations.push(await createKeysOf(table, file, parsed));
    return organizations;
  } catch (error) {
    throw engineFailure(error, environment.AWS_ENDPOINT_URL_DYNAMODB, answersWithinMs);
  } finally {
    table.client.destroy();
  }
}

/** Converts an engine's failure to a CommandError that says why; returns any other error unchanged. */
function engineFailure(error: unknown, endpoint: string, answersWithinMs: number): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message } = error;
  const isLate = name === 'TimeoutError' && errorCode(error) !== 'ECONNRESET'; // the SDK uses this name for both
  if (!isLate && !('$metadata' in error)) return error;
  const failure = isLate
    ? `did not answer within ${answersWithinMs / 1000} s: check how busy the machine is and start again, or check --engine.`
    : `failed (${errorCode(error) ?? name}: ${message}): start again, or check --engine.`;
  return new CommandError(`The engine at ${endpoint} ${failure}`, { cause: error });
}

/**
 * Applies the settings of a completed file. The demo organization's settings are applied only once.
 * @param tell prints a sentence before a long wait
 * @throws CommandError if the settings are refused
 */
async function applyFile(
  table: Table,
  { file, text, id }: OrganizationFile,
  tell: (sentence: string) => void,
): Promise<ParsedSettingsFile> {
  if (file === demoFile && (await readSettings(table, id))) return parseSettingsFile(text);
  const onWait = (seconds: number): void =>
    tell(`${file} removes settings: waiting ${seconds} s for requests that may still use them.`);
  try {
    const complete = await completeSettingsFile(table, file, text);
    const { settings, names } = complete;
    await applyCompleted(complete, (completed) =>
      applySettings(table, settings, { names, onWait, ...completed }),
    );
    return complete;
  } catch (error) {
    return refuse(file, error);
  }
}

/**
 * Creates the keys of a file whose labels do not exist yet.
 * @throws CommandError if a key is refused
 */
async function createKeysOf(
  table: Table,
  file: string,
  { settings, keys: requests }: ParsedSettingsFile,
): Promise<ServedOrganization> {
  const { id, users } = settings;
  const existing = new Set((await listApiKeys(table, id)).map(({ label }) => label));
  const keys = new Map<string, string>();
  for (const request of requests.filter(({ label }) => !existing.has(label))) {
    const creating = createApiKey(table, { organizationId: id, ...request, now: new Date() });
    keys.set(request.label, (await creating.catch((error) => refuse(file, error))).key);
  }
  return {
    id,
    keys: Object.fromEntries(keys),
    activeUserId: users.find(({ active }) => active)?.id,
  };
}

/** @throws CommandError that says why the file is refused, or any other error unchanged */
function refuse(file: string, error: unknown): never {
  if (error instanceof SettingsRejectedError)
    throw new CommandError(`--organization ${file}: ${withIssues(error)}`);
  if (error instanceof ApiKeyError || error instanceof SettingsChangedError)
    throw new CommandError(`--organization ${file}: ${error.message}`);
  throw error;
}

/** A message with its issues: one issue within the sentence, or several on a line each. */
function withIssues({ message, issues }: SettingsRejectedError): string {
  const [first, ...more] = issues.map(({ path, message }) => `${path} ${message}`);
  const sentence = message.replace(/\.$/, ':');
  if (first === undefined) return message;
  if (more.length === 0) return `${sentence} ${first}${/[.?]$/.test(first) ? '' : '.'}`;
  return [sentence, ...[first, ...more].map((issue) => `  ${issue}`)].join('\n');
}
