import type { FieldReason, UpdateLeadRequest } from '../contract/types.ts';
import type { Organization, Stage } from '../organization/organization.ts';
import type { FieldIssues } from './fields.ts';

export const defaultPipelineId = (organization: Organization): number | undefined =>
  organization.pipelines.find(({ isDefault }) => isDefault)?.id;

/** The stage where new leads of a pipeline start (`isDefault`), if it has an active one. */
export const startingStage = (
  organization: Organization,
  pipelineId: number | undefined,
): Stage | undefined =>
  organization.stages.find(
    (stage) => stage.pipelineId === pipelineId && stage.isDefault && stage.active,
  );

/** The stage and pipeline that a request names (contract, sections 4.2 and 4.5). */
export type RequestedPlace = Pick<UpdateLeadRequest, 'stageId' | 'pipelineId'>;

/**
 * The stage of a lead that is created or moved (contract, section 3). If no stage is requested, it is the starting stage of the requested
 * pipeline or, without one, of the default pipeline.
 * @param current the stage that the lead is in: it may stay there even if the stage is inactive
 * @returns undefined if the request is not valid; `issues` then says why
 */
export function placeLead(
  organization: Organization,
  { stageId, pipelineId }: RequestedPlace,
  issues: FieldIssues,
  current?: number,
): Stage | undefined {
  if (pipelineId !== undefined && !organization.pipelineById.has(pipelineId))
    return issues.add(
      'pipelineId',
      'pipeline_not_found',
      "is not one of the organization's pipelines.",
      { listedBy: 'GET /api/v1/pipelines lists them' },
    );
  if (stageId === undefined) return requireStartingStage(organization, pipelineId, issues);
  const stage = organization.stageById.get(stageId);
  const reject = (reason: FieldReason, sentence: string, listedBy?: string) =>
    issues.add('stageId', reason, sentence, { listedBy });
  const listed = 'GET /api/v1/lead-stages lists the active ones';
  if (!stage) return reject('stage_not_found', "is not one of the organization's stages.", listed);
  if (pipelineId !== undefined && stage.pipelineId !== pipelineId) {
    return reject(
      'stage_not_in_pipeline',
      `belongs to pipeline ${stage.pipelineId}, not to pipeline ${pipelineId}.`,
    );
  }
  if (!stage.active && stageId !== current)
    return reject('stage_not_active', 'is not an active stage.', listed);
  return stage;
}

function requireStartingStage(
  organization: Organization,
  pipelineId: number | undefined,
  issues: FieldIssues,
): Stage | undefined {
  const stage = startingStage(organization, pipelineId ?? defaultPipelineId(organization));
  if (stage) return stage;
  return pipelineId === undefined
    ? issues.add(
        'stageId',
        'no_starting_stage',
        'is required, because there is no default pipeline with an active starting stage.',
      )
    : issues.add('pipelineId', 'no_starting_stage', 'has no active starting stage: name a stage.');
}
