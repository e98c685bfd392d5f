import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { body as noteBody } from '../../../functions/add-note.ts';
import { body as captureBody } from '../../../functions/capture-lead.ts';
import { body as createBody } from '../../../functions/create-lead.ts';
import { body as updateBody } from '../../../functions/update-lead.ts';
import { fieldReasonNames } from '../../../infra/openapi/error-schemas.ts';
import { ApiError } from '../../../shared/errors.ts';
import { readCapture } from '../../../shared/leads/capture.ts';
import { activeFields, FieldIssues, readFields } from '../../../shared/leads/fields.ts';
import { fingerprintOf } from '../../../shared/leads/idempotency.ts';
import { parsePhone } from '../../../shared/leads/identity.ts';
import { refusalsOf } from '../../../shared/middleware/validate.ts';
import { placedAnywhere } from '../../fuzz/hostile.ts';
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
      readCapture(organization, request, parsePhone(request.phone));
    },
  ],
];

test.each(endpoints)(
  'any JSON in any place of a body of %s is read, or refused with a sentence and a reason for its place',
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
