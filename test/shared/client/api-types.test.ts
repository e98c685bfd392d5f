import type * as v from 'valibot';
import { expect, expectTypeOf, test } from 'vitest';
import type { body as newNote } from '../../../functions/add-note.ts';
import type { body as captureRequest } from '../../../functions/capture-lead.ts';
import type { body as createLeadRequest } from '../../../functions/create-lead.ts';
import type { query as leadListQuery } from '../../../functions/list-leads.ts';
import type { body as updateLeadRequest } from '../../../functions/update-lead.ts';
import type { listDescriptions } from '../../../infra/openapi/endpoints/reference-lists.ts';
import type { DetailsByCode, detailSchemas } from '../../../infra/openapi/error-schemas.ts';
import type { schemaComponents } from '../../../infra/openapi/response-schemas.ts';
import type * as api from '../../../shared/client/api-types.ts';
import { LeadClient } from '../../../shared/client/client.ts';
import type { ApiErrors } from '../../../shared/client/errors.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import { document, type Json } from '../../support/described.ts';
import { goodRequests } from '../../support/requests.ts';
import { stubService } from './stub-service.ts';

/** The client's types are written by hand. The compiler compares them here with the schemas of the service. */

type ReadOnly<T> = { readonly [Key in keyof T]: ReadOnly<T[Key]> };
type OutputOf<Schema extends v.GenericSchema> = ReadOnly<v.InferOutput<Schema>>;

test('the responses of the client are those of the schemas', () => {
  type Named = Omit<typeof schemaComponents, keyof typeof detailSchemas>;
  type OfSchemas = { [Name in keyof Named]: OutputOf<Named[Name]> };

  expectTypeOf<OfSchemas>().toEqualTypeOf<{
    Lead: api.Lead;
    StageRef: api.StageRef;
    NamedRef: api.NamedRef;
    Note: api.Note;
    CaptureResult: api.CaptureResult;
    FieldValue: api.FieldValue;
    LeadResponse: api.LeadResponse;
    LeadPage: api.LeadPage;
    CaptureResponse: api.CaptureResponse;
    NoteResponse: api.NoteResponse;
  }>();
});

type Lists = typeof listDescriptions;
type MethodOf<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<MethodOf<Rest>>}`
  : Name;

test('each list of the client is that of its schema', () => {
  type OfSchemas = {
    [Name in keyof Lists]: OutputOf<Lists[Name]['responses'][200]['schema']>['items'];
  };

  expectTypeOf<OfSchemas>().toEqualTypeOf<{
    [Name in keyof Lists]: Awaited<ReturnType<LeadClient[MethodOf<Name>]>>;
  }>();
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

test.each(goodRequests)('the method of $name sends its request', async ({ name, request }) => {
  const { fetch, requests } = stubService(() => ({ body: { lead: {}, note: {}, items: [] } }));
  const client = new LeadClient({ baseUrl: 'https://leads.example.com', apiKey: 'k', fetch });
  const { leadId, body } = request(5);
  const method = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const sent = name === 'add-note' ? 'Called back.' : body;

  await (client as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>)[method]!(
    ...[leadId, sent].filter((value) => value !== undefined),
  );

  const endpoint = endpoints.find((one) => one.name === name)!;
  const path = endpoint.path.replace('{leadId}', '5');
  expect(requests).toMatchObject([
    { method: endpoint.method, url: `https://leads.example.com${path}`, body },
  ]);
});
