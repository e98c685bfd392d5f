import { limits } from '../../shared/limits.ts';

/** The document's introduction (contract, sections 1, 5 and 8) and its tags. */

const hours = limits.windowMs / 3_600_000;

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
`.trim();

export const tags = {
  Leads: 'List, read, create and update leads.',
  Capture: "Enquiries from website and landing-page forms, sent by the website's server.",
  'Reference lists': 'The lists that describe leads: fields, stages, pipelines, sources and users.',
} as const;
