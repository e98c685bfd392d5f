import * as v from 'valibot';
import type { Lead, NamedRef, StageRef } from '../../shared/contract/types.ts';
import { id } from '../../shared/middleware/schemas.ts';
import { builtIns } from '../../shared/organization/built-in-fields.ts';
import { stageMeanings } from '../../shared/organization/settings-schema.ts';
import { described, detailSchemas } from './error-schemas.ts';

/**
 * Schemas of objects that several endpoints return (contract, section 2). They are not in the handlers, because no function uses them, and
 * they would only lengthen its cold start. The integration tests check every response against its schema.
 */

type ReadOnly<T> = { readonly [Key in keyof T]: ReadOnly<T[Key]> };
type IsSame<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** A schema for a type in `shared/contract/types.ts`. The compiler rejects a schema that does not match the type exactly. */
export const schemaOf =
  <Type>() =>
  <const Schema extends v.GenericSchema>(
    schema: IsSame<ReadOnly<v.InferOutput<Schema>>, ReadOnly<Type>> extends true ? Schema : never,
  ): Schema =>
    schema;

export const dateTime = v.pipe(v.string(), v.isoTimestamp());

const fieldValue = described(
  v.union([v.string(), v.number(), v.boolean(), v.array(v.string()), v.null()]),
  "A field's value. Its type depends on the field's type.",
);

export const order = v.pipe(v.number(), v.integer());
export const namedRef = schemaOf<NamedRef>()(v.strictObject({ id, name: v.string() }));
export const meaning = described(
  v.picklist(stageMeanings),
  'What reaching the stage means in this organization.',
);
const stageRef = schemaOf<StageRef>()(v.strictObject({ ...namedRef.entries, meaning }));
export const lead = schemaOf<Lead>()(
  v.strictObject({
    id,
    name: v.string(),
    phone: described(v.string(), 'Unique per organization, in E.164 form.'),
    email: described(v.nullable(v.string()), 'Unique per organization, ignoring case.'),
    leadType: v.picklist(builtIns.lead_type.options.map(({ value }) => value)),
    stageId: v.nullable(id),
    pipelineId: described(id, "The pipeline of the lead's stage."),
    sourceId: v.nullable(id),
    assignedTo: described(v.nullable(id), "The owner's user ID."),
    stage: v.nullable(stageRef),
    pipeline: v.nullable(namedRef),
    source: v.nullable(namedRef),
    owner: v.nullable(namedRef),
    fields: described(
      v.record(v.string(), fieldValue),
      'Every other active field by field key, custom fields included. Empty fields are omitted.',
    ),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
);
export const leadResponse = v.strictObject({ lead });

/** The shared schemas that have a name in the document. Single endpoints and errors have further ones. */
export const sharedSchemas = {
  Lead: lead,
  StageRef: stageRef,
  NamedRef: namedRef,
  FieldValue: fieldValue,
  LeadResponse: leadResponse,
  ...detailSchemas,
};
