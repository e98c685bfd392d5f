import { scopesFor } from './api-key.ts';
import { builtInFields, builtInOptions, isAlwaysRequired } from './built-in-fields.ts';
import { isBuiltIn } from './field-kinds.ts';
import { resolveRuleNames } from './rule-names.ts';
import { referenceIssues } from './settings-references.ts';
import {
  fieldSchema,
  optionSchema,
  pipelineSchema,
  type SettingsFile,
  settingsFileSchema,
  showWhenSchema,
  sourceSchema,
  stageSchema,
  userSchema,
} from './settings-schema.ts';
import { readShape, type SettingsIssue } from './settings-shape.ts';
import type { KeyRequest, Settings, SettingsField } from './settings-types.ts';

/** Thrown for a settings file that is not valid, with all its issues. */
export class SettingsFileError extends Error {
  override readonly name = 'SettingsFileError';
  readonly issues: readonly SettingsIssue[];

  constructor(issues: readonly SettingsIssue[]) {
    const count = issues.length === 1 ? 'one problem' : `${issues.length} problems`;
    super(`The settings file has ${count}.`);
    this.issues = issues;
  }
}

export interface ParsedSettingsFile {
  readonly settings: Settings;
  readonly keys: KeyRequest[];
  /** The version of the settings that the file was made from; undefined if the file does not say. */
  readonly version: number | undefined;
}

/** Reads a settings file. @throws SettingsFileError with every issue of the file */
export function parseSettingsFile(text: string): ParsedSettingsFile {
  const shaped = readShape(settingsFileSchema, parseJson(text));
  const resolved = resolveRuleNames(shaped.value ?? {});
  const isMalformed = (place: string): boolean =>
    shaped.issues.some(({ path }) => path.startsWith(place));
  const issues = [
    ...shaped.issues,
    ...resolved.issues,
    ...(shaped.value ? referenceIssues(resolved.file, isMalformed) : []),
  ];
  if (issues.length > 0) throw new SettingsFileError(issues);
  const { keys, version, ...rest } = resolved.file as SettingsFile; // without an issue, it is whole
  return { settings: settingsOf(rest), keys: keys.map(keyRequest), version };
}

function parseJson(text: string): unknown {
  try {
    // Some editors begin a file with a byte order mark, which is not JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SettingsFileError([
      { path: '$', message: `is not valid JSON: ${error.message.replace(/\s+/g, ' ')}` },
    ]);
  }
}

function settingsOf(file: Omit<SettingsFile, 'keys' | 'version'>): Settings {
  const named = new Set(file.fields.map(({ key }) => key));
  return {
    id: file.id,
    name: file.name,
    modules: [...new Set(file.modules)],
    users: file.users,
    pipelines: file.pipelines,
    sources: file.sources,
    fields: [
      ...builtInFields().filter(({ key }) => !named.has(key)),
      ...file.fields.map(settingsField),
    ],
    assignmentRules: file.assignmentRules.map(({ when, users: named }) => {
      const users = named.map(Number); // `resolveRuleNames` has replaced every name
      return when ? { when, users } : { users };
    }),
  };
}

function settingsField(field: SettingsFile['fields'][number]): SettingsField {
  const builtIn = isBuiltIn(field.key) ? field.key : undefined;
  const required = builtIn !== undefined && isAlwaysRequired(builtIn);
  return {
    ...field,
    options: field.options ?? (builtIn ? builtInOptions(builtIn) : []),
    requiredOnCreate: field.requiredOnCreate ?? required,
    requiredOnEdit: field.requiredOnEdit ?? required,
  };
}

function keyRequest({
  label,
  type,
  scopes,
  createdBy,
  expiresAt,
}: SettingsFile['keys'][number]): KeyRequest {
  const granted = scopesFor(type, scopes);
  // `referenceIssues` has already reported invalid scopes.
  if (typeof granted === 'string')
    throw new SettingsFileError([{ path: '$.keys', message: granted }]);
  const request = { label, type, scopes: granted, createdBy };
  return expiresAt === undefined
    ? request
    : { ...request, expiresAt: new Date(expiresAt).toISOString() };
}

/** Settings in the form of the file; applying it changes nothing. Omits options that are being removed, which completes their removal. */
export function toSettingsFile(settings: Settings): Settings {
  const { id, name, modules, users, pipelines, sources, fields, assignmentRules } = settings;
  return {
    id,
    name,
    modules,
    users: users.map((user) => inOrder(userSchema, user)),
    pipelines: pipelines.map((pipeline) => ({
      ...inOrder(pipelineSchema, pipeline),
      stages: pipeline.stages.map((stage) => inOrder(stageSchema, stage)),
    })),
    sources: sources.map((source) => inOrder(sourceSchema, source)),
    fields: fields.map((field) => ({
      ...inOrder(fieldSchema, field),
      options: field.options
        .filter(({ retired }) => !retired)
        .map((option) => inOrder(optionSchema, option)),
      showWhen: field.showWhen && inOrder(showWhenSchema, field.showWhen),
    })),
    assignmentRules: assignmentRules.map(({ when, users }) =>
      when ? { when: inOrder(showWhenSchema, when), users } : { users },
    ),
  };
}

/** The properties in the file's order, because DynamoDB returns those of a map in any order. */
function inOrder<T extends object>({ entries }: { readonly entries: object }, item: T): T {
  const values = new Map(Object.entries(item));
  const names = Object.keys(entries).filter((name) => values.has(name));
  return Object.fromEntries(names.map((name) => [name, values.get(name)])) as T;
}
