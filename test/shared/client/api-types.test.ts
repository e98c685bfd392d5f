import type * as v from 'valibot';
import { expect, expectTypeOf, test } from 'vitest';
import type { body as newNote } from '../../../functions/add-note/handler.ts';
import type { body as captureRequest } from '../../../functions/capture-lead/handler.ts';
import type { body as createLeadRequest } from '../../../functions/create-lead/handler.ts';
import type { query as leadListQuery } from '../../../functions/list-leads/handler.ts';
import type { body as updateLeadRequest } from '../../../functions/update-lead/handler.ts';
import type { DetailsByCode, detailSchemas } from '../../../infra/openapi/error-schemas.ts';
import type { LeadClient } from '../../../shared/client/client.ts';
import type { ApiErrors } from '../../../shared/client/errors.ts';
import type { endpoints } from '../../../shared/contract/endpoints.ts';
import type { ErrorCode } from '../../../shared/contract/errors.ts';
import type * as api from '../../../shared/contract/types.ts';
import { document, type Json } from '../../support/described.ts';

/** The compiler compares the contract's types with the schemas that read requests. Schemas of responses are compared where they are (`schemaOf`). */

type ReadOnly<T> = { readonly [Key in keyof T]: ReadOnly<T[Key]> };
type OutputOf<Schema extends v.GenericSchema> = ReadOnly<v.InferOutput<Schema>>;

type MethodOf<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<MethodOf<Rest>>}`
  : Name;

test('each endpoint is a method of the client', () => {
  expectTypeOf<MethodOf<(typeof endpoints)[number]['name']>>().toExtend<keyof LeadClient>();
});

test('the requests of the client are those of the functions', () => {
  expectTypeOf<api.CreateLeadRequest>().toEqualTypeOf<OutputOf<typeof createLeadRequest>>();
  expectTypeOf<api.CaptureRequest>().toEqualTypeOf<OutputOf<typeof captureRequest>>();
  expectTypeOf<api.UpdateLeadRequest>().toEqualTypeOf<OutputOf<typeof updateLeadRequest>>();
  expectTypeOf<{ readonly text: string }>().toEqualTypeOf<OutputOf<typeof newNote>>();
  expectTypeOf<keyof api.LeadListQuery>().toEqualTypeOf<
    keyof v.InferOutput<typeof leadListQuery>
  >();
});

test('the filters of the client are those of the API description', () => {
  const operators = {
    'a filter without a value': ['is_empty', 'is_not_empty', 'is_true', 'is_false'],
    value: ['contains', 'equals', 'gt', 'lt', 'on', 'before', 'after'],
    'two values': ['between'],
    values: ['is_any_of', 'has_any_of'],
  } as const;
  type Operator = (typeof operators)[keyof typeof operators][number];
  expectTypeOf<api.LeadFilter['operator']>().toEqualTypeOf<Operator>();

  const { oneOf } = (document.components.schemas as Record<string, Json>).LeadFilter as {
    oneOf: { properties: { operator: { enum: string[] } } }[];
  };
  expect(oneOf.map(({ properties }) => properties.operator.enum)).toEqual(Object.values(operators));
});

test('the details of the client’s errors are those of the schemas', () => {
  type OfSchemas = {
    [Code in ErrorCode]: Code extends keyof DetailsByCode
      ?
          | OutputOf<(typeof detailSchemas)[DetailsByCode[Code]['schema']]>
          | (DetailsByCode[Code]['always'] extends true ? never : undefined)
      : undefined;
  };

  expectTypeOf<ApiErrors>().toEqualTypeOf<OfSchemas>();
});
