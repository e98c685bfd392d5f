import { expect, test } from 'vitest';
import { FieldIssues } from '../../../shared/leads/fields.ts';
import {
  defaultPipelineId,
  placeLead,
  type RequestedPlace,
  startingStage,
} from '../../../shared/leads/placement.ts';
import { sampleOrganization, sampleSettings } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const [admissions, corporate] = sampleSettings.pipelines;
const stage = (id: number, more: object = {}) => ({
  id,
  name: `${id}`,
  slug: `s${id}`,
  order: id,
  meaning: 'open',
  ...more,
});
/** Pipeline 2 starts at 22, 3 nowhere, 4 at an inactive stage. */
const organization = sampleOrganization({
  pipelines: [
    admissions!,
    { ...corporate!, stages: [stage(21, { active: false }), stage(22, { isDefault: true })] },
    { id: 3, name: 'Alumni', order: 3, stages: [stage(31)] },
    {
      id: 4,
      name: 'Old',
      order: 4,
      stages: [stage(41, { isDefault: true, active: false }), stage(42)],
    },
  ] as typeof sampleSettings.pipelines,
});

test.each<[RequestedPlace, number | undefined, number]>([
  [{}, undefined, 11],
  [{ pipelineId: 2 }, undefined, 22],
  [{ stageId: 12 }, undefined, 12],
  [{ stageId: 31 }, undefined, 31],
  [{ stageId: 31, pipelineId: 3 }, undefined, 31],
  [{ stageId: 21 }, 21, 21],
  [{ stageId: 21, pipelineId: 2 }, 21, 21],
])('a lead with %j, at stage %s, goes to stage %i', (requested, current, stageId) => {
  const issues = new FieldIssues();
  expect(placeLead(organization, requested, issues, current)?.id).toBe(stageId);
  expect(issues.isEmpty).toBe(true);
});

const noDefault = {
  ...organization,
  pipelines: organization.pipelines.slice(1).map((one) => ({ ...one, isDefault: false })),
};
test.each<[RequestedPlace, string, string, string, typeof organization?]>([
  [{ pipelineId: 9 }, 'pipelineId', 'pipeline_not_found', 'GET /api/v1/pipelines'],
  [{ pipelineId: 9, stageId: 99 }, 'pipelineId', 'pipeline_not_found', 'not one of'],
  [{ pipelineId: 3 }, 'pipelineId', 'no_starting_stage', 'name a stage'],
  [{ pipelineId: 4 }, 'pipelineId', 'no_starting_stage', 'no active starting stage'],
  [{ stageId: 99 }, 'stageId', 'stage_not_found', 'GET /api/v1/lead-stages'],
  [
    { stageId: 31, pipelineId: 2 },
    'stageId',
    'stage_not_in_pipeline',
    'belongs to pipeline 3, not to pipeline 2',
  ],
  [{ stageId: 21 }, 'stageId', 'stage_not_active', 'GET /api/v1/lead-stages'],
  [
    {},
    'stageId',
    'no_starting_stage',
    'is required, because there is no default pipeline',
    noDefault,
  ],
])('a lead with %j is refused: %s %s', async (requested, name, reason, part, of = organization) => {
  const issues = new FieldIssues();
  // The lead's stage, 41, allows only itself.
  expect(placeLead(of, requested, issues, 41)).toBeUndefined();
  const { details } = await refusalOf(() => issues.throwIfAny());
  expect(details.reasons).toEqual({ [name]: reason });
  expect(details.fields?.[name]).toContain(part);
});

test('new leads start at the default stage of a pipeline, if it is active', () => {
  expect([1, 2, 3, 4, 9, undefined].map((id) => startingStage(organization, id)?.id)).toEqual([
    11,
    22,
    ...Array(4).fill(undefined),
  ]);
  expect([defaultPipelineId(organization), defaultPipelineId(noDefault)]).toEqual([1, undefined]);
});
