import type * as v from 'valibot';
import { isPlainObject } from '../json.ts';
import { scopesFor } from './api-key.ts';
import { equalsIssues, fieldIssues, type IdSet, type References } from './settings-fields.ts';
import {
  assignmentRuleSchema,
  fieldSchema,
  keySchema,
  pipelineSchema,
  sourceSchema,
  stageSchema,
  userSchema,
} from './settings-schema.ts';
import { display, type Entry, entriesOf, repeated, type SettingsIssue } from './settings-shape.ts';

const byId = (value: { id?: number }): number | undefined => value.id;

/** The valid IDs of a list's items. If the value is not a list, which is reported elsewhere, every ID counts as known. */
function idsIn(list: unknown): IdSet {
  if (!Array.isArray(list)) return { has: () => true };
  return new Set(
    list.flatMap((item) => (isPlainObject(item) && typeof item.id === 'number' ? [item.id] : [])),
  );
}

const unknownUser = (user: number): string =>
  `is user ${user}, who is not in $.users: use the ID of a user in $.users`;

const unknownUserName = (name: string): string =>
  `is ${display(name)}, who is not in $.users: use the ID or name of a user in $.users`;

/** Reports the users of a list that are unknown or repeated. */
function userIssues(users: unknown, known: IdSet, path: string): SettingsIssue[] {
  if (!Array.isArray(users)) return [];
  return users.flatMap((user, index) => {
    if (typeof user === 'string' && user !== '')
      return [{ path: `${path}[${index}]`, message: unknownUserName(user) }];
    if (typeof user !== 'number') return [];
    if (!known.has(user)) return [{ path: `${path}[${index}]`, message: unknownUser(user) }];
    return users.indexOf(user) < index
      ? [{ path: `${path}[${index}]`, message: `is user ${user} again: list each user only once` }]
      : [];
  });
}

type PipelineEntry = Entry<v.InferOutput<typeof pipelineSchema>>;
type StageEntry = Entry<v.InferOutput<typeof stageSchema>>;

function pipelineIssues(
  pipelines: readonly PipelineEntry[],
  stages: readonly (readonly StageEntry[])[],
): SettingsIssue[] {
  return [
    ...repeated(pipelines, 'id', byId, 'give each pipeline its own ID'),
    ...repeated(
      pipelines,
      'isDefault',
      (value) => value.isDefault || undefined,
      'only one pipeline can be the default',
    ),
    ...repeated(stages.flat(), 'id', byId, 'give each stage its own ID, across pipelines'),
    ...stages.flatMap((own) =>
      repeated(
        own,
        'isDefault',
        (value) => (value.isDefault && value.active) || undefined,
        'only one active stage of a pipeline can be its default',
      ),
    ),
  ];
}

function keyIssues(raw: unknown, known: IdSet): SettingsIssue[] {
  const keys = entriesOf(keySchema, raw, '$.keys');
  return [
    ...repeated(
      keys,
      'label',
      (value) => value.label,
      'npm start identifies keys by label: give each key its own',
    ),
    ...keys.flatMap(({ value: { type, scopes, createdBy }, raw: { scopes: rawScopes }, path }) => {
      const issues: SettingsIssue[] = [];
      if (createdBy !== undefined && !known.has(createdBy)) {
        issues.push({ path: `${path}.createdBy`, message: unknownUser(createdBy) });
      }
      // Scopes that are malformed have been reported already.
      if (type !== undefined && (rawScopes === undefined) === (scopes === undefined)) {
        const granted = scopesFor(type, scopes);
        if (typeof granted === 'string') issues.push({ path: `${path}.scopes`, message: granted });
      }
      return issues;
    }),
  ];
}

/** Reports references to unknown items and items that must be unique. Checks the valid parts of any JSON value. */
export function referenceIssues(file: unknown): SettingsIssue[] {
  if (!isPlainObject(file)) return [];
  const users = entriesOf(userSchema, file.users, '$.users');
  const sources = entriesOf(sourceSchema, file.sources, '$.sources');
  const pipelines = entriesOf(pipelineSchema, file.pipelines, '$.pipelines');
  const stages = pipelines.map(({ raw, path }) =>
    entriesOf(stageSchema, raw.stages, `${path}.stages`),
  );
  const fields = entriesOf(fieldSchema, file.fields, '$.fields');
  const rules = entriesOf(assignmentRuleSchema, file.assignmentRules, '$.assignmentRules');
  const references: References = {
    fields,
    users: idsIn(file.users),
    sources: idsIn(file.sources),
    pipelines: idsIn(file.pipelines),
  };
  return [
    ...repeated(users, 'id', byId, 'give each user their own ID'),
    ...repeated(sources, 'id', byId, 'give each source its own ID'),
    ...repeated(
      sources,
      'name',
      ({ active, name }) => (active ? name?.toLowerCase() : undefined),
      'active sources are found by name, ignoring case: give each its own name',
    ),
    ...pipelineIssues(pipelines, stages),
    ...fieldIssues(references),
    ...rules.flatMap(({ value: { when }, raw, path }) => [
      ...(when ? equalsIssues(references, when, `${path}.when`, 'pipeline') : []),
      ...userIssues(raw.users, references.users, `${path}.users`),
    ]),
    ...keyIssues(file.keys, references.users),
  ];
}
