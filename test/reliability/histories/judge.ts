import type { FieldValue, Lead } from '../../../shared/leads/lead.ts';
import { valueOf } from '../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';
import type { Claim, Notebook } from './notebook.ts';

/** A lead as it lies in the table, with its timeline, oldest first. */
export interface StoredLead {
  readonly lead: Lead;
  readonly timeline: readonly TimelineEntry[];
}

interface Effect {
  readonly kind: Claim['kind'];
  readonly marker: string;
  readonly leadId: number;
}

/** The plain model: the fields that the clients write; their values follow from a lead's timeline. */
const followedFields = ['name', 'phone', 'email', 'city', 'wave'] as const;

/**
 * Holds the table against what the clients were told: every acknowledged effect is there once, every refused one nowhere, one whose
 * outcome is unknown at most once; each lead is what its timeline says, so nothing is half done and no write was lost to another.
 * @returns one sentence per violation
 */
export function judge(
  { claims, archiving }: Pick<Notebook, 'claims' | 'archiving'>,
  stored: readonly StoredLead[],
): string[] {
  const claimOf = new Map(claims.map((claim) => [claim.marker, claim]));
  const effects = Map.groupBy(stored.flatMap(effectsOf), ({ marker }) => marker);
  return [
    ...claims.flatMap((claim) => claimFaults(claim, effects.get(claim.marker) ?? [])),
    ...[...effects.keys()]
      .filter((marker) => !claimOf.has(marker))
      .map((marker) => `${marker}: nobody asked for this effect.`),
    ...stored.flatMap((one) => leadIssues(one, claimOf)),
    ...stored.flatMap((one) => archiveFaults(one, archiving.get(one.lead.id))),
  ];
}

/** The effects that a lead bears, by the markers they carry. */
function effectsOf({ lead, timeline }: StoredLead): Effect[] {
  return timeline.flatMap((entry): Effect[] => {
    const on = (kind: Claim['kind'], marker: unknown): Effect[] => [
      {
        kind,
        marker:
          typeof marker === 'string' ? marker : `lead ${lead.id}, ${entry.type} without a marker`,
        leadId: lead.id,
      },
    ];
    if (entry.type === 'captured' || entry.type === 'captured_new')
      return on('capture', entry.notes);
    if (entry.type === 'note_added') return on('note', entry.text);
    if (entry.type === 'lead_created') return on('create', valueOf(lead.fields, 'remarks'));
    if (entry.type === 'lead_updated')
      return on('update', entry.changes.find(({ field }) => field === 'city')?.to);
    return [];
  });
}

function claimFaults(
  { kind, marker, verdict, leadId }: Claim,
  effects: readonly Effect[],
): string[] {
  const told = `${kind} ${marker}, ${verdict}`;
  const where = effects.map((effect) => effect.leadId).join(', ');
  const faults: string[] = [];
  if (verdict === 'done' && effects.length === 0) faults.push(`${told}: its effect is nowhere.`);
  if (verdict === 'refused' && effects.length > 0)
    faults.push(`${told}: its effect is on lead ${where} all the same.`);
  if (verdict !== 'refused' && effects.length > 1)
    faults.push(`${told}: its effect is there ${effects.length} times (${where}).`);
  if (effects.some((effect) => effect.kind !== kind))
    faults.push(`${told}: its effect is of another kind.`);
  if (verdict === 'done' && effects.some((effect) => effect.leadId !== leadId)) {
    faults.push(`${told}: the answer named lead ${leadId}, the effect is on lead ${where}.`);
  }
  return faults;
}

