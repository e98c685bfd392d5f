import { limits } from '../../shared/contract/limits.ts';
import { fieldValueRows } from '../../shared/leads/field-types.ts';
import type { RawValue } from '../../shared/leads/field-values.ts';

const code = (value: RawValue): string => `\`${JSON.stringify(value)}\``;

/** What a request may send for a field of each type, as a table in Markdown. */
const fieldValueTable = [
  '| Field type | Is read | Examples | Refused, with the reason |',
  '|---|---|---|---|',
  ...Object.entries(fieldValueRows).map(([type, { reads, accepted, refused }]) => {
    const refusals = refused.map(([value, reason]) => `${code(value)} \`${reason}\``).join(', ');
    return `| ${type} | ${reads} | ${accepted.map(code).join(', ')} | ${refusals} |`;
  }),
].join('\n');

/** The address of `npm start`. */
export const localBaseUrl = 'http://127.0.0.1:4010';

const hours = limits.windowMs / 3_600_000;

/** The document's introduction (contract, sections 1, 5 and 8). */
export const introduction = `
Server-to-server access to the sales leads of one organization: list, read, create and update leads, add notes to their timelines,
capture enquiries from website forms, and read the lists that describe leads.

## API keys

Send \`Authorization: Bearer <API_KEY>\` with every request, over HTTPS and from a server. Responses have no CORS headers, so browsers
cannot call the API. A key belongs to one organization and may use only its own scopes. If a key was ever sent in a URL or over plain
HTTP, treat it as leaked: revoke it and create a new one. A change made with a key appears on the lead's timeline as made via the API by
the user who created the key.

| Scope | Grants |
|---|---|
| \`leads.read\` | Read leads with every field, and the lists of fields, stages, pipelines, sources and users. |
| \`leads.write\` | Create leads, change fields, stage and owner, add notes, capture. Includes \`leads.read\`. |
| \`leads.capture\` | Capture from a website or form, and read the field list. Nothing else. |

## Limits

A key may send ${limits.requestsPerKeyPerWindow} requests and an organization ${limits.requestsPerOrganizationPerWindow}, in windows of ${hours} hour. The \`RateLimit-*\` headers are on every response after
the key has been checked. A 429 response gives the seconds to wait in \`Retry-After\`. A request body must have at most ${limits.bodyMaxBytes} bytes.

## Errors

Every error has the same body, with a stable \`code\` and a human-readable \`message\`. HTTPS, the address, and the size, type and syntax of
the body are checked before the key, everything else after it. An address that is not an endpoint returns 404 \`NOT_FOUND\`.
Every response has an \`X-Request-Id\`: quote it to support.

\`details\` of \`VALIDATION_FAILED\` has \`fields\`, a sentence for developers by field key or property, and \`reasons\`, a stable reason for programs.
Word the reasons for your visitors yourself; the schema \`FieldReason\` lists them.

## Sending forms

Capture accepts the name, phone, email and source as properties, and all other fields in \`fields\`. Store an enquiry before you thank the visitor, and
retry until the service returns 200 or 201. Hash the form's contents together with a random ID per page view, and send the hash as the
\`Idempotency-Key\`: a double click sends the same key, a corrected text a new one. If an optional field is rejected (422), move its text to
\`notes\` and resend without it: \`details.fields\` names the rejected fields. A field that the organization requires on create is required only
for a new person.

## Values by field type

The same rules hold for \`fields\` of capture, create and update. An empty string, \`null\` and an empty list are an empty value. Outside \`fields\`,
leave out what is empty: \`null\` is refused.
Create and update also accept \`name\`, \`phone\`, \`email\`, \`source\` (an ID) and \`assigned_to\` (a user ID) in \`fields\`; capture accepts the name of a source
as the property \`source\`, and no owner. PHP writes an empty array as \`[]\`: send \`(object) []\` for an empty \`fields\` or \`attribution\`.

${fieldValueTable}

## Retrying

Wait 15 seconds for a response. Retry after a time-out, 409 \`IDEMPOTENCY_IN_PROGRESS\`, 429 (after \`Retry-After\` seconds), 500 and 503, with increasing,
random delays. On any other 4xx, fix the request. A repeated capture is safe with the same \`Idempotency-Key\` for ${limits.idempotencyHours} hours. A repeated create returns
409 \`DUPLICATE_LEAD\` with the ID of the lead. A repeated note is added again.

## Syncing

Request the list with \`updated_since\` until \`nextCursor\` is null, with the same \`updated_since\` on every page. A page can be short, even empty. Start each
run one minute before the start of the last run, because an index lags the table. Archived and erased leads leave the list.
A connector that resumes from the largest \`updatedAt\` needs a lookback longer than its longest run, such as a day; otherwise it loses changes.
`.trim();

export const tags = {
  Leads: 'List, read, create and update leads.',
  Capture: "Enquiries from website and landing-page forms, sent by the website's server.",
  'Reference lists': 'The lists that describe leads: fields, stages, pipelines, sources and users.',
} as const;
