import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { CheckError } from './check.ts';
import { expectError, expectSuccess } from './expect-reply.ts';
import type { HttpReply } from './http-call.ts';
import { idempotencyKeys } from './temporary-organization.ts';
import { type CaptureBody, person, type WriteContext } from './write-context.ts';

const racers = 20;

/** Captures that are sent at the same moment: one lead, and each capture recorded once. */
export async function raceChecks(context: WriteContext): Promise<void> {
  const { checks } = context;
  await checks.passes(`${racers} captures of one person at once`, async () => {
    const { results, refused, unknown } = await race(context, person(20));
    const leadId = singleLead(results);
    const recorded = await recordedCaptures(context, leadId);
    // What answered a server error may have been written.
    if (recorded < results.length || recorded > results.length + unknown)
      throw entriesError(leadId, recorded, results.length);
    return `lead ${leadId}: ${results.length} captured, ${refused} answered 409 to try again`;
  });
  await checks.passes(`${racers} captures under one idempotency key at once`, async () => {
    const headers = { 'Idempotency-Key': idempotencyKeys.race };
    const { results, refused, replayed } = await race(context, person(21), headers);
    const leadId = singleLead(results);
    const recorded = await recordedCaptures(context, leadId);
    if (recorded !== 1) throw entriesError(leadId, recorded, 1);
    return `lead ${leadId}: 1 captured, ${replayed} replayed, ${refused} answered 409 to try again`;
  });
}

interface RaceResult {
  readonly results: readonly CaptureBody['lead'][];
  readonly replayed: number;
  /** Answered 409: nothing was written. */
  readonly refused: number;
  /** Answered a server error. */
  readonly unknown: number;
}

/** @throws CheckError for any other reply, and when no capture succeeded */
async function race(
  { caller, organization }: WriteContext,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<RaceResult> {
  const replies: readonly HttpReply[] = await Promise.all(
    Array.from({ length: racers }, () =>
      caller.call('capture-lead', organization.website.key, { body, headers }),
    ),
  );
  const results: CaptureBody['lead'][] = [];
  const failed = replies.filter(({ status }) => status >= 500);
  for (const reply of replies) {
    const { status } = reply;
    if (status === 200 || status === 201)
      results.push(expectSuccess<CaptureBody>(reply, 'capture-lead', status).lead);
    else if (status < 500 || failed.length === racers)
      expectError(reply, ['IDEMPOTENCY_IN_PROGRESS'], 'capture-lead');
  }
  const replayed = replies.filter(
    ({ headers }) => headers['idempotent-replayed'] === 'true',
  ).length;
  const unknown = failed.length;
  return { results, replayed, refused: racers - results.length - unknown, unknown };
}

function singleLead(results: RaceResult['results']): number {
  const ids = [...new Set(results.map(({ id }) => id))];
  const [leadId] = ids;
  if (leadId !== undefined && ids.length === 1) return leadId;
  throw new CheckError(
    `leads ${ids.join(', ') || 'none'}; expected one lead`,
    'Do all functions run the same version? Report this line as a defect.',
  );
}

async function recordedCaptures(
  { table, organization }: WriteContext,
  leadId: number,
): Promise<number> {
  const entries = await readTimeline(table, organization.id, leadId);
  return entries.filter(({ type }) => type.startsWith('captured')).length;
}

const entriesError = (leadId: number, recorded: number, expected: number): CheckError =>
  new CheckError(
    `lead ${leadId} has ${recorded} captures on its timeline; expected ${expected}`,
    'Report this line as a defect.',
  );
