import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { body as noteBody } from '../../../functions/add-note/handler.ts';
import { body as captureBody } from '../../../functions/capture-lead/handler.ts';
import { body as createBody } from '../../../functions/create-lead/handler.ts';
import { query } from '../../../functions/list-leads/handler.ts';
import { body as updateBody } from '../../../functions/update-lead/handler.ts';
import { fieldReasonNames } from '../../../infra/openapi/error-schemas.ts';
import { ApiError } from '../../../shared/contract/errors.ts';
import { readCapture } from '../../../shared/leads/capture.ts';
import { activeFields, FieldIssues, readFields } from '../../../shared/leads/fields.ts';
import { fingerprintOf } from '../../../shared/leads/idempotency.ts';
import { readPhone } from '../../../shared/leads/identity.ts';
import { refusalsOf } from '../../../shared/middleware/input.ts';
import { placedAnywhere } from '../../support/generated/hostile.ts';
import { sampleOrganization } from '../../support/settings.ts';

const organization = sampleOrganization();
const person = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
const fieldKeys = activeFields(organization).map(({ key }) => key);
const fields = placedAnywhere(
  fc.constant({ course: 'mba', interests: ['loan'], budget: 7 }),
  fieldKeys,
);

/** Reads a body as its endpoint does. @throws what the endpoint would */
type Read = (body: unknown) => void;
const readValues: Read = (values) => {
  const issues = new FieldIssues();
  readFields(
    organization,
    values as Parameters<typeof readFields>[1],
    activeFields(organization),
    issues,
  );
  issues.throwIfAny();
};
const endpoints: [name: string, schema: v.GenericSchema, good: object, read: Read][] = [
  [
    'create-lead',
    createBody,
    { fields: person, stageId: 11, pipelineId: 1 },
    (body) => readValues((body as { fields: object }).fields),
  ],
  [
    'update-lead',
    updateBody,
    { stageId: 11 },
    (body) => readValues((body as { fields?: object }).fields ?? {}),
  ],
  ['add-note', noteBody, { text: 'Called.' }, () => undefined],
  [
    'capture-lead',
    captureBody,
    { ...person, source: 'Website', notes: 'x', attribution: { pageUrl: 'https://example.com' } },
    (body) => {
      fingerprintOf(body);
      const request = body as Parameters<typeof readCapture>[1];
      readCapture(organization, request, readPhone(request.phone).phone);
    },
  ],
];

test.each(endpoints)(
  'any JSON anywhere in a body of %s is read, or refused with a sentence and a reason',
  (name, schema, good, read) => {
    const ownNames = [...Object.keys(good), 'fields', 'attribution', 'externalId', 'pipelineId'];
    const inFields =
      name === 'add-note' ? [] : [fields.map((values) => ({ ...good, fields: values }))];
    const body = fc.oneof(placedAnywhere(fc.constant(good), ownNames), ...inFields);
    fc.assert(
      fc.property(body, (sent) => {
        const { success, output, issues } = v.safeParse(schema, sent);
        if (!success)
          return [...refusalsOf(issues).values()].every(
            ({ reason, sentence }) => fieldReasonNames.includes(reason) && /[.?]$/.test(sentence),
          );
        try {
          read(output);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          const { fields, reasons } = (error as ApiError).details as Record<string, object>;
          expect(Object.keys(reasons!)).toEqual(Object.keys(fields!));
          expect(fieldReasonNames).toEqual(expect.arrayContaining(Object.values(reasons!)));
        }
        return true;
      }),
      { numRuns: 1500 },
    );
  },
);

test.each([
  ['updated_since', '2026-11-20T10:00:00', 'must be a date-time'],
  ['updated_since', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'], 'is given more than once.'],
  ['filter', '{}', 'must be a JSON array'],
  ['limit', '101', 'must be an integer from 1 to 100.'],
  ['cursor', '2147483648', 'must be an integer from 1 to 2147483647.'],
  ['stage_id', '1.5', 'must be an integer from 1 to 2147483647.'],
])('%s=%j is refused, with what it must be', (name, value, sentence) => {
  const { issues } = v.safeParse(query, { [name]: value });

  expect(issues && refusalsOf(issues).get(name)?.sentence).toMatch(sentence);
});

const noId = ['0', '-1', '2147483648', '1.5', 'abc', '', ' 1', '01', '１', '9'.repeat(400)];
const ids = ['cursor', 'stage_id', 'pipeline_id', 'source_id', 'owner_id'];
const issuesOf = (given: object) => v.safeParse(query, given).issues;

test.each<readonly [string, string]>([
  ...['0', '101', '-1', '1.5', 'abc', '', ' 1', '025'].map((value) => ['limit', value] as const),
  ...ids.flatMap((name) => noId.map((value) => [name, value] as const)),
  ...['', '2026-01-31', '2026-02-30T00:00:00Z', '2026-01-31T09:30:00 05:30'].map(
    (value) => ['updated_since', value] as const,
  ),
  ...['', '{', '{}', 'null', '"name"', '[]]', `[]${' '.repeat(7999)}`].map(
    (value) => ['filter', value] as const,
  ),
])('the parameter $0=$1 is refused', (name, value) => {
  expect([...refusalsOf(issuesOf({ [name]: value })!).keys()]).toEqual([name]);
});

test.each<readonly [string, string]>([
  ...['1', '25', '100'].map((value) => ['limit', value] as const),
  ...ids.flatMap((name) => ['1', '2147483647'].map((value) => [name, value] as const)),
  ['updated_since', '2026-01-31T09:30:00.5+05:30'] as const,
  ...['[]', `[]${' '.repeat(7998)}`].map((value) => ['filter', value] as const),
])('the parameter %s=%s is accepted', (name, value) => {
  expect(issuesOf({ [name]: value })).toBeUndefined();
});
