import { isSame, type Plain } from '../../../support/reference/plain.ts';
import { type Values, valueIn } from '../../../support/reference/reference.ts';
import { isCount, kindOf } from './effects.ts';
import type { History, ObservedAction, Write } from './history.ts';
import { leadIdsOf, leadKey } from './states.ts';

/** Each lead as it is in the end: its timeline has the order of its changes, and what administrators were told is true. */
export function checkLeads(history: History): string[] {
  return history.organizationIds.flatMap((organizationId) =>
    leadIdsOf(history, organizationId).flatMap((leadId) => {
      const writes = history.writesOf.get(leadKey(organizationId, leadId).join(' ')) ?? [];
      const issues = [
        ...orderIssues(history, organizationId, leadId, writes),
        ...actionIssues(history, organizationId, leadId),
      ];
      return issues.map((issue) => `Lead ${leadId} of organization ${organizationId} ${issue}.`);
    }),
  );
}

const creations = ['lead_created', 'captured_new'];

function orderIssues(
  history: History,
  organizationId: number,
  leadId: number,
  writes: readonly Write[],
): string[] {
  const entries = entriesOf(history, organizationId, leadId);
  if (!writes.at(-1)?.after)
    return entries.length === 0 || isBeingErased(history, organizationId, leadId)
      ? []
      : ['is gone, and its timeline is not'];
  if (!creations.includes(String(entries[0]?.after?.type)))
    return ['does not begin with its creation'];
  // The order of the lead's own writes: two transactions may commit their items alternately, and the first one's entry last.
  const orderOf = new Map(
    writes.filter((write) => !isCount(write)).map(({ call, order }) => [call, order]),
  );
  const changes = entries.filter(({ call }) => orderOf.has(call));
  const isAfter = (one: Write, other: Write): boolean =>
    one.call === other.call
      ? one.order > other.order
      : Number(orderOf.get(one.call)) > Number(orderOf.get(other.call));
  return changes.every((one, at) => at === 0 || isAfter(one, changes[at - 1] ?? one))
    ? []
    : ['has its changes in another order on its timeline'];
}

/** Whether an entry tells of a change what the change did: with all entries of its timeline it explains every state of a lead. */
export function isExplained({ before, after = {} }: Write, entry: Plain): boolean {
  const {
    type,
    changes = [],
    filled = [],
  } = entry as {
    type: string;
    changes?: readonly Change[];
    filled?: readonly string[];
  };
  if (!before) return creations.includes(type);
  let lead = before;
  for (const { field, from, to } of changes) {
    if (isSame(from, to) || !isSame(valueOf(lead, field), from)) return false;
    lead = withValue(lead, field, to);
  }
  for (const field of filled) {
    if (valueOf(lead, field) !== null) return false;
    lead = withValue(lead, field, valueOf(after, field));
  }
  const wasArchived = before.archivedAt !== undefined;
  const isArchived = type === 'archived' || (wasArchived && type !== 'restored');
  const isArchiving = type === 'archived' || type === 'restored';
  return (
    !creations.includes(type) &&
    isArchived === (after.archivedAt !== undefined) &&
    (!isArchiving || isArchived !== wasArchived) &&
    isSame(lead.fields, after.fields) &&
    isSame([lead.stageId, lead.pipelineId], [after.stageId, after.pipelineId])
  );
}

interface Change {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

const places: Readonly<Record<string, string>> = { stage: 'stageId', pipeline: 'pipelineId' };

const valueOf = (lead: Plain, field: string): unknown =>
  (places[field] ? lead[places[field]] : valueIn((lead.fields ?? {}) as Values, field)) ?? null;

function withValue(lead: Plain, field: string, value: unknown): Plain {
  if (places[field]) return { ...lead, [places[field]]: value };
  const { [field]: _, ...others } = lead.fields as Values;
  return { ...lead, fields: value === null ? others : { ...others, [field]: value } };
}

/** What is on a lead's timeline in the end, in its order. */
function entriesOf({ writesOf }: History, organizationId: number, leadId: number): Write[] {
  const prefix = `TIMELINE#${organizationId}#${leadId} `;
  const names = [...writesOf.keys()].filter((name) => name.startsWith(prefix)).sort();
  return names.flatMap((name) => {
    const writes = writesOf.get(name) ?? [];
    // An erasure may have taken a person out of it since: what was written first explains the lead.
    const [first, last] = [writes[0], writes.at(-1)];
    return first && last?.after ? [first] : [];
  });
}

const isBeingErased = ({ writesOf }: History, organizationId: number, leadId: number): boolean =>
  writesOf.get(`ERASURE#${organizationId} ${leadKey(organizationId, leadId)[1]}`)?.at(-1)?.after !==
  undefined;

/** What the administrator was told of a lead is so. */
function actionIssues(history: History, organizationId: number, leadId: number): string[] {
  const own = history.actions.filter(
    (action) => action.organizationId === organizationId && action.options.leadId === leadId,
  );
  return own.flatMap((action) => {
    const entries = action.writes.filter((write) => kindOf(write) === 'TIMELINE' && write.after);
    const isChanged = (action.result as { isChanged?: boolean } | undefined)?.isChanged;
    if (action.what !== 'archive' && action.what !== 'restore')
      return erasureIssues(history, action, leadId);
    const isRight =
      action.outcome === 'done'
        ? entries.length === Number(isChanged === true)
        : entries.length <= 1;
    return isRight ? [] : [`has ${entries.length} entries of ${action.id}`];
  });
}

function erasureIssues(history: History, action: ObservedAction, leadId: number): string[] {
  if (action.what !== 'erase' || action.outcome !== 'done' || action.result === undefined)
    return [];
  const lead = history.writesOf.get(leadKey(action.organizationId, leadId).join(' '))?.at(-1);
  if (lead?.after) return ['was erased and is there'];
  const records = [...history.writesOf].filter(([name]) => name.startsWith('IDEMPOTENCY#'));
  const left = records.filter(([name, writes]) => {
    const last = writes.at(-1)?.after;
    const isOwn = history.writesOf.has(`ORG#${action.organizationId} KEY#${name.split('#')[1]}`);
    return isOwn && (last?.result as Plain | undefined)?.id === leadId;
  });
  return left.map(([name]) => `was erased and is remembered under ${name}`);
}
