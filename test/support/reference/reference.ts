import { type Plain, unordered } from './plain.ts';

/**
 * The contract's rules once more, as plainly as possible, for the requests of simulated clients. So a defect in the service's rules is not
 * repeated here. Nothing of `shared/` is imported but types.
 */

export type Values = Readonly<Record<string, unknown>>;

interface Named {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
}
interface ReferenceField {
  readonly key: string;
  readonly type: string;
  readonly active: boolean;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    /** Until it is removed. */
    readonly retired?: true;
  }[];
}
interface ReferenceStage extends Named {
  readonly slug: string;
  readonly order: number;
  readonly meaning: string;
  readonly isDefault: boolean;
}
export interface ReferenceSettings {
  readonly id: number;
  readonly users: readonly Named[];
  readonly sources: readonly Named[];
  readonly fields: readonly ReferenceField[];
  readonly pipelines: readonly (Named & {
    readonly order: number;
    readonly isDefault: boolean;
    readonly stages: readonly ReferenceStage[];
  })[];
  readonly assignmentRules: readonly {
    readonly when?: { readonly field: string; readonly equals: readonly string[] };
    readonly users: readonly number[];
  }[];
}

const builtIn = ['name', 'phone', 'email', 'source', 'assigned_to', 'lead_type'];

/** A phone as it is compared. Of the spellings that exist, those that clients here use. */
export function comparablePhone(text: string): string {
  const digits = text
    .normalize('NFKC')
    .replace(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x966))
    .replace(/[^\d+]/g, '')
    .replace(/^00/, '+');
  return digits.startsWith('+') ? digits : `+91${digits.replace(/^0/, '')}`;
}

