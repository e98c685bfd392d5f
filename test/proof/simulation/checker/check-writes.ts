import { isSame, type Plain } from '../../../support/reference/plain.ts';
import type { Values } from '../../../support/reference/reference.ts';
import { isExplained } from './check-leads.ts';
import { type Commit, commitsOf, isCount, isImport, kindOf, nameOf } from './effects.ts';
import type { History, ObservedAction, ObservedRequest, Work, Write } from './history.ts';
import { identityKeys } from './states.ts';
import { timelineIssues } from './timeline-writes.ts';

/**
 * Checks each write by itself, whoever made it: which kind of item it may touch, of which organization, and by which step from the previous
 * state. Also checks what must be written with it.
 */
export function checkWrites(history: History): string[] {
  return [...history.requests, ...history.actions].flatMap((work) => [
    ...lateIssues(work),
    ...commitsOf(work).flatMap((commit) => commitIssues(history, commit)),
  ]);
}

/** Nothing is sent once a request was answered, and nothing written once a command was over. */
const lateIssues = (work: Work): string[] =>
  work.lateCalls
    .filter((operation) => 'apiKey' in work || /Put|Update|Delete|Write/.test(operation))
    .map((operation) => `${nameOf(work)} sent ${operation} after it had ended.`);

function commitIssues(history: History, commit: Commit): string[] {
  const { work, writes } = commit;
  const issues = writes.flatMap((write) => [
    ...ownershipIssues(history, work, write),
    ...(steps[kindOf(write)]?.(write, commit, history) ?? []),
  ]);
  const leads = writes.filter((write) => kindOf(write) === 'LEADS');
  if (leads.length > 1 && !isImport(work)) issues.push('wrote two leads at once');
  issues.push(...identityIssues(writes));
  return issues.map((issue) => `${nameOf(work)} ${issue}.`);
}

const leadItems = ['LEADS', 'PHONE', 'EMAIL', 'TIMELINE'];
const settingsItems = ['ORG SETTINGS', 'ORG entry', 'USAGE', 'HISTORY entry', 'HISTORY VERSION'];

/** A row of an export counts in the settings that it refers to an inactive item. */
const importItems = [...leadItems, 'IMPORTED', 'USAGE', 'TURN', 'ORG SETTINGS'];

/** Kinds of items that each kind of work may write. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  request: ['KEY', 'USAGE'],
  'create-lead': [...leadItems, 'TURN'],
  'capture-lead': [...leadItems, 'TURN', 'IDEMPOTENCY'],
  'update-lead': leadItems,
  'add-note': ['LEADS', 'TIMELINE'],
  'settings apply': settingsItems,
  'settings undo': settingsItems,
  'key create': ['ORG SETTINGS', 'ORG KEY', 'KEY', 'HISTORY entry'],
  'key revoke': ['ORG KEY', 'KEY', 'HISTORY entry'],
  archive: ['LEADS', 'TIMELINE'],
  restore: ['LEADS', 'TIMELINE'],
  reassign: ['LEADS', 'TIMELINE'],
  edit: [...leadItems, 'ORG SETTINGS'],
  erase: [...leadItems, 'IDEMPOTENCY', 'IMPORTED', 'ERASURE', 'HISTORY entry'],
  import: importItems,
  'import update': importItems,
  'import undo': [...leadItems, 'IMPORTED', 'ERASURE', 'HISTORY entry'],
};

/** Whose an item is, by its key or what it says. */
function ownerOf(history: History, { pk, sk, before, after }: Write): number | undefined {
  const [kind, first = ''] = pk.split('#');
  if (pk === 'ORG#DIRECTORY') return Number(sk);
  if (kind === 'KEY') return ((after ?? before) as Plain).organizationId as number;
  if (kind !== 'IDEMPOTENCY') return Number(first);
  return history.organizationIds.find((id) => history.writesOf.has(`ORG#${id} KEY#${first}`));
}

function ownershipIssues(history: History, work: Work, write: Write): string[] {
  const issues: string[] = [];
  const isRequest = 'apiKey' in work;
  if (
    ![...(allowed[work.what] ?? []), ...(isRequest ? (allowed.request ?? []) : [])].includes(
      kindOf(write),
    )
  )
    issues.push(`wrote ${write.pk} ${write.sk}, which is not one of its items`);
  const owner = ownerOf(history, write);
  if (owner !== work.organizationId)
    issues.push(`wrote ${write.pk} ${write.sk} of organization ${owner}`);
  if (
    isRequest &&
    kindOf(write) === 'KEY' &&
    write.after?.keyId !== (work as ObservedRequest).apiKey.keyId
  )
    issues.push('used up the tokens of another key');
  return issues;
}

