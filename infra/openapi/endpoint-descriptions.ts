import type { EndpointName } from '../../shared/endpoints.ts';
import type { EndpointDescription } from './endpoint-description.ts';
import { addNote } from './endpoints/add-note.ts';
import { captureLead } from './endpoints/capture-lead.ts';
import { createLead } from './endpoints/create-lead.ts';
import { getLead } from './endpoints/get-lead.ts';
import { listLeadFields } from './endpoints/list-lead-fields.ts';
import { listLeadSources } from './endpoints/list-lead-sources.ts';
import { listLeadStages } from './endpoints/list-lead-stages.ts';
import { listLeads } from './endpoints/list-leads.ts';
import { listPipelines } from './endpoints/list-pipelines.ts';
import { listUsers } from './endpoints/list-users.ts';
import { updateLead } from './endpoints/update-lead.ts';

/** The description of every endpoint. The compiler checks that each row of `shared/endpoints.ts` has one. */
export const endpointDescriptions: { readonly [Name in EndpointName]: EndpointDescription<Name> } =
  {
    'list-leads': listLeads,
    'create-lead': createLead,
    'capture-lead': captureLead,
    'get-lead': getLead,
    'update-lead': updateLead,
    'add-note': addNote,
    'list-lead-fields': listLeadFields,
    'list-lead-stages': listLeadStages,
    'list-pipelines': listPipelines,
    'list-lead-sources': listLeadSources,
    'list-users': listUsers,
  };
