import { describe, expect, test } from 'vitest';
import { givenLead } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';

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
