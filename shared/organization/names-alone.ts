import * as v from 'valibot';
import { isPlainObject, parseJson } from '../base/json.ts';
import { type NamedItem, withName } from './named.ts';
import type { Settings } from './organization.ts';
import { settingsFileSchema } from './settings-schema.ts';
import { display, SettingsRejectedError } from './settings-shape.ts';

/**
 * A settings file may be shortened: a name alone stands for a user, a source or a stage, and `stages` for one pipeline. The command fills
 * in the rest and writes it into the file, so that IDs stay the same.
 */

type Item = Readonly<Record<string, unknown>>;

const { users, sources, pipelines, ...others } = settingsFileSchema.entries;
const { stages } = pipelines.item.entries;
const userEntries = users.item.entries;
const sourceEntries = sources.item.entries;
const stageEntries = stages.item.entries;

const listOf = <I extends v.GenericSchema>(list: v.GenericSchema, item: I) =>
  v.pipe(
    v.array(v.union([userEntries.name, item])),
    v.title(`${v.getTitle(list)} A name alone is enough: the command fills in the rest.`),
  );
const writtenStages = listOf(
  stages,
  v.object({
    ...stageEntries,
    id: v.optional(stageEntries.id),
    slug: v.optional(stageEntries.slug),
    order: v.optional(stageEntries.order),
    meaning: v.optional(stageEntries.meaning),
  }),
);
const { id: pipelineId, order: pipelineOrder } = pipelines.item.entries;
const either = (name: string) => ({ required: [name], properties: { [name]: true } });

/** A settings file as people may write it. */
export const writtenFileSchema = v.pipe(
  v.object({
    ...others,
    users: listOf(users, v.object({ ...userEntries, id: v.optional(userEntries.id) })),
    sources: listOf(sources, v.object({ ...sourceEntries, id: v.optional(sourceEntries.id) })),
    stages: v.optional(writtenStages),
    pipelines: v.optional(
      v.pipe(
        v.array(
          v.object({
            ...pipelines.item.entries,
            id: v.optional(pipelineId),
            order: v.optional(pipelineOrder),
            stages: writtenStages,
          }),
        ),
        v.title(`${v.getTitle(pipelines)} Instead, "stages" alone stands for one pipeline.`),
      ),
    ),
  }),
  v.metadata({ oneOf: [either('pipelines'), either('stages')] }),
);

/** The organization of a shortened file, whose settings in force are needed to complete it; undefined if the file is already complete. */
export function incompleteId(text: string): number | undefined {
  const file = fileIn(text);
  return completedFile(text, undefined) !== text && v.is(others.id, file?.id) ? file.id : undefined;
}

/**
 * The text of a settings file, completed; the same text if nothing was left out.
 * @throws SettingsRejectedError for a name that several items in force share
 */
export function completedFile(text: string, inForce: Settings | undefined): string {
  const file = fileIn(text);
  const complete = file && completed(file, inForce);
  if (JSON.stringify(complete) === JSON.stringify(file)) return text;
  const json = JSON.stringify(complete, null, 2);
  const lines = text.includes('\r\n') ? json.replaceAll('\n', '\r\n') : json;
  return lines + /\s*$/.exec(text)?.[0];
}

function fileIn(text: string): Item | undefined {
  const file = parseJson(text.replace(/^\uFEFF/, ''));
  return isPlainObject(file) ? file : undefined;
}

/** Leaves values of a wrong type as they are: `shapeIssues` reports them. */
function completed(file: Item, inForce: Settings | undefined): Item {
  const isShort = Object.hasOwn(file, 'stages') && !Object.hasOwn(file, 'pipelines');
  const stored = inForce?.pipelines ?? [];
  const listed = isShort
    ? [{ name: 'Leads', order: 1, isDefault: true, stages: startingFirst(file.stages) }]
    : file.pipelines;
  const ofPipelines = inPlaces(listed, identified(listed, stored, '$.pipelines'));
  const allStages = [...itemsIn(ofPipelines), ...stored].flatMap(({ stages }) => itemsIn(stages));
  const nextStageId = idsAfter(allStages);
  const filled: Item = {
    users: identified(file.users, inForce?.users ?? [], '$.users'),
    sources: identified(file.sources, inForce?.sources ?? [], '$.sources'),
    pipelines: eachItem(ofPipelines, (pipeline, at) => {
      if (!Object.hasOwn(pipeline, 'stages')) return pipeline;
      const before = stored.find(({ id }) => id === pipeline.id)?.stages ?? [];
      const path = isShort ? '$.stages' : `$.pipelines[${at}].stages`;
      const list = identified(pipeline.stages, before, path, nextStageId);
      return {
        ...pipeline,
        stages: withMeanings(inPlaces(pipeline.stages, withSlugs(list, before)), before),
      };
    }),
  };
  const entries = Object.entries(file).map(([written, value]): [string, unknown] => {
    const property = isShort && written === 'stages' ? 'pipelines' : written;
    return [property, Object.hasOwn(filled, property) ? filled[property] : value];
  });
  return Object.fromEntries(entries);
}

