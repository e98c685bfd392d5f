import type { Organization, Stage } from '../organization/organization.ts';

/** The default pipeline's id, where the organization has one. */
export const defaultPipelineId = (organization: Organization): number | undefined =>
  organization.pipelines.find(({ isDefault }) => isDefault)?.id;

/** The stage where new leads of a pipeline start (`isDefault`), if it has an active one. */
export const startingStage = (organization: Organization, pipelineId: number | undefined): Stage | undefined =>
  organization.stages.find((stage) => stage.pipelineId === pipelineId && stage.isDefault && stage.active);