type StepIssues = (write: Write, commit: Commit, history: History) => string[];

/** How an item of each kind may change, where there is a rule; check-limits.ts checks tokens. */
const steps: Readonly<Partial<Record<string, StepIssues>>> = {
  USAGE: sequenceIssues,
  TURN: turnIssues,
  LEADS: leadIssues,
  TIMELINE: timelineIssues,
  IDEMPOTENCY: recordIssues,
  'ORG SETTINGS': settingsIssues,
};

/** No id of a lead is given twice. */
function sequenceIssues({ before, after }: Write): string[] {
  const [last = 0, next = 0] = [before?.lastLeadId, after?.lastLeadId] as (number | undefined)[];
  return next >= last ? [] : [`set the last id of a lead from ${last} back to ${next}`];
}

/** A request takes one turn; an import takes those of its rows at once. */
function turnIssues({ before, after }: Write, { work }: Commit): string[] {
  const taken = (after?.turns as number) - ((before?.turns as number | undefined) ?? 0);
  return taken === 1 || (isImport(work) && taken > 1) ? [] : ['took no turn, or more than one'];
}

const clockErrorMs = 1000;

function leadIssues(write: Write, commit: Commit, { clockSkewMs }: History): string[] {
  const { pk, sk, before, after } = write;
  const { work, writes } = commit;
  const what = `lead ${Number(sk)}`;
  const timeline = `TIMELINE#${pk.split('#')[1]}#${Number(sk)}`;
  const entries = writes.filter((one) => one.pk === timeline);
  const isUndo = work.what === 'import undo';
  if (!after) return isUndo || work.what === 'erase' ? [] : [`removed ${what}`];
  if (isUndo) return [`changed ${what}`];
  const issues: string[] = [];
  const notes = entries.filter(
    ({ after: entry }) => !before && isImport(work) && entry?.type === 'note_added',
  );
  if (entries.length !== 1 + Math.min(notes.length, 1))
    issues.push(`wrote ${what} with ${entries.length} entries on its timeline`);
  const entry = entries.find((one) => !notes.includes(one))?.after ?? {};
  if (isCount(write) ? isChange(entry) : !isExplained(write, entry))
    issues.push(`wrote ${what} otherwise than its timeline says: ${JSON.stringify(entry)}`);
  if (after.version !== ((before?.version as number | undefined) ?? 0) + entries.length)
    issues.push(`wrote ${what} as version ${after.version} after ${before?.version}`);
  // A row may tell when its lead was created.
  if ((before || !isImport(work)) && !isCount(write) && !issues.length)
    issues.push(...timeIssues(what, write, commit, clockSkewMs));
  if (before && before.createdAt !== after.createdAt)
    issues.push(`changed when ${what} was created`);
  if (work.what === 'reassign' && !isReassignment(before, after, work as ObservedAction))
    issues.push(`changed more of ${what} than its owner, or that of another user's lead`);
  if (!isSame(indexAttributes(pk, after), indexOf(after)))
    issues.push(`left ${what} with index attributes ${JSON.stringify(indexOf(after))}`);
  return issues;
}

/** Whether an entry tells of a change of the lead's values. */
const isChange = ({ type, filled }: Plain): boolean =>
  type !== 'note_added' && !(type === 'captured' && isSame(filled, []));

function isReassignment(before: Plain = {}, after: Plain, { options }: ObservedAction): boolean {
  const { assigned_to: owner, ...others } = (before.fields ?? {}) as Plain;
  const { assigned_to: _, ...othersAfter } = after.fields as Plain;
  return (
    owner === options.ownerId && before.stageId === after.stageId && isSame([others], [othersAfter])
  );
}

/** A lead's time is one between its request and its commit, as far as the clocks agree, and always later than before. */
function timeIssues(
  what: string,
  { before, after }: Write,
  { work: { startedAt }, at }: Commit,
  clockSkewMs: number,
): string[] {
  const updatedAt = Date.parse(String(after?.updatedAt));
  if (before && updatedAt <= Date.parse(String(before.updatedAt)))
    return [`set the time of ${what} back`];
  const isWild =
    updatedAt > at + clockSkewMs + clockErrorMs || updatedAt < Math.floor(startedAt - clockSkewMs);
  return isWild ? [`dated ${what} ${Math.round(updatedAt - at)} ms from its write`] : [];
}

