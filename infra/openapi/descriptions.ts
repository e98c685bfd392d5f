import type { EndpointName } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';

/** What the document says to people (contract, sections 1, 4, 5 and 8). Every parameter and body property has its sentence here. */

const hours = limits.windowMs / 3_600_000;

export const introduction = `
Server-to-server access to the sales leads of one organization: list, read, create and update leads, add notes to their timeline,
capture enquiries from website forms, and read the lists that describe leads.

## API keys

Every request carries \`Authorization: Bearer <API_KEY>\`, over HTTPS, from a server: there are no CORS headers, on purpose.
A key belongs to one organization and may use only the scopes it was given. A key that was ever sent in a URL or over plain HTTP is
treated as leaked: revoke it and create a new one. What is changed with a key appears on the lead's timeline as made via the API by the
person who created the key.

| Scope | Grants |
|---|---|
| \`leads.read\` | Leads with every field, and the lists of fields, stages, pipelines, sources, people. |
| \`leads.write\` | Create leads, change fields, stage and owner, add notes, capture. Brings \`leads.read\` with it. |
| \`leads.capture\` | Capture from a website or form, and the field list. Nothing else. |

## Limits

${limits.requestsPerKeyPerWindow} requests per key and ${limits.requestsPerOrganizationPerWindow} per organization, in windows of ${hours} hour. The \`RateLimit-*\` headers stand on every response once the key has been checked;
a 429 names the seconds to wait in \`Retry-After\`. A request body has at most ${limits.bodyMaxBytes} bytes.

## Errors

Every error has the same body, with a stable \`code\` and a \`message\` for people. HTTPS, the address, and the size, type and syntax of a body
are checked before the key; everything else after it. An address that is not an endpoint answers 404 \`NOT_FOUND\`.
Every response carries an \`X-Request-Id\`, to quote to support.
`.trim();

export const tags = {
  Leads: 'List, read, create and change leads.',
  Capture: "Enquiries from website and landing-page forms, sent by the website's server.",
  'Reference lists': 'The lists that describe leads: fields, stages, pipelines, sources, people.',
} as const;

/** What an endpoint's operation says. */
export interface OperationDescription {
  readonly tag: keyof typeof tags;
  readonly description: string;
  /** Path, query and header parameters by name. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Body properties by name, those of an object inside it by path. */
  readonly body?: Readonly<Record<string, string>>;
}

const leadId = { leadId: "The lead's ID. Anything that is no ID of a lead answers 404." };
const fieldKeys = 'by field key; an unknown key is refused, and the valid ones are listed.';

export const operationDescriptions: Readonly<Record<EndpointName, OperationDescription>> = {
  'list-leads': {
    tag: 'Leads',
    description:
      'Returns leads of the organization, newest first, one page at a time. Archived leads are left out. Parameters that are not known are refused, not ignored.',
    parameters: {
      limit: 'The most leads that a page holds.',
      cursor: 'The `nextCursor` of the previous page.',
      updated_since: 'Only leads changed at or after this time, given with an offset or `Z`. A `+` is written `%2B`.',
      stage_id: 'Only leads in this stage.',
      pipeline_id: 'Only leads in this pipeline.',
      source_id: 'Only leads from this source.',
      owner_id: 'Only leads owned by this user.',
    },
  },
  'create-lead': {
    tag: 'Leads',
    description:
      "Creates a lead by the organization's field rules: `name` and `phone` are always required, plus any field the organization requires on create. A retry of the same lead answers 409 with the ID of the existing one.",
    body: {
      fields: `Values ${fieldKeys} \`source\` takes a source ID, \`assigned_to\` a user ID; without an owner, the organization's assignment rules choose one.`,
      stageId: "Default: the starting stage of the lead's pipeline. A stage names its own pipeline.",
      pipelineId: "Default: the organization's default pipeline. With `stageId`, the stage must be one of this pipeline's.",
    },
  },
  'capture-lead': {
    tag: 'Capture',
    description: [
      'Records an enquiry. A lead matches by phone, else by email, ignoring case:',
      '- no match: a new lead in the starting stage, with an owner from the assignment rules (201);',
      '- a lead: only its empty fields are filled; differing values are kept and listed on its timeline; owner, stage and pipeline stay (200);',
      '- an archived lead: nothing is changed, the enquiry is noted on its timeline (200 with `archived`, and no `Location`).',
      '',
      `A repeat with the same \`Idempotency-Key\` or \`externalId\` within ${limits.idempotencyHours} hours returns the first result without capturing again; with a different body it answers 422.`,
    ].join('\n'),
    parameters: {
      'Idempotency-Key': `1 to ${limits.idempotencyKeyMaxChars} plain-ASCII characters, remembered per API key for ${limits.idempotencyHours} hours.`,
    },
    body: {
      name: "The person's name.",
      phone: 'With country code; a number without one is read as an Indian number. Used with the email to find an existing lead.',
      email: 'Used to find an existing lead when the phone matches none.',
      source: "Name of one of the organization's active sources, case ignored. Default, and for any other name: `Website`.",
      pipelineId: "For a new lead only: the pipeline it starts in. Default: the organization's default pipeline.",
      notes: "Shown on the lead's timeline with this enquiry.",
      fields: `Values ${fieldKeys} Dropdowns take an option's value or label; numbers, dates (\`YYYY-MM-DD\`) and yes/no values are parsed.`,
      attribution: "Where the enquiry came from, shown on the lead's timeline.",
      'attribution.pageUrl': 'Full address of the page with its query string.',
      'attribution.pageTitle': 'Title of the page.',
      'attribution.referrer': 'Page the visitor came from.',
      'attribution.utmSource': 'The `utm_source` of the visit.',
      'attribution.utmMedium': 'The `utm_medium` of the visit.',
      'attribution.utmCampaign': 'The `utm_campaign` of the visit.',
      'attribution.utmTerm': 'The `utm_term` of the visit.',
      'attribution.utmContent': 'The `utm_content` of the visit.',
      'attribution.formName': 'Which form or button on the site.',
      externalId: "The website's own ID of the enquiry. Same effect as `Idempotency-Key`, per API key.",
    },
  },
  'get-lead': { tag: 'Leads', description: 'Returns one lead. An archived lead answers 404.', parameters: leadId },
  'update-lead': {
    tag: 'Leads',
    description:
      "Changes only what is sent, checked with the organization's field rules, all or nothing. Every change is recorded on the lead's timeline as made via the API.",
    parameters: leadId,
    body: {
      fields: `Only the fields to change, ${fieldKeys} null clears a field.`,
      stageId: 'A stage of another pipeline moves the lead into that pipeline.',
      pipelineId: 'Moves the lead to this pipeline, at `stageId` (one of its stages) or at its starting stage.',
    },
  },
  'add-note': {
    tag: 'Leads',
    description: "Adds a note to the lead's timeline, shown as added via the API.",
    parameters: leadId,
    body: { text: 'The note.' },
  },
  'list-lead-fields': {
    tag: 'Reference lists',
    description:
      "The organization's active fields, custom ones included, in form order. New custom fields appear at once and are accepted straight away.",
  },
  'list-lead-stages': {
    tag: 'Reference lists',
    description: "Active stages of every pipeline, in pipeline order, each pipeline's stages in order.",
  },
  'list-pipelines': {
    tag: 'Reference lists',
    description: 'The pipelines, in pipeline order. A pipeline is a separate track for leads with its own stages.',
  },
  'list-lead-sources': { tag: 'Reference lists', description: 'Active sources, by name.' },
  'list-users': { tag: 'Reference lists', description: 'Active people, by name; names only, no contact details.' },
};