/** A field's value; undefined when empty. Own properties only: an organization may have a field `hasOwnProperty`. */
export const valueIn = (fields: Values, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined;

/** An email as it is compared. Of the characters that nobody sees, those that clients here send. */
export const comparableEmail = (email: string): string =>
  email
    .normalize('NFKC')
    .replace(/[\u200b\u00ad]/g, '')
    .trim()
    .toLowerCase();

const named = (found: Named | undefined) => (found ? { id: found.id, name: found.name } : null);
const byId = <T extends Named>(items: readonly T[], id: unknown): T | undefined =>
  items.find((item) => item.id === id);

/** A lead's item as an answer shows it. */
export function presented(settings: ReferenceSettings, item: Plain): Plain {
  const fields = item.fields as Values;
  const stages = settings.pipelines.flatMap((pipeline) => pipeline.stages);
  const stage = byId(stages, item.stageId);
  const others = settings.fields.filter(
    ({ key, active }) => active && !builtIn.includes(key) && valueIn(fields, key) !== undefined,
  );
  return {
    id: Number(item.sk),
    name: fields.name,
    phone: fields.phone,
    email: fields.email ?? null,
    leadType: fields.lead_type,
    stageId: item.stageId,
    pipelineId: item.pipelineId,
    sourceId: fields.source ?? null,
    assignedTo: fields.assigned_to ?? null,
    stage: stage ? { id: stage.id, name: stage.name, meaning: stage.meaning } : null,
    pipeline: named(byId(settings.pipelines, item.pipelineId)),
    source: named(byId(settings.sources, fields.source)),
    owner: named(byId(settings.users, fields.assigned_to)),
    fields: Object.fromEntries(others.map(({ key }) => [key, fields[key]])),
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
  };
}

/** Thrown for what the service must refuse with 422. */
export class Refusal extends Error {}

/** What a rule says, or false where it refuses. */
export function accepted(rule: () => boolean): boolean {
  try {
    return rule();
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Sent values as a lead holds them; null empties. @throws Refusal */
export function readValues(settings: ReferenceSettings, sent: Values): Values {
  return Object.fromEntries(
    Object.entries(sent).map(([key, value]) => {
      const field = settings.fields.find((one) => one.key === key && one.active);
      if (!field) throw new Refusal(`${key} is not an active field.`);
      return [key, readValue(settings, field, value)];
    }),
  );
}

function readValue(
  settings: ReferenceSettings,
  { key, type, options }: ReferenceField,
  value: unknown,
): unknown {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return null;
  if (type === 'phone') return comparablePhone(String(value));
  if (type === 'number') return Number(value);
  if (type === 'select') {
    const live = options.filter(({ retired }) => !retired);
    const found = live.find((option) => option.value === value || option.label === value);
    if (!found) throw new Refusal(`${key} has no such option.`);
    return found.value;
  }
  if (type === 'lead_source' || type === 'user') {
    const items = type === 'user' ? settings.users : settings.sources;
    if (!items.some(({ id, active }) => id === value && active))
      throw new Refusal(`${key} is nothing active.`);
  }
  return typeof value === 'string' ? value.trim() : value;
}

export const without = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  );

export interface Place {
  readonly stageId: number;
  readonly pipelineId: number;
}

/** Where a lead goes. @throws Refusal */
export function placeOf(settings: ReferenceSettings, body: Values, current?: unknown): Place {
  const { stageId, pipelineId } = body;
  const stages = settings.pipelines.flatMap(({ id, stages: own }) =>
    own.map((stage) => ({ ...stage, pipelineId: id })),
  );
  if (pipelineId !== undefined && !settings.pipelines.some(({ id }) => id === pipelineId))
    throw new Refusal('No such pipeline.');
  if (stageId !== undefined) {
    const stage = stages.find(({ id }) => id === stageId);
    if (!stage || (!stage.active && stageId !== current)) throw new Refusal('No such stage.');
    if (pipelineId !== undefined && stage.pipelineId !== pipelineId)
      throw new Refusal('A stage of another pipeline.');
    return { stageId: stage.id, pipelineId: stage.pipelineId };
  }
  const wanted = pipelineId ?? settings.pipelines.find(({ isDefault }) => isDefault)?.id;
  const start = stages.find(
    (stage) => stage.pipelineId === wanted && stage.isDefault && stage.active,
  );
  if (!start) throw new Refusal('No starting stage.');
  return { stageId: start.id, pipelineId: start.pipelineId };
}

/** The users among whom a new lead's owner rotates, and by which rule. */
export function rotationOf(settings: ReferenceSettings, fields: Values, pipelineId: number) {
  const isActive = (id: number): boolean =>
    settings.users.some((user) => user.id === id && user.active);
  for (const { when, users } of settings.assignmentRules) {
    const value = when?.field === 'pipeline' ? pipelineId : when && valueIn(fields, when.field);
    const values = (Array.isArray(value) ? value : [value]).map(String);
    const active = users.filter(isActive);
    if (active.length > 0 && (!when || values.some((one) => when.equals.includes(one)))) {
      return { rule: JSON.stringify([when?.field, when?.equals, users]), users: active };
    }
  }
  return {
    rule: 'everyone',
    users: settings.users.filter(({ active }) => active).map(({ id }) => id),
  };
}

/** A new lead of create-lead, its owner apart. @throws Refusal */
export function createdLead(settings: ReferenceSettings, body: Values) {
  const values = without(readValues(settings, body.fields as Values));
  const place = placeOf(settings, body);
  if (values.name === undefined || values.phone === undefined)
    throw new Refusal('Name and phone are required.');
  return { fields: { lead_type: 'student', ...values } as Values, ...place };
}

/** What a capture submits: `source` only when a known one was named. @throws Refusal */
function submittedBy(settings: ReferenceSettings, body: Values): Values {
  const { name, phone, email, source, pipelineId, fields = {} } = body;
  if (pipelineId !== undefined && !settings.pipelines.some(({ id }) => id === pipelineId))
    throw new Refusal('No such pipeline.');
  const id = sourceNamed(settings, source);
  const person = {
    name: String(name).trim(),
    phone: comparablePhone(String(phone)),
    ...(email ? { email: String(email).trim() } : {}),
  };
  return without({
    ...person,
    ...(id !== undefined && { source: id }),
    ...readValues(settings, fields as Values),
  });
}

function sourceNamed({ sources }: ReferenceSettings, name: unknown): number | undefined {
  const wanted = String(name).trim().toLowerCase();
  return sources.find((source) => source.active && source.name.toLowerCase() === wanted)?.id;
}

/** The name of the source that a capture is recorded with, and what it sent if that is another. */
export const sourceShown = (settings: ReferenceSettings, name: unknown): unknown[] => {
  const named = sourceNamed(settings, name);
  const id = named ?? sourceNamed(settings, 'Website');
  const shown = settings.sources.find((source) => source.id === id)?.name ?? 'Website';
  return [shown, named === undefined ? name : undefined];
};

/** A new lead of capture-lead, its owner apart. @throws Refusal */
export function capturedLead(settings: ReferenceSettings, body: Values) {
  const submitted = submittedBy(settings, body);
  const { pipelineId } = body;
  const source = submitted.source ?? sourceNamed(settings, 'Website');
  return {
    fields: without({ lead_type: 'student', ...submitted, source }),
    ...placeOf(settings, { pipelineId }),
  };
}

/** What a capture does to a lead that it matched. @throws Refusal */
export function filledLead(
  settings: ReferenceSettings,
  body: Values,
  lead: Plain,
  emailIsTaken: boolean,
) {
  const before = lead.fields as Values;
  const fields: Record<string, unknown> = { ...before };
  const filled: string[] = [];
  const kept: { field: string; current: unknown; submitted: unknown }[] = [];
  for (const [key, value] of Object.entries(submittedBy(settings, body))) {
    const current = valueIn(before, key);
    const isEqual =
      key === 'email'
        ? comparableEmail(String(current)) === comparableEmail(String(value))
        : JSON.stringify(unordered(current)) === JSON.stringify(unordered(value));
    if (current !== undefined && isEqual) continue;
    if (
      current === undefined &&
      lead.archivedAt === undefined &&
      !(key === 'email' && emailIsTaken)
    ) {
      fields[key] = value;
      filled.push(key);
    } else kept.push({ field: key, current: current ?? null, submitted: value });
  }
  return { fields: fields as Values, filled, kept };
}

/** A lead after update-lead. @throws Refusal */
export function updatedLead(settings: ReferenceSettings, body: Values, before: Plain) {
  const old = before.fields as Values;
  const sent = Object.entries((body.fields ?? {}) as Values).filter(
    ([key, value]) =>
      value === null ||
      !settings.fields.some((field) => field.key === key && field.active) ||
      JSON.stringify(value) !== JSON.stringify(valueIn(old, key)),
  );
  const changes = readValues(settings, Object.fromEntries(sent));
  if ([changes.name, changes.phone, changes.lead_type].includes(null))
    throw new Refusal('Name, phone and lead type cannot be emptied.');
  const moves = body.stageId !== undefined || body.pipelineId !== undefined;
  const place = moves
    ? placeOf(settings, body, before.stageId)
    : { stageId: before.stageId as number, pipelineId: before.pipelineId as number };
  return { fields: without({ ...old, ...changes }), ...place };
}
