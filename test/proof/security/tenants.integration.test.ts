import { beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../../shared/contract/endpoints.ts';
import { call } from '../../support/call.ts';
import { givenLead, storedLeads } from '../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { goodRequests } from '../../support/requests.ts';

/** Two organizations in one table. What is one's own is out of the other's reach, and out of its sight. */
let own: GivenOrganization;
let other: GivenOrganization;
let ownLeadId: number;
/** An id that only the other organization has a lead with. */
let otherLeadId: number;

const otherIds = { user: 907, source: 903, pipeline: 901, stage: 911 };
const mark = 'Southwind';
beforeAll(async () => {
  own = await givenOrganization();
  other = await givenOrganization({
    users: [{ id: otherIds.user, name: `${mark} Person` }],
    sources: [{ id: otherIds.source, name: `${mark} Source` }],
    pipelines: [
      {
        id: otherIds.pipeline,
        name: `${mark} Pipeline`,
        order: 1,
        isDefault: true,
        stages: [
          {
            id: otherIds.stage,
            name: `${mark} Stage`,
            slug: 'new',
            order: 1,
            meaning: 'open',
            isDefault: true,
          },
        ],
      },
    ],
    fields: [{ key: 'southwind', label: mark, type: 'text', section: mark, storage: 'custom' }],
  });
  ownLeadId = (await givenLead(own)).id;
  for (let made = 0; made < 5; made += 1) {
    const fields = { name: `${mark} Lead`, southwind: mark, source: otherIds.source };
    otherLeadId = (await givenLead(other, { fields })).id;
  }
});

describe('a lead’s id', () => {
  const named = goodRequests.filter(({ request }) => request(1).leadId !== undefined);

  test.each(named)(
    'the ID of another organization’s lead finds nothing: $name',
    async ({ name, request }) => {
      const before = await storedLeads(other);

      const { status, body } = await call(name, { apiKey: own.writer, ...request(otherLeadId) });

      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
      expect(await storedLeads(other)).toEqual(before);
    },
  );

  test.each(named)(
    'a lead ID that both organizations have means the caller’s lead: $name',
    async ({ name, request, status }) => {
      const shared = (await call('list-leads', { apiKey: other.reader })).body.items.map(
        ({ id }: { id: number }) => id,
      );
      expect(shared).toContain(ownLeadId);
      const before = await storedLeads(other);

      const answer = await call(name, { apiKey: own.writer, ...request(ownLeadId) });

      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).not.toContain(mark);
      expect(await storedLeads(other)).toEqual(before);
    },
  );
});

describe('an id of another organization’s settings is refused as one that does not exist', () => {
  const nobody = { user: 997, source: 993, pipeline: 991, stage: 991 };

  test.each<[string, EndpointName, (ids: typeof otherIds) => object]>([
    ['a stage', 'create-lead', ({ stage }) => ({ fields: person(), stageId: stage })],
    ['a pipeline', 'create-lead', ({ pipeline }) => ({ fields: person(), pipelineId: pipeline })],
    ['a source', 'create-lead', ({ source }) => ({ fields: { ...person(), source } })],
    ['an owner', 'create-lead', ({ user }) => ({ fields: { ...person(), assigned_to: user } })],
    [
      'a person in a field',
      'create-lead',
      ({ user }) => ({ fields: { ...person(), mentor: user } }),
    ],
    [
      'a source in a field',
      'create-lead',
      ({ source }) => ({ fields: { ...person(), second_source: source } }),
    ],
    ['a stage', 'update-lead', ({ stage }) => ({ stageId: stage })],
    ['a pipeline', 'capture-lead', ({ pipeline }) => ({ ...person(), pipelineId: pipeline })],
  ])('%s refuses an id of another organization: %s', async (_, name, bodyOf) => {
    const before = await storedLeads(own);
    const ask = (ids: typeof otherIds) =>
      call(name, { apiKey: own.writer, leadId: ownLeadId, body: bodyOf(ids) });

    const [theirs, nobodys] = [await ask(otherIds), await ask(nobody)];

    expect(theirs.status).toBe(422);
    const digitless = (body: unknown): string => JSON.stringify(body).replace(/\d+/g, 'N');
    expect(digitless(theirs.body)).toBe(digitless(nobodys.body));
    expect(JSON.stringify(theirs.body)).not.toContain(mark);
    expect(await storedLeads(own)).toEqual(before);
  });
});
