import { activeFields } from '../shared/leads/fields.ts';
import { presentField } from '../shared/leads/reference-lists.ts';
import { listEndpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-fields (contract, section 4.7): active fields in form order. */
export const handler = listEndpoint('list-lead-fields', (organization) =>
  activeFields(organization).map(presentField),
);
