import { kindOf } from './effects.ts';
import type { History, ObservedAction, Write } from './history.ts';
import { isSame, type Plain } from './plain.ts';
import { type Values, valueIn } from './reference.ts';
import { leadKey } from './states.ts';

/** What administrators were told of a lead is so. The service's own check compares each lead with its timeline. */
export function checkLeads(history: History): string[] {
  return history.actions.flatMap((action) => {
    const { what, organizationId, options } = action;
    const issues = what === 'erase' ? erasureIssues(history, action) : archiveIssues(action);
    return issues.map(
      (issue) => `Lead ${options.leadId} of organization ${organizationId} ${issue}.`,
    );
  });
}

function archiveIssues({ id, what, outcome, result, writes }: ObservedAction): string[] {
  if (what !== 'archive' && what !== 'restore') return [];
  const entries = writes.filter((write) => kindOf(write) === 'TIMELINE' && write.after).length;
  const isChanged = (result as { isChanged?: boolean } | undefined)?.isChanged === true;
  const isRight = outcome === 'done' ? entries === Number(isChanged) : entries <= 1;
  return isRight ? [] : [`has ${entries} entries of ${id}`];
}

function erasureIssues({ writesOf }: History, action: ObservedAction): string[] {
  const { organizationId, options, outcome, result } = action;
  const key = leadKey(organizationId, options.leadId as number).join(' ');
  const isDone = outcome === 'done' && result !== undefined;
  return isDone && writesOf.get(key)?.at(-1)?.after ? ['was erased and is there'] : [];
}

const creations = ['lead_created', 'captured_new'];

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
