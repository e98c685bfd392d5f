import { isPlainObject } from '../../base/json.ts';
import { limits } from '../../contract/limits.ts';
import { recordExpiry } from '../../leads/idempotency.ts';
import type { Organization } from '../../organization/organization.ts';
import type { Item } from '../table/items.ts';
import { type ItemKind, keyText, type PrimaryKey } from '../table/primary-keys.ts';

/** Issues that an item of any type can have by itself. */

/** The form in which every date-time is stored. */
const storedDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const isStoredDateTime = (value: unknown): value is string =>
  typeof value === 'string' && storedDateTime.test(value) && !Number.isNaN(Date.parse(value));

/** How far the clocks of the functions and of this machine may differ. */
const clockMarginMs = 60_000;

/** The issue of a ttl on any item but an idempotency record: only these expire. */
export const ttlIssue = 'has a ttl, at which DynamoDB deletes it: remove the attribute ttl';

/** Reports the times that are in the future by this machine's clock, as ends of sentences. */
export function* futureIssues(times: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, at] of Object.entries(times))
    if (isStoredDateTime(at) && Date.parse(at) > Date.now() + clockMarginMs)
      yield `has the ${name} ${at}, which is in the future: compare the clock of this machine with that of the writer`;
}

/**
 * Yields sentences. Leads, timeline entries and idempotency records have separate rules.
 * @param kind undefined for a key that the service never makes
 */
export function* itemIssues(
  key: PrimaryKey,
  kind: ItemKind | undefined,
  { ttl, at, endedAt }: Item,
): Generator<string> {
  const name = keyText(key);
  if (!kind) return yield `Item ${name} has an unknown type.`;
  if (['lead', 'timeline', 'idempotency'].includes(kind.kind)) return;
  if (ttl !== undefined) yield `The item ${name} ${ttlIssue}.`;
  for (const issue of futureIssues({ at, endedAt })) yield `The item ${name} ${issue}.`;
  if (kind.kind === 'erasure') yield erasureIssue(kind);
}

/** The item of an erasure exists until the erasure is complete. */
const erasureIssue = ({ organizationId, leadId }: { organizationId: number; leadId: number }) =>
  `The erasure of lead ${leadId} of organization ${organizationId} is in progress or was interrupted: npm run admin -- lead erase --organization ${organizationId} --lead ${leadId} completes it.`;

/**
 * Reports what is wrong with a timeline entry by itself, as ends of sentences.
 * @param organization undefined if the organization has no settings: the actor is then not checked
 */
export function* entryIssues(
  { sk, at, actorId, importedAt, ttl }: Item,
  organization: Organization | undefined,
): Generator<string> {
  if (!isStoredDateTime(at) || !String(sk).startsWith(`${at}#`))
    yield `has the time ${JSON.stringify(at)}, which is not that of its key`;
  if (actorId !== null && organization && !isUser(actorId, organization))
    yield `was made by user ${JSON.stringify(actorId)}, whom the organization does not have`;
  yield* futureIssues({ time: at, importedAt });
  if (ttl !== undefined) yield ttlIssue;
}

export const isUser = (id: unknown, { userById }: Organization): boolean =>
  typeof id === 'number' && userById.has(id);

/** Reports what is wrong with an idempotency record by itself, as ends of sentences. */
export function* recordIssues({ expiresAt, ttl }: Item): Generator<string> {
  if (typeof expiresAt !== 'number')
    return yield 'has no expiresAt, so it never expires: delete the item';
  if (expiresAt > recordExpiry(new Date()) + clockMarginMs)
    yield `expires at ${expiresAt}, more than ${limits.idempotencyHours} hours from now: delete the item`;
  if (ttl !== Math.ceil(expiresAt / 1000))
    yield `has the ttl ${JSON.stringify(ttl) ?? 'missing'}, which must be expiresAt in seconds: delete the item`;
}

export const recordedLead = (record: Item | undefined): unknown =>
  isPlainObject(record?.result) ? record.result.id : undefined;

/** Whether a record has expired, so that nothing reads it. @param record a record without issues */
export const isExpired = (record: Item): boolean => Number(record.expiresAt) <= Date.now();

export const recordLifetimeMs = recordExpiry(new Date(0));

/** The time of a record's capture, which is a day before the record expires, to the millisecond. @param record a record without issues */
export const capturedAt = (record: Item): string =>
  new Date(Number(record.expiresAt) - recordLifetimeMs).toISOString();

export const isCapture = ({ type }: Item): boolean =>
  type === 'captured' || type === 'captured_new';

/** Reports a window longer than an hour. @param subject the beginning of the sentence, such as "API key abc" */
export function* windowIssues(subject: string, { windowEndsAt }: Item): Generator<string> {
  if (Number(windowEndsAt) > Date.now() + limits.windowMs + clockMarginMs)
    yield `${subject} has a window that ends more than an hour from now, at windowEndsAt ${windowEndsAt}: once its requests are used up, all are refused until then. Set windowEndsAt to 0.`;
}
