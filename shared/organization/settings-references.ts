import { scopesFor } from './api-key.ts';
import { equalsIssues, fieldIssues, type IdSet, type References } from './settings-fields.ts';
import type { SettingsFile } from './settings-schema.ts';
import {
  display,
  type Entry,
  entriesOf,
  repeated,
  type SettingsIssue,
  type WellFormed,
} from './settings-shape.ts';

type File = WellFormed<SettingsFile>;
type ItemOf<List extends keyof File> =
  NonNullable<File[List]> extends readonly (infer Item)[] ? NonNullable<Item> : never;

/** The IDs of a list's items. If the list itself is malformed, which is reported elsewhere, every ID counts as known. */
const idsIn = (list: readonly ({ readonly id?: number | undefined } | undefined)[] | undefined) =>
  list ? new Set(list.map((item) => item?.id)) : { has: () => true };

const unknownUser = (user: number): string =>
  `is user ${user}, who is not in $.users: use the ID of a user in $.users`;

const unknownUserName = (name: string): string =>
  `is ${display(name)}, who is not in $.users: use the ID or name of a user in $.users`;

/** Reports the users of a rule that are unknown or repeated. A name is still there if nobody has it. */
const userIssues = (users: ItemOf<'assignmentRules'>['users'], known: IdSet, path: string) =>
  entriesOf(users, path).flatMap(({ value: user, path: at }): SettingsIssue[] => {
    if (typeof user === 'string') return [{ path: at, message: unknownUserName(user) }];
    if (!known.has(user)) return [{ path: at, message: unknownUser(user) }];
    return at === `${path}[${users?.indexOf(user)}]`
      ? []
      : [{ path: at, message: `is user ${user} again: list each user only once` }];
  });

function pipelineIssues(pipelines: readonly Entry<ItemOf<'pipelines'>>[]): SettingsIssue[] {
  const stages = pipelines.map(({ value, path }) => entriesOf(value.stages, `${path}.stages`));
  return [
    ...repeated(pipelines, 'id', 'give each pipeline its own ID'),
    ...repeated(
      pipelines,
      'isDefault',
      'only one pipeline can be the default',
      (value) => value.isDefault || undefined,
    ),
    ...repeated(stages.flat(), 'id', 'give each stage its own ID, across pipelines'),
    ...stages.flatMap((own) =>
      repeated(
        own,
        'isDefault',
        'only one active stage of a pipeline can be its default',
        (value) => (value.isDefault && value.active) || undefined,
      ),
    ),
  ];
}

function keyIssues(file: File, known: IdSet, isMalformed: IsMalformed): SettingsIssue[] {
  const keys = entriesOf(file.keys, '$.keys');
  return [
    ...repeated(keys, 'label', 'npm start identifies keys by label: give each key its own'),
    ...keys.flatMap(({ value: { type, scopes, createdBy }, path }) => {
      const issues: SettingsIssue[] = [];
      if (createdBy !== undefined && !known.has(createdBy))
        issues.push({ path: `${path}.createdBy`, message: unknownUser(createdBy) });
      if (type !== undefined && !isMalformed(`${path}.scopes`)) {
        const granted = scopesFor(
          type,
          scopes?.flatMap((scope) => scope ?? []),
        );
        if (typeof granted === 'string') issues.push({ path: `${path}.scopes`, message: granted });
      }
      return issues;
    }),
  ];
}

/** Whether a place, or one in it, has an issue of its shape. */
export type IsMalformed = (path: string) => boolean;

/** Reports references to unknown items and items that must be unique, in the well-formed part of a file. */
export function referenceIssues(file: File, isMalformed: IsMalformed): SettingsIssue[] {
  const sources = entriesOf(file.sources, '$.sources');
  const references: References = {
    fields: entriesOf(file.fields, '$.fields'),
    users: idsIn(file.users),
    sources: idsIn(file.sources),
    pipelines: idsIn(file.pipelines),
    isMalformed,
  };
  return [
    ...repeated(entriesOf(file.users, '$.users'), 'id', 'give each user their own ID'),
    ...repeated(sources, 'id', 'give each source its own ID'),
    ...repeated(
      sources,
      'name',
      'active sources are found by name, ignoring case: give each its own name',
      ({ active, name }) => (active ? name?.toLowerCase() : undefined),
    ),
    ...pipelineIssues(entriesOf(file.pipelines, '$.pipelines')),
    ...fieldIssues(references),
    ...entriesOf(file.assignmentRules, '$.assignmentRules').flatMap(
      ({ value: { when, users }, path }) => [
        ...(when ? equalsIssues(references, when, `${path}.when`, 'pipeline') : []),
        ...userIssues(users, references.users, `${path}.users`),
      ],
    ),
    ...keyIssues(file, references.users, isMalformed),
  ];
}
