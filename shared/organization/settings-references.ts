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
import { type Entry, entriesOf, isPlainObject, repeated, type SettingsIssue } from './settings-shape.ts';

const byId = (value: { id?: number }): number | undefined => value.id;

/** The ids of a list's items, as far as they can be read; of something that is no list, any id, as its one fault has been reported. */
function idsIn(list: unknown): IdSet {
  if (!Array.isArray(list)) return { has: () => true };
  return new Set(list.flatMap((item) => (isPlainObject(item) && typeof item.id === 'number' ? [item.id] : [])));
}

/** The users of a list that the file does not have, and those named twice. */
function userFaults(users: unknown, known: IdSet, path: string): SettingsIssue[] {
  if (!Array.isArray(users)) return [];
  return users.flatMap((user, index) => {
    if (typeof user !== 'number') return [];
    if (!known.has(user))
      return [{ path: `${path}[${index}]`, message: `is user ${user}, who is not in $.users: name one who is` }];
    return users.indexOf(user) < index
      ? [{ path: `${path}[${index}]`, message: `names user ${user} again: once is enough` }]
      : [];
  });
}

function pipelineFaults(pipelines: readonly Entry<Pipelined>[], stages: readonly (readonly Entry<Staged>[])[]): SettingsIssue[] {
  return [
    ...repeated(pipelines, 'id', byId, 'give each pipeline an id of its own'),
    ...repeated(pipelines, 'isDefault', (value) => value.isDefault || undefined, 'just one pipeline can be the default'),
    ...repeated(stages.flat(), 'id', byId, 'stage ids are unique in the organization, across pipelines'),
    ...stages.flatMap((own) =>
      repeated(
        own,
        'isDefault',
        (value) => (value.isDefault && value.active) || undefined,
        'just one active stage of a pipeline can be where its leads start',
      ),
    ),
  ];
}
type Pipelined = { id: number; isDefault: boolean };
type Staged = { id: number; isDefault: boolean; active: boolean };

function keyIssues(raw: unknown, known: IdSet): SettingsIssue[] {
  const keys = entriesOf(keySchema, raw, '$.keys');
  return [
    ...repeated(keys, 'label', (value) => value.label, 'npm start tells keys apart by their label, so give each its own'),
    ...keys.flatMap(({ value: { type, scopes, createdBy }, raw: { scopes: asked }, path }) => {
      const issues: SettingsIssue[] = [];
      if (createdBy !== undefined && !known.has(createdBy)) {
        issues.push({ path: `${path}.createdBy`, message: `is user ${createdBy}, who is not in $.users: name one who is` });
      }
      // Scopes that are malformed have been reported already.
      if (type !== undefined && (asked === undefined) === (scopes === undefined)) {
        const granted = scopesFor(type, scopes);
        if (typeof granted === 'string') issues.push({ path: `${path}.scopes`, message: granted });
      }
      return issues;
    }),
  ];
}

/** Every reference that leads nowhere and every two items that may not both be. Looks at whatever is well-formed of any JSON value. */
export function referenceIssues(file: unknown): SettingsIssue[] {
  if (!isPlainObject(file)) return [];
  const users = entriesOf(userSchema, file.users, '$.users');
  const sources = entriesOf(sourceSchema, file.sources, '$.sources');
  const pipelines = entriesOf(pipelineSchema, file.pipelines, '$.pipelines');
  const stages = pipelines.map(({ raw, path }) => entriesOf(stageSchema, raw.stages, `${path}.stages`));
  const fields = entriesOf(fieldSchema, file.fields, '$.fields');
  const rules = entriesOf(assignmentRuleSchema, file.assignmentRules, '$.assignmentRules');
  const references: References = {
    fields,
    users: idsIn(file.users),
    sources: idsIn(file.sources),
    pipelines: idsIn(file.pipelines),
  };
  return [
    ...repeated(users, 'id', byId, 'give each user an id of their own'),
    ...repeated(sources, 'id', byId, 'give each source an id of its own'),
    ...repeated(
      sources,
      'name',
      ({ active, name }) => (active ? name?.toLowerCase() : undefined),
      'active sources are found by name, case ignored, so give each its own',
    ),
    ...pipelineFaults(pipelines, stages),
    ...fieldIssues(references),
    ...rules.flatMap(({ value: { when }, raw, path }) => [
      ...(when ? equalsIssues(references, when, `${path}.when`, 'pipeline') : []),
      ...userFaults(raw.users, references.users, `${path}.users`),
    ]),
    ...keyIssues(file.keys, references.users),
  ];
}
