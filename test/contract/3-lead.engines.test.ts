import { describe, expect, test } from 'vitest';
import { setArchived } from '../../shared/store/leads/archive.ts';
import { givenLead, timelineOf } from '../support/leads.ts';
import {
  type GivenOrganization,
  givenOrganization,
  useOrganization,
} from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { table } from '../support/table.ts';

describe('3 owner: the organization’s assignment rules, unless assigned_to is given', () => {
  const users = [7, 8, 9].map((id) => ({ id, name: `Person ${id}` }));
  const owners = async (own: GivenOrganization, count: number, fields: object = {}) => {
    const chosen: number[] = [];
    for (let at = 0; at < count; at += 1)
      chosen.push((await givenLead(own, { fields })).assignedTo);
    return chosen;
  };

  test('twelve creates over three users give each user four leads, in rotation', async () => {
    const own = await givenOrganization({ users });

    const chosen = await owners(own, 12);

    expect(new Set(chosen.slice(0, 3))).toEqual(new Set([7, 8, 9]));
    expect(chosen).toEqual([0, 1, 2, 3].flatMap(() => chosen.slice(0, 3)));
  });

  test('each rule rotates separately, captures included, and a rule without active users is skipped', async () => {
    const own = await givenOrganization({
      users: [...users, { id: 10, name: 'Gone', active: false }],
      assignmentRules: [
        { when: { field: 'source', equals: ['3'] }, users: [10] },
        { when: { field: 'source', equals: ['3'] }, users: [7, 8, 10] },
        { when: { field: 'pipeline', equals: ['2'] }, users: [9] },
      ],
    });

    const ofSource = await owners(own, 2, { source: 3 });
    await owners(own, 1);
    const { body } = await own.capture({ ...person(), source: 'Facebook Ads' });
    const captured = await own.get(body.lead.id);
    const inPipeline = await givenLead(own, { pipelineId: 2 });

    expect([...ofSource, captured.body.lead.assignedTo]).toEqual([
      ofSource[0],
      ofSource[0] === 7 ? 8 : 7,
      ofSource[0],
    ]);
    expect(inPipeline.assignedTo).toBe(9);
  });

  test('a refused create does not advance the rotation', async () => {
    const own = await givenOrganization({ users });
    const [first] = await owners(own, 1);
    const someone = person();
    await own.create({ fields: { ...someone, assigned_to: 7 } });

    const refused = [
      await own.create({ fields: someone }),
      await own.create({ fields: { ...person(), budget: 'much' } }),
    ];
    const rest = await owners(own, 2);

    expect(refused.map(({ status }) => status)).toEqual([409, 422]);
    expect(new Set([first, ...rest])).toEqual(new Set([7, 8, 9]));
  });

  test('assigned_to sets the owner, whoever is next in the rotation', async () => {
    const own = await givenOrganization({ users });

    expect(await owners(own, 3, { assigned_to: 9 })).toEqual([9, 9, 9]);
  });

  test('a create without an active user is refused with 422 and NO_ACTIVE_OWNER', async () => {
    const own = await givenOrganization({
      users: users.map((user) => ({ ...user, active: false })),
      assignmentRules: [],
    });

    const { status, body } = await own.create({ fields: person() });

    expect(status).toBe(422);
    expect(body.error.details).toMatchObject({ reason: 'NO_ACTIVE_OWNER', field: 'assigned_to' });
  });

  test('a create without a pipeline is refused with 422 and NO_STARTING_STAGE', async () => {
    const own = await givenOrganization({ pipelines: [] });

    const { status, body } = await own.create({ fields: person() });

    expect(status).toBe(422);
    expect(body.error.details).toMatchObject({ reason: 'NO_STARTING_STAGE', field: 'stageId' });
  });
});

const organization = useOrganization();

describe('3 archived leads', () => {
  const givenArchived = async () => {
    const lead = await givenLead(organization);
    await setArchived(table(), organization.id, lead.id, { archived: true });
    return lead;
  };

  test('archived leads are left out of the list, by every filter', async () => {
    const { id, assignedTo } = await givenArchived();

    for (const query of [
      {},
      { stage_id: 11 },
      { pipeline_id: 1 },
      { owner_id: assignedTo },
      { updated_since: '2026-01-01T00:00:00Z' },
    ]) {
      const { body } = await organization.list({ limit: 100, ...query });
      expect(
        body.items.map((item: { id: number }) => item.id),
        JSON.stringify(query),
      ).not.toContain(id);
    }
  });

  test('get-lead answers 404 for an archived lead until it is restored', async () => {
    const { id } = await givenArchived();

    const archived = await organization.get(id);
    await setArchived(table(), organization.id, id, { archived: false });
    const restored = await organization.get(id);

    expect([archived.status, archived.body.error.code, restored.status]).toEqual([
      404,
      'NOT_FOUND',
      200,
    ]);
  });

  test('create-lead answers 409 with the id of the archived lead that has the phone or email', async () => {
    const { id, phone } = await givenArchived();

    const { status, body } = await organization.create({ fields: { ...person(), phone } });

    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'DUPLICATE_LEAD',
      { leadId: id, field: 'phone' },
    ]);
  });

  test('an archived lead accepts an update and a note', async () => {
    const { id } = await givenArchived();

    const updated = await organization.update(id, { fields: { city: 'Kochi' } });
    const noted = await organization.note(id, { text: 'Still interested.' });

    expect([updated.status, noted.status]).toEqual([200, 201]);
    expect((await timelineOf(organization, id)).map(({ type }) => type)).toEqual([
      'lead_created',
      'archived',
      'lead_updated',
      'note_added',
    ]);
  });
});
