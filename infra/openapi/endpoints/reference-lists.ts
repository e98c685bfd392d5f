import { activeFields } from '../../../shared/leads/fields.ts';
import {
  presentField,
  presentNamed,
  presentPipeline,
  presentStage,
} from '../../../shared/leads/reference-lists.ts';
import type { DescribedResponse, EndpointDescriptions } from '../endpoint-description.ts';
import { demo } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

/** The description of a list. The example has its first items, enough to see their shape. */
const list = (
  schema: DescribedResponse['schema'],
  exampleName: string,
  items: readonly unknown[],
  texts: { readonly description: string; readonly items: string },
) =>
  ({
    tag: 'Reference lists',
    description: texts.description,
    responses: {
      200: {
        description: texts.items,
        schema,
        examples: { [exampleName]: { items: items.slice(0, 3) } },
      },
    },
    errors: {},
  }) as const;

/** One field of each kind: built in, with options, with a condition. */
const fields = activeFields(demo)
  .filter(({ key }) => ['phone', 'course', 'work_experience'].includes(key))
  .map(presentField);

export const listDescriptions = {
  'list-lead-fields': list(schemaComponents.LeadFieldList, 'some fields', fields, {
    description:
      "Returns the organization's active fields, custom fields included, in form order. A new custom field appears, and is accepted, immediately.",
    items: 'The active fields, in form order.',
  }),
  'list-lead-stages': list(
    schemaComponents.StageList,
    'some stages',
    demo.stages.map(presentStage),
    {
      description:
        "Returns the active stages of every pipeline, in pipeline order, each pipeline's stages in order.",
      items: "The active stages, in pipeline order, each pipeline's stages in order.",
    },
  ),
  'list-pipelines': list(
    schemaComponents.PipelineList,
    'pipelines',
    demo.pipelines.map(presentPipeline),
    {
      description:
        'Returns the pipelines, in pipeline order. A pipeline is a separate track for leads with its own stages.',
      items: 'The pipelines, in pipeline order.',
    },
  ),
  'list-lead-sources': list(
    schemaComponents.NamedRefList,
    'some sources',
    presentNamed(demo.sources),
    {
      description: 'Returns the active sources, by name.',
      items: 'The active sources, by name.',
    },
  ),
  'list-users': list(schemaComponents.NamedRefList, 'some users', presentNamed(demo.users), {
    description: 'Returns the active users, by name. Only names, no contact details.',
    items: 'The active users, by name.',
  }),
} satisfies Partial<EndpointDescriptions>;
