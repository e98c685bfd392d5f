import { describe, expect, test } from 'vitest';
import { changeSettings, givenLead, storedLead, timelineOf } from '../support/leads.ts';
import { givenOrganization, useOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';

const stage = (id: number, meaning: string, more: object = {}) => ({
  id,
  name: `Stage ${id}`,
  slug: `s${id}`,
  order: id,
  meaning,
  ...more,
});

/** Two pipelines of three stages, each with one that is no longer active, and a third pipeline where nothing can start. */
const pipelines = [
  {
    id: 1,
    name: 'One',
    order: 1,
    isDefault: true,
    stages: [
      stage(12, 'won'),
      stage(11, 'open', { isDefault: true }),
      stage(13, 'lost', { active: false }),
    ],
  },
  {
    id: 2,
    name: 'Two',
    order: 2,
    stages: [
      stage(21, 'open', { isDefault: true }),
      stage(22, 'lost'),
      stage(23, 'open', { active: false }),
    ],
  },
  {
    id: 3,
    name: 'Closed',
    order: 3,
    stages: [stage(31, 'open', { isDefault: true, active: false }), stage(32, 'won')],
  },
];

const organization = useOrganization({ pipelines });
const create = (place: object, fields: object = {}) =>
  organization.create({ fields: { ...person(), ...fields }, ...place });

describe('3 create-lead: the starting stage of the given or default pipeline, or the given stage', () => {
  test.each([
    ['no stageId, no pipelineId: starting stage of the default pipeline', {}, 11, 1],
    ['pipelineId: its starting stage', { pipelineId: 2 }, 21, 2],
    ['stageId: that stage, in its own pipeline', { stageId: 22 }, 22, 2],
    ['stageId of the default pipeline', { stageId: 12 }, 12, 1],
    ['stageId and its pipelineId', { stageId: 22, pipelineId: 2 }, 22, 2],
    ['an active stage of a pipeline that nothing starts in', { stageId: 32 }, 32, 3],
  ])('create-lead places a lead by %s', async (_, place, stageId, pipelineId) => {
    const { status, body } = await create(place);

    expect(status).toBe(201);
    expect(body.lead).toMatchObject({
      stageId,
      pipelineId,
      stage: { id: stageId },
      pipeline: { id: pipelineId },
    });
  });
});

const refusedPlaces: [string, object, reason: string, field: string][] = [
  [
    'a stage of another pipeline',
    { stageId: 21, pipelineId: 1 },
    'STAGE_NOT_IN_PIPELINE',
    'stageId',
  ],
  ['no such stage', { stageId: 99 }, 'STAGE_NOT_FOUND', 'stageId'],
  ['no such pipeline', { pipelineId: 99 }, 'PIPELINE_NOT_FOUND', 'pipelineId'],
  [
    'no such pipeline, with a stage',
    { stageId: 11, pipelineId: 99 },
    'PIPELINE_NOT_FOUND',
    'pipelineId',
  ],
  ['a stage that is not active', { stageId: 13 }, 'STAGE_NOT_ACTIVE', 'stageId'],
  [
    'a stage of another pipeline that is not active',
    { stageId: 23 },
    'STAGE_NOT_ACTIVE',
    'stageId',
  ],
  [
    'a pipeline without an active starting stage',
    { pipelineId: 3 },
    'NO_STARTING_STAGE',
    'pipelineId',
  ],
];

describe('3 a refused stage or pipeline: 422 with details.reason and details.field, nothing changed', () => {
  test.each(refusedPlaces)(
    'create-lead with %s is refused with reason and field',
    async (_, place, reason, field) => {
      const someone = person();

      const { status, body } = await create(place, someone);

      expect(status).toBe(422);
      expect(body.error).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: {
          reason,
          field,
          fields: { [field]: expect.stringMatching(/\.$/) },
          reasons: { [field]: reason.toLowerCase() },
        },
      });
      expect((await create({}, someone)).status).toBe(201); // neither phone nor email was taken
    },
  );

  test.each(refusedPlaces)(
    'update-lead with %s is refused with reason and field',
    async (_, place, reason, field) => {
      const { id } = await givenLead(organization);
      const before = await storedLead(organization, id);

      const { status, body } = await organization.update(id, {
        fields: { city: 'Kochi' },
        ...place,
      });

      expect(status).toBe(422);
      expect(body.error).toMatchObject({ code: 'VALIDATION_FAILED', details: { reason, field } });
      expect(await storedLead(organization, id)).toEqual(before);
    },
  );
});

