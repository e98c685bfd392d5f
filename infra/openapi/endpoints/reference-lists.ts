import * as v from 'valibot';
import type { EndpointName } from '../../../shared/contract/endpoints.ts';
import { activeFields } from '../../../shared/leads/fields.ts';
import {
  presentField,
  presentNamed,
  presentPipeline,
  presentStage,
} from '../../../shared/leads/reference-lists.ts';
import { id } from '../../../shared/middleware/schemas.ts';
import { fieldTypes } from '../../../shared/organization/field-kinds.ts';
import type { OperationDescription } from '../endpoint-description.ts';
import { described } from '../error-schemas.ts';
import { demo } from '../examples.ts';
import { meaning, namedRef } from '../response-schemas.ts';

const order = v.pipe(v.number(), v.integer());

const stage = v.strictObject({
  ...namedRef.entries,
  slug: v.string(),
  order: described(order, 'Position within its pipeline.'),
  meaning,
  isDefault: described(v.boolean(), 'True when new leads of its pipeline start here.'),
  pipelineId: described(id, 'The pipeline that the stage belongs to.'),
});
const pipeline = v.strictObject({
  ...namedRef.entries,
  order,
  isDefault: described(
    v.boolean(),
    'New leads go into the default pipeline unless the request names a pipeline or a stage of another pipeline.',
  ),
});
const leadField = v.strictObject({
  key: described(v.string(), 'The key of the field inside `fields`.'),
  label: v.string(),
  type: v.picklist(fieldTypes),
  section: v.string(),
  storage: described(
    v.picklist(['column', 'custom']),
    '`column`: built in. `custom`: created by the organization.',
  ),
  options: described(
    v.array(v.strictObject({ value: v.string(), label: v.string() })),
    'For select and multiselect fields. Requests send the `value`.',
  ),
  requiredOnCreate: v.boolean(),
  requiredOnEdit: v.boolean(),
  showWhen: described(
    v.nullable(v.strictObject({ field: v.string(), equals: v.array(v.string()) })),
    'The field applies only when another field has one of the listed values.',
  ),
});

const listOf = <const Item extends v.GenericSchema>(item: Item) =>
  v.strictObject({ items: v.array(item) });

/** The schemas of the lists and their items, by their names in the document. */
export const listComponents = {
  LeadField: leadField,
  Stage: stage,
  Pipeline: pipeline,
  LeadFieldList: listOf(leadField),
  StageList: listOf(stage),
  PipelineList: listOf(pipeline),
  NamedRefList: listOf(namedRef),
};

/**
 * @param about what the list contains, then further sentences
 * @param items the first of them are the example: enough to see their shape
 */
const list = <Schema extends v.GenericSchema>(
  summary: string,
  schema: Schema,
  [contents, ...more]: readonly [contents: string, ...more: string[]],
  items: readonly unknown[],
) => ({
  tag: 'Reference lists' as const,
  summary,
  description: [`Returns ${contents}.`, ...more].join(' '),
  responses: {
    200: {
      description: `${contents[0]?.toUpperCase()}${contents.slice(1)}.`,
      schema,
      examples: { 'some items': { items: items.slice(0, 3) } },
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
    'List the active lead fields',
    listComponents.LeadFieldList,
    [
      "the organization's active fields, custom fields included, in form order",
      'A new custom field appears, and is accepted, immediately.',
    ],
    fields,
  ),
  'list-lead-stages': list(
    'List the active stages of every pipeline',
    listComponents.StageList,
    ["the active stages of every pipeline, in pipeline order, each pipeline's stages in order"],
    demo.stages.map(presentStage),
  ),
  'list-pipelines': list(
    'List the pipelines',
    listComponents.PipelineList,
    [
      'the pipelines, in pipeline order',
      'A pipeline is a separate track for leads with its own stages.',
    ],
    demo.pipelines.map(presentPipeline),
  ),
  'list-lead-sources': list(
    'List the active lead sources',
    listComponents.NamedRefList,
    ['the active sources, by name'],
    presentNamed(demo.sources),
  ),
  'list-users': list(
    'List the active users',
    listComponents.NamedRefList,
    ['the active users, by name', 'Only names, no contact details.'],
    presentNamed(demo.users),
  ),
} satisfies Partial<Record<EndpointName, OperationDescription>>;
