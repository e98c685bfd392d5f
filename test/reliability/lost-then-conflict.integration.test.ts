import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTimeline } from '../../shared/store/leads/timeline.ts';
import { call } from '../support/call.ts';
import type { FaultRule } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { person } from '../support/people.ts';
import { table } from '../support/table.ts';
import { goodRequests } from './requests.ts';

/** A transaction is applied and its answer lost, and the repeat is told of a conflict: the conflict says nothing of the first. */
let faulty: OwnService;
let organization: GivenOrganization;
beforeAll(async () => {
  [faulty, organization] = await Promise.all([startOwnService(), givenOrganization()]);
});
afterAll(() => faulty.stop());

/** As many repeats as the SDK makes by itself. */
const attemptsOfSdk = 3;

/**
 * @param lost how many answers are lost before the conflict: within the SDK's own repeats, or all of them
 * @param inBody an answer is lost when half of it has arrived
 */
function lostThenConflict(lost: number, inBody: boolean): FaultRule {
  let seen = 0;
  return ({ operation }) => {
    if (operation !== 'TransactWriteItems') return undefined;
    seen += 1;
    if (seen <= lost) return { kind: 'cut', applied: true, inBody };
    return seen === lost + 1 ? { kind: 'error', name: 'TransactionCanceledException' } : undefined;
  };
}

test.each(
  ['capture-lead', 'create-lead', 'update-lead', 'add-note'].flatMap((endpoint) =>
    [1, attemptsOfSdk].flatMap((lost) => [
      { endpoint, lost, inBody: false, how: 'whole' },
      { endpoint, lost, inBody: true, how: 'by half' },
    ]),
  ),
)(
  '$endpoint takes effect once when $lost responses are lost $how and a conflict follows',
  async ({ endpoint, lost, inBody }) => {
    const request = (await goodRequests(organization)).find((one) => one.endpoint === endpoint);
    if (!request) throw new Error(`There is no request for ${endpoint}.`);
    // Without an idempotency key: nothing but the transaction's own token keeps it from being written twice.
    const { headers: _, ...options } = { body: person(), ...request.options };
    const before =
      options.leadId === undefined ? 0 : (await timelineOf(Number(options.leadId))).length;
    faulty.proxy.rule = lostThenConflict(lost, inBody);

    const answer = await call(request.endpoint, { ...options, baseUrl: faulty.baseUrl });

    expect(answer.status).toBe(request.status);
    const leadId = Number(options.leadId ?? answer.body.lead.id);
    expect(await timelineOf(leadId)).toHaveLength(before + 1);
  },
);

const timelineOf = (leadId: number) => readTimeline(table(), organization.id, leadId);
