import * as v from 'valibot';
import { described } from '../../infra/openapi/error-schemas.ts';
import { demo } from '../../infra/openapi/examples.ts';
import { listOf, referenceList } from '../../infra/openapi/reference-list.ts';
import { namedRef, order, schemaOf } from '../../infra/openapi/response-schemas.ts';
import type { Pipeline } from '../../shared/contract/types.ts';
import { presentPipeline } from '../../shared/leads/reference-lists.ts';

const pipeline = schemaOf<Pipeline>()(
  v.strictObject({
    ...namedRef.entries,
    order,
    isDefault: described(
      v.boolean(),
      'New leads go into the default pipeline unless the request names a pipeline or a stage of another pipeline.',
    ),
  }),
);
const pipelines = listOf(pipeline);

export const description = referenceList<'pipelines'>({
  summary: 'List the pipelines',
  contents: 'the pipelines, in pipeline order',
  more: 'A pipeline is a separate track for leads with its own stages.',
  schema: pipelines,
  schemas: { Pipeline: pipeline, PipelineList: pipelines },
  items: demo.pipelines.map(presentPipeline),
});
