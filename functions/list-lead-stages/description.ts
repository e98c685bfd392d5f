import * as v from 'valibot';
import { described } from '../../infra/openapi/error-schemas.ts';
import { demo } from '../../infra/openapi/examples.ts';
import { listOf, referenceList } from '../../infra/openapi/reference-list.ts';
import { meaning, namedRef, order, schemaOf } from '../../infra/openapi/response-schemas.ts';
import type { Stage } from '../../shared/contract/types.ts';
import { presentStage } from '../../shared/leads/reference-lists.ts';
import { id } from '../../shared/middleware/schemas.ts';

const stage = schemaOf<Stage>()(
  v.strictObject({
    ...namedRef.entries,
    slug: v.string(),
    order: described(order, 'Position within its pipeline.'),
    meaning,
    isDefault: described(v.boolean(), 'True when new leads of its pipeline start here.'),
    pipelineId: described(id, 'The pipeline that the stage belongs to.'),
  }),
);
const stages = listOf(stage);

export const description = referenceList<'lead-stages'>({
  summary: 'List the active stages of every pipeline',
  contents:
    "the active stages of every pipeline, in pipeline order, each pipeline's stages in order",
  schema: stages,
  schemas: { Stage: stage, StageList: stages },
  items: demo.stages.map(presentStage),
});
