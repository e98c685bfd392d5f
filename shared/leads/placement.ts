import type { Organization, Stage } from '../organization/organization.ts';
import { FieldIssue } from './field-types.ts';
import type { FieldIssues } from './fields.ts';

/** The default pipeline's id, where the organization has one. */
export const defaultPipelineId = (organization: Organization): number | undefined =>
  organization.pipelines.find(({ isDefault }) => isDefault)?.id;

/** The stage where new leads of a pipeline start (`isDefault`), if it has an active one. */
export const startingStage = (organization: Organization, pipelineId: number | undefined): Stage | undefined =>
  organization.stages.find((stage) => stage.pipelineId === pipelineId && stage.isDefault && stage.active);

/** Where a request wants a lead (contract, sections 4.2 and 4.5). */
export interface RequestedPlace {
  readonly stageId?: number | undefined;
  readonly pipelineId?: number | undefined;
}

/**
 * The stage of a lead that is created or moved (contract, section 3): the stage asked for, which names its pipeline; else the starting
 * stage of the pipeline asked for, or of the default one. Undefined when refused: the problems then hold the reason.
 * @param current the stage of a lead that stays where it is although the stage is no longer active
 */
export function placeLead(
  organization: Organization,
  { stageId, pipelineId }: RequestedPlace,
  issues: FieldIssues,
  current?: number,
): Stage | undefined {
  if (pipelineId !== undefined && !organization.pipelineById.has(pipelineId)) {
    issues.add('pipelineId', new FieldIssue("is not one of the organization's pipelines.", 'PIPELINE_NOT_FOUND'));
    return undefined;
  }
  if (stageId !== undefined) return askedStage(organization, stageId, pipelineId, issues, current);
  const stage = startingStage(organization, pipelineId ?? defaultPipelineId(organization));
  if (!stage) {
    const field = pipelineId === undefined ? 'stageId' : 'pipelineId';
    const sentence =
      pipelineId === undefined
        ? 'is needed: there is no default pipeline with an active starting stage.'
        : 'has no active starting stage.';
    issues.add(field, new FieldIssue(sentence, 'NO_STARTING_STAGE'));
  }
  return stage;
}

function askedStage(
  organization: Organization,
  stageId: number,
  pipelineId: number | undefined,
  issues: FieldIssues,
  current: number | undefined,
): Stage | undefined {
  const stage = organization.stageById.get(stageId);
  const refuse = (sentence: string, reason: string): undefined =>
    issues.add('stageId', new FieldIssue(sentence, reason)) as undefined;
  if (!stage) return refuse("is not one of the organization's stages.", 'STAGE_NOT_FOUND');
  if (pipelineId !== undefined && stage.pipelineId !== pipelineId) {
    return refuse(`is a stage of pipeline ${stage.pipelineId}, not of ${pipelineId}.`, 'STAGE_NOT_IN_PIPELINE');
  }
  if (!stage.active && stageId !== current) return refuse('is a stage that is no longer active.', 'STAGE_NOT_ACTIVE');
  return stage;
}
