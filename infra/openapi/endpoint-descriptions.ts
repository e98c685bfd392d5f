import type { EndpointDescriptions } from './endpoint-description.ts';
import { captureLead } from './endpoints/capture-lead.ts';
import { leadDescriptions } from './endpoints/leads.ts';
import { listDescriptions } from './endpoints/reference-lists.ts';

/** The description of every endpoint. The compiler checks that each row of `shared/endpoints.ts` has one. */
export const endpointDescriptions: EndpointDescriptions = {
  ...leadDescriptions,
  ...listDescriptions,
  'capture-lead': captureLead,
};
