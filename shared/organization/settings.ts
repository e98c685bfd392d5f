import * as v from 'valibot';
import { builtInFieldKeys, builtInNamed, builtIns } from './built-in-fields.ts';
import { namesIn, type PlacedName } from './lookalikes.ts';
import { type Settings, type SettingsAsStored, settingsFrom } from './organization.ts';
import { readReferences } from './settings-references.ts';
import { type SettingsFile, settingsFileSchema } from './settings-schema.ts';
import {
  inFileOrder,
  type SettingsIssue,
  SettingsRejectedError,
  shapeIssues,
} from './settings-shape.ts';

/** An API key that `npm start` creates if no key has its label. */
type KeyRequest = SettingsFile['keys'][number];

export interface ParsedSettingsFile {
  readonly settings: Settings;
  readonly keys: readonly KeyRequest[];
  /** The version of the settings that the file was made from; undefined if the file has none. */
  readonly version: number | undefined;
  readonly names: readonly PlacedName[];
}

/**
 * Reads a settings file.
 * @throws SettingsRejectedError with every fault of its shape or, if the shape is valid, with every wrong reference
 */
export function parseSettingsFile(text: string): ParsedSettingsFile {
  const { file, issues } = readReferences(parseShape(text));
  if (issues.length > 0) throw refused(issues);
  const { $schema: _, keys, version, ...rest } = file;
  return { settings: settingsOf(rest), keys, version, names: namesIn(rest) };
}

/** Reads a settings file without its references. @throws SettingsRejectedError with every fault of its shape */
export function parseShape(text: string): SettingsFile {
  const value = parseJson(text);
  const faults = Array.from(shapeIssues(settingsFileSchema, value), (issue) =>
    issue.path === '$.stages' ? { ...issue, message: stagesBesidePipelines } : issue,
  );
  if (faults.length > 0) throw refused(faults);
  return v.parse(settingsFileSchema, value);
}

/** Without `pipelines`, `stages` stand for one (names-alone.ts). */
const stagesBesidePipelines =
  'stand beside "pipelines": move them into the "stages" of a pipeline, or remove "pipelines"';

const refused = (issues: readonly SettingsIssue[]) =>
  new SettingsRejectedError(
    `The settings file has ${issues.length === 1 ? 'one problem' : `${issues.length} problems`}.`,
    issues,
  );

function parseJson(text: string): unknown {
  try {
    // Some editors begin a file with a byte order mark, which is not JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused([
      { path: '$', message: `is not valid JSON: ${error.message.replace(/\s+/g, ' ')}` },
    ]);
  }
}

function settingsOf(file: Omit<SettingsFile, '$schema' | 'keys' | 'version'>): Settings {
  const { fields } = file;
  const omitted = builtInFieldKeys.filter((key) => !fields.some((field) => field.key === key));
  const omittedFields = omitted.map((key) => {
    const { label, type } = builtIns[key];
    return { key, label, type, section: 'Contact', storage: 'column' as const };
  });
  const withOptions = (field: SettingsAsStored['fields'][number]) => ({
    ...field,
    options: field.options ?? [...(builtInNamed(field.key)?.options ?? [])],
  });
  return settingsFrom({
    ...file,
    modules: [...new Set(file.modules)],
    fields: [...omittedFields, ...fields].map(withOptions),
    assignmentRules: file.assignmentRules.map(({ when, users: named }) => {
      const users = named.map(Number); // `readReferences` has replaced every name
      return when ? { when, users } : { users };
    }),
  });
}

/** Settings in the form of the file; applying it changes nothing. Omits options that are being removed, which completes their removal. */
export function toSettingsFile(settings: Settings): Settings {
  const fields = settings.fields.map((field) => ({
    ...field,
    options: field.options.filter(({ retired }) => !retired),
  }));
  return inFileOrder(settingsFileSchema, { ...settings, fields });
}
