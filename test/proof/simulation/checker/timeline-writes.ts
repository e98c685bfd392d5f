import type { Plain } from '../../../support/reference/plain.ts';
import {
  comparableEmail,
  comparablePhone,
  type Values,
} from '../../../support/reference/reference.ts';
import { type Commit, isImport, kindOf } from './effects.ts';
import type { History, ObservedAction, Write } from './history.ts';
import { identityKeys, leadKey, stateBefore, statesBetween } from './states.ts';

/** What is on a timeline stays as it is; only an erasure removes it, or its person from it. */
export function timelineIssues(
  write: Write,
  { work, order, writes }: Commit,
  history: History,
): string[] {
  const { pk, before, after, sk } = write;
  if (work.what === 'erase') {
    if (!before) return isEndOfTimeline(sk, after, writes) ? [] : ['added to a timeline'];
    if (after) return erasedTextIssues(write, work as ObservedAction, history);
    return pk === `TIMELINE#${work.organizationId}#${(work as ObservedAction).options.leadId}`
      ? []
      : [`removed an entry of ${pk}`];
  }
  if (work.what === 'import undo') {
    if (!before) return isEndOfTimeline(sk, after, writes) ? [] : ['added to a timeline'];
    const isOfImport = before.type === 'erased' || before.importedAt !== undefined;
    return !after && isOfImport ? [] : [`undid what is on the timeline ${pk} since the import`];
  }
  if (before || !after) return [`changed what is on the timeline ${pk}`];
  const isCounted = writes.some((one) => kindOf(one) === 'LEADS' && timelineOf(one) === pk);
  if (!isCounted) return [`added to the timeline ${pk}, and its lead's version does not count it`];
  const [, organizationId, leadId] = pk.split('#');
  const lead = stateBefore(history, ...leadKey(Number(organizationId), Number(leadId)), order);
  const isLater = !lead || String(after.at) > String(lead.updatedAt) || isImport(work);
  return [
    ...(sk.startsWith(`${after.at}#`) ? [] : [`put an entry of ${after.at} at ${sk}`]),
    ...(isLater
      ? []
      : [`put an entry of ${after.at} on the timeline before the change of ${lead?.updatedAt}`]),
  ];
}

const timelineOf = ({ pk, sk }: Write): string =>
  `${pk.replace('LEADS', 'TIMELINE')}#${Number(sk)}`;

/**
 * The entry with which an erasure ends a timeline. It is later than all others, in the transaction that removes the lead, and shares its ID
 * with the audit entry.
 */
const isEndOfTimeline = (sk: string, after: Plain | undefined, writes: readonly Write[]): boolean =>
  after?.type === 'erased' &&
  writes.some(
    (write) =>
      kindOf(write) === 'LEADS' &&
      !write.after &&
      String(after.at) > String(write.before?.updatedAt),
  ) &&
  writes.some((write) => kindOf(write) === 'HISTORY entry' && write.sk === sk);

export const mask = '[erased]';

/**
 * What an erasure wrongly removed from another lead's entry. It may remove the phones and emails that the erased lead had, and that nobody
 * else has had since the entry. It may also remove a whole enquiry that submitted one of them. A lead that was created after the erasure
 * began keeps its entries.
 */
function erasedTextIssues(
  { pk, sk, at, before = {}, after = {} }: Write,
  action: ObservedAction,
  history: History,
): string[] {
  const [, organizationId, leadId] = pk.split('#');
  const lead = history.writesOf.get(leadKey(Number(organizationId), Number(leadId)).join(' '));
  const createdAt = String(lead?.findLast((one) => one.after)?.after?.createdAt);
  const begun = begunAt(action, history);
  if (String(before.at) > begun && createdAt > begun)
    return [`changed an entry of ${pk}, whose lead was created after the erasure had begun`];
  const wroteAt = history.writesOf.get(`${pk} ${sk}`)?.[0]?.at ?? 0;
  // Just after: an entry is written together with the phone of a new lead. A microsecond, because a time has no more digits.
  const from = Math.max(wroteAt, action.startedAt) + 0.001;
  const isFree = (key: string): boolean =>
    statesBetween(history, key, 'UNIQUE', from, at).some(
      (state) => state === undefined || state.leadId === action.options.leadId,
    );
  const isTheirs = ofPerson(identitiesOf(history, action, isFree));
  // A copy of the timeline is told by this time, which comes after that of any state before.
  if (String(after.cleanedAt ?? '') <= String(before.cleanedAt ?? before.at))
    return [`cleaned an entry of ${pk} without a later time`];
  return namesOfOthersTexts(before, after, isTheirs).map(
    (name) => `changed ${name} of an entry of ${pk}, which is not the erased person's`,
  );
}