describe('3 update-lead: stage and pipeline', () => {
  const moved = (from: number, to: number) => ({ field: 'stage', from, to });
  const pipelineMoved = { field: 'pipeline', from: 1, to: 2 };

  test.each<[string, from: object, to: object, stageId: number, pipelineId: number, object[]]>([
    ['stageId of the same pipeline', {}, { stageId: 12 }, 12, 1, [moved(11, 12)]],
    ['stageId of another pipeline', {}, { stageId: 22 }, 22, 2, [moved(11, 22), pipelineMoved]],
    [
      'pipelineId: its starting stage',
      {},
      { pipelineId: 2 },
      21,
      2,
      [moved(11, 21), pipelineMoved],
    ],
    ['pipelineId of the lead itself', { stageId: 12 }, { pipelineId: 1 }, 11, 1, [moved(12, 11)]],
    ['neither: the lead stays', { stageId: 22 }, {}, 22, 2, []],
  ])(
    '%s is recorded on the timeline as made via the API',
    async (_, from, to, stageId, pipelineId, changes) => {
      const { id } = await givenLead(organization, from);

      const { status, body } = await organization.update(id, to);

      expect(status).toBe(200);
      expect(body.lead).toMatchObject({
        stageId,
        pipelineId,
        stage: { id: stageId },
        pipeline: { id: pipelineId },
      });
      const updates = (await timelineOf(organization, id)).filter(
        ({ type }) => type === 'lead_updated',
      );
      expect(updates).toEqual(
        changes.length === 0 ? [] : [expect.objectContaining({ via: 'api', changes })],
      );
    },
  );

  test('a lead moves from any stage to any other: open, won, open, lost', async () => {
    const { id } = await givenLead(organization);

    const walked = [];
    for (const stageId of [12, 11, 22, 12])
      walked.push((await organization.update(id, { stageId })).body.lead.stage);

    expect(walked.map(({ meaning }) => meaning)).toEqual(['won', 'open', 'lost', 'won']);
  });

  test('a lead in a stage that was deactivated stays in it, and keeps its name', async () => {
    const own = await givenOrganization({ pipelines });
    const { id } = await givenLead(own, { stageId: 12 });
    const deactivate = (one: { id: number }) => (one.id === 12 ? { ...one, active: false } : one);
    await changeSettings(own, {
      pipelines: own.settings.pipelines.map((one) => ({
        ...one,
        stages: one.stages.map(deactivate),
      })),
    });

    const { status, body } = await own.update(id, { stageId: 12, fields: { city: 'Kochi' } });

    expect(status).toBe(200);
    expect(body.lead).toMatchObject({
      stage: { id: 12, name: 'Stage 12', meaning: 'won' },
      fields: { city: 'Kochi' },
    });
  });
});

describe('3 capture-lead: places only new leads', () => {
  test.each([
    ['the default pipeline', {}, 11],
    ['pipelineId', { pipelineId: 2 }, 21],
  ])(
    'a captured new lead starts in %s, with an owner by the rules, and names the key',
    async (_, place, stageId) => {
      const { status, body } = await organization.capture({ ...person(), ...place });

      expect(status).toBe(201);
      expect(await organization.read(body.lead.id)).toMatchObject({
        stageId,
        assignedTo: expect.any(Number),
      });
      const [, captured] = await timelineOf(organization, body.lead.id);
      expect(captured).toMatchObject({
        type: 'captured',
        keyId: expect.any(String),
        keyLabel: 'leads.capture',
      });
    },
  );
});