/** A lead follows from its timeline: its opening, then each change from what another left to what another found. */
function leadIssues({ lead, timeline }: StoredLead, claimOf: ReadonlyMap<string, Claim>): string[] {
  const openings = timeline.filter(
    ({ type }) => type === 'lead_created' || type === 'captured_new',
  );
  if (openings.length !== 1 || openings[0] !== timeline[0])
    return [`Lead ${lead.id}: it begins ${openings.length} times.`];
  const writes = timeline.filter(isWrite);
  const faults: string[] = [];
  if (lead.version !== writes.length) {
    faults.push(
      `Lead ${lead.id}: version ${lead.version}, though its timeline tells of ${writes.length} writes.`,
    );
  }
  const latest = writes.map(({ at }) => at).reduce((one, other) => (one > other ? one : other));
  if (lead.updatedAt !== latest)
    faults.push(`Lead ${lead.id}: updated at ${lead.updatedAt}, its last write was at ${latest}.`);

  for (const field of followedFields) {
    const steps = timeline.flatMap((entry) => stepsOf(entry, field, lead, claimOf));
    faults.push(...chainFaults(`Lead ${lead.id}, ${field}`, steps, valueOf(lead.fields, field)));
  }
  const stageSteps = timeline.flatMap((entry) => changesOf(entry, 'stage'));
  faults.push(
    ...chainFaults(
      `Lead ${lead.id}, stage`,
      [[null, startingStageId], ...stageSteps],
      lead.stageId,
    ),
  );
  return faults;
}

/** Of `sampleSettings`: no client of a history creates a lead elsewhere. */
const startingStageId = 11;

const isWrite = (entry: TimelineEntry): boolean =>
  entry.type !== 'note_added' && (entry.type !== 'captured' || entry.filled.length > 0);

type Step = readonly [from: FieldValue | null, to: FieldValue | null];

const changesOf = (entry: TimelineEntry, field: string): Step[] =>
  'changes' in entry
    ? entry.changes.filter((one) => one.field === field).map(({ from, to }) => [from, to])
    : [];

/** What an entry did to a field; values that it does not say itself are those of the request that made it. */
function stepsOf(
  entry: TimelineEntry,
  field: string,
  lead: Lead,
  claimOf: ReadonlyMap<string, Claim>,
): Step[] {
  if ('changes' in entry) return changesOf(entry, field);
  const marker =
    entry.type === 'lead_created'
      ? valueOf(lead.fields, 'remarks')
      : 'notes' in entry
        ? entry.notes
        : undefined;
  const isSet =
    entry.type === 'captured'
      ? entry.filled.includes(field)
      : marker !== undefined && marker !== null;
  if (!isSet) return [];
  const submitted = claimOf.get(String(marker))?.submitted[field] ?? null;
  return submitted === null ? [] : [[null, submitted]];
}

/** Every value but the last is left as often as it is come to; from nothing to what is there now. */
function chainFaults(what: string, steps: readonly Step[], now: FieldValue | null): string[] {
  const balance = new Map<string, number>();
  const add = (value: FieldValue | null, count: number): void => {
    const name = JSON.stringify(value);
    balance.set(name, (balance.get(name) ?? 0) + count);
  };
  add(null, 1);
  for (const [from, to] of steps) {
    add(from, -1);
    add(to, 1);
  }
  add(now, -1);
  const open = [...balance].filter(([, count]) => count !== 0).map(([value]) => value);
  return open.length === 0
    ? []
    : [
        `${what}: its changes do not lead to ${JSON.stringify(now)}: ${open.join(', ')} stand open.`,
      ];
}

function archiveFaults(
  { lead, timeline }: StoredLead,
  asked = { archive: 0, restore: 0, done: 0 },
): string[] {
  const count = (type: TimelineEntry['type']): number =>
    timeline.filter((entry) => entry.type === type).length;
  const [archived, restored] = [count('archived'), count('restored')];
  const faults: string[] = [];
  if (archived - restored !== (lead.archivedAt === undefined ? 0 : 1)) {
    faults.push(
      `Lead ${lead.id}: archived ${archived} times, restored ${restored} times, and does not stand so.`,
    );
  }
  if (archived > asked.archive || restored > asked.restore) {
    faults.push(`Lead ${lead.id}: archived or restored more often than anyone asked.`);
  }
  return faults;
}
