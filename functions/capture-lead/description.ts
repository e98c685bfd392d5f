import * as v from 'valibot';
import type { OperationDescription } from '../../infra/openapi/endpoint-description.ts';
import { described, optional } from '../../infra/openapi/error-schemas.ts';
import { createdLead, demo, fieldKeys, refusedBy } from '../../infra/openapi/examples.ts';
import { schemaOf } from '../../infra/openapi/response-schemas.ts';
import { errorBody } from '../../shared/contract/errors.ts';
import { limits } from '../../shared/contract/limits.ts';
import type { CaptureResult } from '../../shared/contract/types.ts';
import { readCapture } from '../../shared/leads/capture.ts';
import { replayOf } from '../../shared/leads/idempotency.ts';
import { id } from '../../shared/middleware/schemas.ts';

const captureResult = schemaOf<CaptureResult>()(
  v.strictObject({
    id,
    created: described(v.boolean(), 'True when a new lead was created.'),
    updated: described(
      v.boolean(),
      'True when an existing lead had at least one empty field filled.',
    ),
    archived: optional(
      v.literal(true),
      'Present when the capture matched an archived lead, which stays unchanged.',
    ),
  }),
);
const captured = v.strictObject({ lead: captureResult });
const result = (different: object) => ({
  lead: { id: createdLead.id, created: false, updated: false, ...different },
});
const person = { name: 'Ananya Kulkarni', phone: '+919822012345' };
const recorded = {
  fingerprint: 'one',
  result: { id: createdLead.id, created: true, updated: false },
  expiresAt: 0,
};

export const description: OperationDescription = {
  tag: 'Capture',
  summary: 'Capture a lead from a website form',
  description: `Records an enquiry. A lead matches by phone, else by email, ignoring case:
- no match: creates a lead in the starting stage, with an owner from the assignment rules (201);
- a lead: fills only its empty fields, and lists differing values on its timeline; owner, stage and pipeline stay the same (200);
- an archived lead: changes nothing, and records the enquiry on its timeline (200 with \`archived\`, without \`Location\`).

A repeat with the same \`Idempotency-Key\` or \`externalId\` within ${limits.idempotencyHours} hours returns the first result without capturing again. With a different body it returns 422.`,
  parameters: {
    'Idempotency-Key': [
      `1 to ${limits.idempotencyKeyMaxChars} printable ASCII characters, kept per API key for ${limits.idempotencyHours} hours.`,
      'form-7-000183',
    ],
  },
  bodyName: 'CaptureRequest',
  body: {
    name: "The person's name.",
    phone:
      'With country code. A number without one is read as an Indian number, and refused if India has no such number. A label (`Mob.`, `tel:`, `wa.me/`), decimals of a spreadsheet and an extension are dropped. Two numbers in one text are refused. Used with the email to find an existing lead.',
    email: 'Used to find an existing lead when the phone matches none.',
    source:
      "The name of one of the organization's active sources, ignoring case. Default, and for any other name: `Website`.",
    pipelineId:
      "For a new lead only: the pipeline it starts in. Default: the organization's default pipeline.",
    notes: "Shown on the lead's timeline with this enquiry.",
    fields: `Values ${fieldKeys} A dropdown's value is an option's value or label. Numbers, dates (\`YYYY-MM-DD\`) and yes/no values are parsed.`,
    attribution: "Where the enquiry came from, shown on the lead's timeline.",
    'attribution.pageUrl': 'Full address of the page with its query string.',
    'attribution.pageTitle': 'Title of the page.',
    'attribution.referrer': 'The page that the visitor came from.',
    'attribution.utmSource': 'The `utm_source` of the visit.',
    'attribution.utmMedium': 'The `utm_medium` of the visit.',
    'attribution.utmCampaign': 'The `utm_campaign` of the visit.',
    'attribution.utmTerm': 'The `utm_term` of the visit.',
    'attribution.utmContent': 'The `utm_content` of the visit.',
    'attribution.formName': 'The form or button on the site.',
    externalId:
      "The website's own ID of the enquiry. It has the same effect as `Idempotency-Key`, per API key.",
  },
  requests: {
    'an enquiry': {
      name: 'Meera Joshi',
      phone: '098220 67890',
      email: 'meera@example.com',
      source: 'Instagram',
      notes: 'Which intakes are open?',
      fields: { course: 'MBA', work_experience: 4 },
      attribution: {
        pageUrl: 'https://www.example.com/mba?utm_source=instagram',
        pageTitle: 'MBA abroad',
        utmSource: 'instagram',
        formName: 'Enquire now',
      },
      externalId: 'form-7-000183',
    },
    'from a campaign': {
      name: 'Arjun Menon',
      phone: '+91 98220 13579',
      pipelineId: 1,
      attribution: {
        referrer: 'https://www.example.org/rankings',
        utmMedium: 'cpc',
        utmCampaign: 'autumn-intake',
        utmTerm: 'mba in germany',
        utmContent: 'blue-button',
      },
    },
  },
  responses: {
    200: {
      description:
        'The enquiry matched an existing lead: its empty fields were filled, or nothing was changed because the lead is archived.',
      schema: captured,
      headers: ['Location', 'Idempotent-Replayed'],
      examples: {
        'filled in': result({ updated: true }),
        'nothing to fill': result({}),
        archived: result({ id: 3120, archived: true }),
      },
    },
    201: {
      description: 'The enquiry matched no lead, so a lead was created.',
      schema: captured,
      headers: ['Location', 'Idempotent-Replayed'],
      examples: { 'a new lead': result({ created: true }) },
    },
  },
  schemas: { CaptureResult: captureResult, CaptureResponse: captured },
  errors: {
    INVALID_IDEMPOTENCY_KEY: {},
    IDEMPOTENCY_IN_PROGRESS: {},
    VALIDATION_FAILED: {
      'an unknown field': refusedBy(() =>
        readCapture(demo, { ...person, fields: { corse: 'mba' } }, person.phone),
      ),
      'another body': refusedBy(() =>
        replayOf({ keys: [{ value: 'a', givenAs: 'Idempotency-Key' }], fingerprint: 'another' }, [
          recorded,
        ]),
      ),
    },
    NOT_READY: {
      'no stage': errorBody('NOT_READY', 'The organization has no stage for new leads.'),
    },
  },
};
