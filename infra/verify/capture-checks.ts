import { setArchived } from '../../shared/store/leads/archive.ts';
import { CheckError } from './check.ts';
import { expectError, expectSuccess } from './expect-reply.ts';
import type { HttpReply } from './http-call.ts';
import { idempotencyKeys } from './temporary-organization.ts';
import { type CaptureBody, expectEqual, person, type WriteContext } from './write-context.ts';

const first = { name: person(10).name, phone: person(10).phone };
const create = { body: first, status: 201, idempotencyKey: idempotencyKeys.newLead } as const;

/** Captures in every outcome that the contract has. @returns the lead that the first one created */
export async function captureChecks(context: WriteContext): Promise<number | undefined> {
  const leadId = await context.checks.value(
    'Capture a new lead: 4 items in one transaction',
    async () => {
      const { lead } = await capture(context, create, { created: true, updated: false });
      return { came: `201, lead ${lead.id}`, value: lead.id };
    },
  );
  if (leadId === undefined) return undefined;
  await replayChecks(context, leadId);
  await matchChecks(context, leadId);
  return leadId;
}

async function replayChecks(context: WriteContext, leadId: number): Promise<void> {
  const { checks } = context;
  const result = { id: leadId, created: true };
  await checks.passes('The same capture again is replayed', () =>
    captured(context, { ...create, isReplay: true }, result),
  );
  await checks.passes('Its idempotency key with another body', async () => {
    const body = { ...first, notes: 'Another text.' };
    const reply = await send(context, { ...create, body });
    return expectError(reply, ['VALIDATION_FAILED'], 'capture-lead');
  });
  await checks.passes(
    'The same capture under a second name (externalId): a condition on the lead',
    () => {
      const body = { ...first, externalId: idempotencyKeys.otherName };
      return captured(context, { ...create, body, isReplay: true }, result);
    },
  );
}

async function matchChecks(context: WriteContext, leadId: number): Promise<void> {
  const { checks, table, organization } = context;
  const result = { id: leadId, created: false };
  await checks.passes('A capture that fills empty fields', () => {
    const body = { ...person(10), fields: { city: 'Pune' } };
    return captured(context, { body, status: 200 }, { ...result, updated: true });
  });
  await checks.passes(
    'A capture that matches by email and fills nothing: a condition on the lead',
    () => {
      const body = { ...person(11), email: person(10).email };
      return captured(context, { body, status: 200 }, { ...result, updated: false });
    },
  );
  await checks.passes('A capture of an archived lead', async () => {
    await setArchived(table, organization.id, leadId, true);
    try {
      const archived = { ...result, updated: false, archived: true };
      return await captured(context, { body: person(10), status: 200 }, archived);
    } finally {
      await setArchived(table, organization.id, leadId, false);
    }
  });
}

interface Capture {
  readonly body: object;
  readonly status: 200 | 201;
  readonly idempotencyKey?: string;
  readonly isReplay?: boolean;
}

const send = (
  { caller, organization }: WriteContext,
  { body, idempotencyKey }: Pick<Capture, 'body' | 'idempotencyKey'>,
): Promise<HttpReply> =>
  caller.call('capture-lead', organization.website.key, {
    body,
    ...(idempotencyKey !== undefined && { headers: { 'Idempotency-Key': idempotencyKey } }),
  });

async function capture(
  context: WriteContext,
  sent: Capture,
  expected: object,
): Promise<CaptureBody> {
  const reply = await send(context, sent);
  const body = expectSuccess<CaptureBody>(reply, 'capture-lead', sent.status);
  expectEqual('the result', body.lead, { ...expected });
  const { location, 'idempotent-replayed': replayed } = reply.headers;
  const { isReplay = false } = sent;
  if ((replayed === 'true') !== isReplay) {
    throw new CheckError(
      `the header Idempotent-Replayed is ${String(replayed)}; expected ${isReplay ? 'true' : 'none'}`,
      isReplay
        ? 'The idempotency record was not found: may the function read IDEMPOTENCY# (BatchGetItem)?'
        : 'The capture was taken for a repeat: run the command again.',
    );
  }
  if ((location === undefined) !== (body.lead.archived === true)) {
    throw new CheckError(
      `the header Location is ${location ?? 'missing'}`,
      'Does a proxy in front of the API change headers?',
    );
  }
  return body;
}

async function captured(context: WriteContext, sent: Capture, expected: object): Promise<string> {
  const { lead } = await capture(context, sent, expected);
  return `${sent.status}, ${JSON.stringify(lead)}${sent.isReplay ? ', Idempotent-Replayed' : ''}`;
}
