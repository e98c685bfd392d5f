import { listLeadFields as row } from '../../shared/contract/endpoints.ts';
import { activeFields } from '../../shared/leads/fields.ts';
import { presentField } from '../../shared/leads/reference-lists.ts';
import { listEndpoint } from '../../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-fields (contract, section 4.7): active fields in form order. */
export const handler = listEndpoint(row, (organization) =>
  activeFields(organization).map(presentField),
);
