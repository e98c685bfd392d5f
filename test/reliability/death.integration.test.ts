import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTable } from '../../shared/store/check/check-table.ts';
import { call } from '../support/call.ts';
import { effectsOn, holderOfEmail } from '../support/effects.ts';
import { faultOnce } from '../support/faults/rules.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { useOwnTable } from '../support/own-table.ts';
import { person } from '../support/people.ts';
import { table } from '../support/table.ts';

useOwnTable();

/** The function's process is killed. In the simulator each operation dies at each of its calls (`npm run simulate -- --pairs`). */
let own: OwnService;
let organization: GivenOrganization;
beforeAll(async () => {
  [own, organization] = await Promise.all([startOwnService(), givenOrganization()]);
});
afterAll(() => own.stop());

test.each([
  ['before', false],
  ['after', true],
])(
  'a capture happens exactly once when the function dies %s its transaction and the client repeats it',
  async (_, applied) => {
    const who = person();
    const request = {
      apiKey: organization.website,
      body: who,
      headers: { 'Idempotency-Key': randomUUID() },
    };
    own.proxy.rule = faultOnce(({ operation }) => operation === 'TransactWriteItems', {
      kind: 'cut',
      applied,
      before: () => own.killFunctions(),
    });

    const first = await call('capture-lead', { ...request, baseUrl: own.baseUrl });
    const repeat = await call('capture-lead', request); // by the other service, as another Lambda function would handle it

    expect(first).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL' } } });
    expect(repeat).toMatchObject({ status: 201, body: { lead: { created: true } } });
    expect(repeat.headers.get('idempotent-replayed')).toBe(applied ? 'true' : null);
    const { lead, timeline } = await effectsOn(organization.id, who.phone);
    expect(lead?.fields).toMatchObject(who);
    expect(timeline).toEqual(['captured_new']);
    expect(await holderOfEmail(organization.id, who.email)).toBe(lead?.id);
    expect((await checkTable(table(), { organizationId: organization.id })).violations).toEqual([]);
  },
);