/** When the erasure began, by its own clock. */
function begunAt({ organizationId, options }: ObservedAction, { writesOf }: History): string {
  const [, leadId] = leadKey(organizationId, options.leadId as number);
  const begun = writesOf.get(`ERASURE#${organizationId} ${leadId}`) ?? [];
  const entries = begun.findLast(({ before, after }) => !before && after)?.after?.auditEntries;
  return Object.values((entries ?? {}) as Record<string, { at: string }>)
    .map(({ at }) => at)
    .reduce((a, b) => (a > b ? a : b), '');
}

/** The attributes of an entry in which a text was changed that was not the erased person's. */
export function namesOfOthersTexts(
  before: Plain,
  after: Plain,
  isTheirs: (text: unknown) => boolean,
): string[] {
  const kept = (before.kept ?? []) as readonly Kept[];
  const isTheirEnquiry = kept.some(
    ({ field, submitted }) => ['phone', 'email'].includes(field) && isTheirs(submitted),
  );
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete('cleanedAt');
  return [...names].filter((name) => {
    const isSubmitted =
      isTheirEnquiry && ['notes', 'submittedSource', 'attribution', 'kept'].includes(name);
    return !isErased(before[name], after[name], { isTheirs, isSubmitted });
  });
}

interface Kept {
  readonly field: string;
  readonly submitted: unknown;
}

/** The phones and emails that the lead had since it was made. */
function identitiesOf(
  history: History,
  { organizationId, options: { leadId } }: ObservedAction,
  isFree: (key: string) => boolean,
): ReadonlySet<string> {
  const writes = history.writesOf.get(leadKey(organizationId, leadId as number).join(' ')) ?? [];
  const identities = new Set<string>();
  for (const { before, after } of writes) {
    if (!before) identities.clear(); // a later lead of the same id
    if (!after) continue;
    for (const pk of identityKeys(organizationId, after.fields as Values))
      if (isFree(pk)) identities.add(pk.replace(/^.*?#.*?#/, ''));
  }
  return identities;
}

/** Whether a text is a phone or an email of the person, in any spelling that clients here use. */
export const ofPerson =
  (identities: ReadonlySet<string>) =>
  (text: unknown): boolean => {
    const spelled = String(text).replace(/%40/g, '@').replace(/%2B/g, '+');
    return identities.has(
      spelled.includes('@') ? comparableEmail(spelled) : comparablePhone(spelled),
    );
  };

interface Rules {
  readonly isTheirs: (text: unknown) => boolean;
  /** Whether all that is masked was part of what the person submitted. */
  readonly isSubmitted: boolean;
}

function isErased(before: unknown, after: unknown, rules: Rules, name = ''): boolean {
  if (before === after) return true;
  if (rules.isSubmitted && after === mask && name !== 'current') return true;
  if (typeof after === 'string') return takenFrom(String(before), after).every(rules.isTheirs);
  if (typeof before !== 'object' || typeof after !== 'object' || !before || !after) return false;
  const [one, other] = [before as Plain, after as Plain];
  return (
    Object.keys(one).length === Object.keys(other).length &&
    Object.keys(one).every((each) => isErased(one[each], other[each], rules, each))
  );
}

/** The parts of a text for which another has marks; the whole text where it is another text. */
export function takenFrom(before: string, after: string): string[] {
  const parts = after.split(mask).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(`^${parts.join('(.+?)')}$`, 's').exec(before);
  // A mark may be that of an earlier erasure.
  return found && parts.length > 1 ? found.slice(1).filter((part) => part !== mask) : [before];
}