const indexOf = ({ stageKey, ownerKey, sourceKey, updateKey }: Plain) => ({
  stageKey,
  ownerKey,
  sourceKey,
  updateKey,
});

/** What an index holds of a lead follows from the lead; archived leads are in none. */
function indexAttributes(pk: string, { stageId, fields, archivedAt }: Plain) {
  const id = pk.split('#')[1];
  const { assigned_to: owner, source } = fields as Values;
  const isListed = archivedAt === undefined;
  return {
    stageKey: isListed ? `STAGE#${id}#${stageId}` : undefined,
    ownerKey: isListed && owner !== undefined ? `OWNER#${id}#${owner}` : undefined,
    sourceKey: isListed && source !== undefined ? `SOURCE#${id}#${source}` : undefined,
    updateKey: isListed ? `UPDATED#${id}` : undefined,
  };
}

/**
 * One lead per person: together with a lead, exactly those identities are written that it gains or loses. It takes only what is free, and
 * releases only its own.
 */
function identityIssues(writes: readonly Write[]): string[] {
  const expected = writes.flatMap((write) => (kindOf(write) === 'LEADS' ? ofLead(write) : []));
  const found = writes.flatMap((write) =>
    ['PHONE', 'EMAIL'].includes(kindOf(write)) ? [ofIdentity(write)] : [],
  );
  return isSame(found.sort(), expected.sort())
    ? []
    : [`changed identities: ${found.join(', ')}, while its leads ${expected.join(', ')}`];
}

function ofLead({ pk, sk, before, after }: Write): string[] {
  const keysOf = (lead: Plain | undefined): string[] =>
    lead ? identityKeys(Number(pk.split('#')[1]), lead.fields as Values) : [];
  const [had, has] = [keysOf(before), keysOf(after)];
  return [
    ...has.filter((key) => !had.includes(key)).map((key) => `take ${key} for ${Number(sk)}`),
    ...had.filter((key) => !has.includes(key)).map((key) => `release ${key} of ${Number(sk)}`),
  ];
}

function ofIdentity({ pk, before, after }: Write): string {
  if (before && after) return `take ${pk} from ${before.leadId}`;
  return after ? `take ${pk} for ${after.leadId}` : `release ${pk} of ${before?.leadId}`;
}

const dayMs = 24 * 3_600_000;

/** A capture is remembered for 24 hours, and for that long nothing takes the record's place. */
function recordIssues(
  { pk, before, after }: Write,
  { work, at, writes }: Commit,
  { clockSkewMs }: History,
): string[] {
  if (!after) return work.what === 'erase' && isErased(before, work) ? [] : [`forgot ${pk}`];
  const expiresAt = after.expiresAt as number;
  const issues: string[] = [];
  if (before && (before.expiresAt as number) > at + clockSkewMs)
    issues.push(`replaced ${pk}, which had not expired`);
  const isLong = expiresAt > at + dayMs + clockSkewMs + clockErrorMs;
  // Under a further key a replay is remembered until its first record ends.
  const isFirst = writes.some((write) => kindOf(write) === 'TIMELINE');
  if (isLong || (isFirst && expiresAt < Math.floor(work.startedAt - clockSkewMs) + dayMs))
    issues.push('is remembered for more than 24 hours, or less');
  if (after.ttl !== Math.ceil(expiresAt / 1000))
    issues.push(`is remembered until ${expiresAt}, and deleted at ${after.ttl}`);
  return issues;
}

const isErased = (
  record: Plain | undefined,
  { options }: Work & { readonly options?: Plain },
): boolean => (record?.result as Plain | undefined)?.id === options?.leadId;

function settingsIssues({ before, after }: Write, { work, writes }: Commit): string[] {
  if (!work.what.startsWith('settings'))
    return isSame(before?.settings, after?.settings) ? [] : ['changed settings'];
  const usage = writes.find((write) => kindOf(write) === 'USAGE');
  if (usage?.after?.settingsVersion !== after?.version)
    return ['applied settings of which admission is not told'];
  return (after?.version as number) > ((before?.version as number | undefined) ?? 0)
    ? []
    : ['applied settings of an older version'];
}