const itemsIn = (list: unknown): readonly Item[] =>
  Array.isArray(list) ? list.filter(isPlainObject) : [];
const eachItem = (list: unknown, change: (item: Item, at: number) => Item): unknown =>
  Array.isArray(list)
    ? list.map((item: unknown, at) => (isPlainObject(item) ? change(item, at) : item))
    : list;
const asItem = (written: unknown): unknown =>
  typeof written === 'string' ? { name: written } : written;

/** If a file has only `stages`, leads start in the first stage, unless another stage has `isDefault`. */
function startingFirst(list: unknown): unknown {
  if (!Array.isArray(list) || itemsIn(list).some(({ isDefault }) => isDefault === true))
    return list;
  return eachItem(list.map(asItem), (stage, at) =>
    at === 0 ? { ...stage, isDefault: true } : { isDefault: false, ...stage },
  );
}

/** Assigns IDs above the highest one in use, so that the ID of a removed item is not reused while a later item exists. */
function idsAfter(items: readonly Item[]): () => number {
  let last = items.reduce((max, { id }) => Math.max(max, typeof id === 'number' ? id : 0), 0);
  return () => {
    last += 1;
    return last;
  };
}

/**
 * The list with an ID for each item. An item without an ID gets the ID and the missing properties of the item in force with its name. If
 * there is none, the item is new.
 */
function identified(
  list: unknown,
  inForce: readonly NamedItem[],
  path: string,
  nextId: () => number = idsAfter([...itemsIn(list), ...inForce.map((item) => ({ ...item }))]),
): unknown {
  if (!Array.isArray(list)) return list;
  const taken = new Set(itemsIn(list).map(({ id }) => id));
  return eachItem(list.map(asItem), (item, at) => {
    const { id, name } = item;
    if (id !== undefined || typeof name !== 'string') return item;
    const same = withName(
      inForce.filter((stored) => !taken.has(stored.id)),
      name,
    );
    const found = same.length > 1 ? same.filter(({ active }) => active !== false) : same;
    if (same.length > 1 && found.length !== 1)
      throw new SettingsRejectedError('The settings file has one problem.', [
        {
          path: `${path}[${at}]`,
          message: `is ${display(name)}, the name of several items in force, with the IDs ${same.map((stored) => stored.id).join(', ')}: write "id" and "name"`,
        },
      ]);
    const [known] = found;
    if (!known) return { id: nextId(), ...item };
    taken.add(known.id);
    return Object.assign({ id: known.id, name }, known, item, { name: known.name });
  });
}

/**
 * If any item of the written list lacks its order, items are numbered by their place in the file. An order that is higher than necessary is
 * kept.
 */
function inPlaces(written: unknown, list: unknown): unknown {
  const isNumbered = (item: unknown): boolean =>
    isPlainObject(item) && Object.hasOwn(item, 'order');
  if (!Array.isArray(written) || written.every(isNumbered)) return list;
  let last = 0;
  return eachItem(list, (item) => {
    const { order = last + 1 } = item;
    if (typeof order !== 'number') return item;
    last = Math.max(order, last + 1);
    return { ...item, order: last };
  });
}

type StoredStage = Settings['pipelines'][number]['stages'][number];

function withSlugs(list: unknown, before: readonly StoredStage[]): unknown {
  const taken = new Set([...itemsIn(list), ...before].map(({ slug }) => slug));
  return eachItem(list, (stage) => {
    if (Object.hasOwn(stage, 'slug') || typeof stage.name !== 'string') return stage;
    const stored = before.find(({ id }) => id === stage.id)?.slug;
    const slug = stored ?? freeSlug(stage.name, taken);
    taken.add(slug);
    return { ...stage, slug };
  });
}

/** A slug omits letters of other scripts. */
function freeSlug(name: string, taken: ReadonlySet<unknown>): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const slug = (words ?? ['stage']).join('-').slice(0, 100).replace(/-$/, '');
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(free)) return free;
  }
}

const withMeanings = (list: unknown, before: readonly StoredStage[]): unknown =>
  eachItem(list, (stage) =>
    Object.hasOwn(stage, 'meaning')
      ? stage
      : { ...stage, meaning: before.find(({ id }) => id === stage.id)?.meaning ?? 'open' },
  );
