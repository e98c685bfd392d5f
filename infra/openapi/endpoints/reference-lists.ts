import type { EndpointName } from '../../../shared/endpoints.ts';
import { activeFields } from '../../../shared/leads/fields.ts';
import {
  presentField,
  presentNamed,
  presentPipeline,
  presentStage,
} from '../../../shared/leads/reference-lists.ts';
import type { DescribedResponse, OperationDescription } from '../endpoint-description.ts';
import { demo } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

/** The description of a list, and of its response. The example has its first items, enough to see their shape. */
const list = (
  [description, responseDescription]: readonly [string, string],
  schema: DescribedResponse['schema'],
  exampleName: string,
  items: readonly unknown[],
): OperationDescription => ({
  tag: 'Reference lists',
  description,
  responses: {
    200: {
      description: responseDescription,
      schema,
      examples: { [exampleName]: { items: items.slice(0, 3) } },
    },
  },
  errors: {},
});

/** One field of each kind: built in, with options, with a condition. */
const fields = activeFields(demo)
  .filter(({ key }) => ['phone', 'course', 'work_experience'].includes(key))
  .map(presentField);

export const listDescriptions = {
  'list-lead-fields': list(
    [
      "Returns the organization's active fields, custom fields included, in form order. A new custom field appears, and is accepted, immediately.",
      'The active fields, in form order.',
    ],
    schemaComponents.LeadFieldList,
    'some fields',
    fields,
  ),
  'list-lead-stages': list(
    [
      "Returns the active stages of every pipeline, in pipeline order, each pipeline's stages in order.",
      "The active stages, in pipeline order, each pipeline's stages in order.",
    ],
    schemaComponents.StageList,
    'some stages',
    demo.stages.map(presentStage),
  ),
  'list-pipelines': list(
    [
      'Returns the pipelines, in pipeline order. A pipeline is a separate track for leads with its own stages.',
      'The pipelines, in pipeline order.',
    ],
    schemaComponents.PipelineList,
    'pipelines',
    demo.pipelines.map(presentPipeline),
  ),
  'list-lead-sources': list(
    ['Returns the active sources, by name.', 'The active sources, by name.'],
    schemaComponents.NamedRefList,
    'some sources',
    presentNamed(demo.sources),
  ),
  'list-users': list(
    [
      'Returns the active users, by name. Only names, no contact details.',
      'The active users, by name.',
    ],
    schemaComponents.NamedRefList,
    'some users',
    presentNamed(demo.users),
  ),
} satisfies Partial<Record<EndpointName, OperationDescription>>;
