/**
 * Every endpoint (contract, section 4). The routes, the local service, the API description and tests are derived from this list.
 * Plain data without imports, so that infra/ can read it without loading a function.
 */

export const apiKeyScopes = ['leads.read', 'leads.write', 'leads.capture'] as const;
export type Scope = (typeof apiKeyScopes)[number];

/** The module of an organization's plan that every endpoint is part of. */
export const endpointModule = 'crm';

export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** In API Gateway's notation, with path parameters in braces. */
  readonly path: string;
  /** An API key needs one of these. */
  readonly scopes: readonly Scope[];
  /** The endpoint can create a lead: admission advances the organization's lead sequence in the write that takes the token. */
  readonly numbersLeads?: boolean;
}

// Separate constants, so that each function's bundle contains only the row of its endpoint.
export const listLeads = {
  name: 'list-leads',
  method: 'GET',
  path: '/api/v1/leads',
  scopes: ['leads.read'],
} as const satisfies Endpoint;
export const createLead = {
  name: 'create-lead',
  method: 'POST',
  path: '/api/v1/leads',
  scopes: ['leads.write'],
  numbersLeads: true,
} as const satisfies Endpoint;
export const captureLead = {
  name: 'capture-lead',
  method: 'POST',
  path: '/api/v1/leads/capture',
  scopes: ['leads.capture', 'leads.write'],
  numbersLeads: true,
} as const satisfies Endpoint;
export const getLead = {
  name: 'get-lead',
  method: 'GET',
  path: '/api/v1/leads/{leadId}',
  scopes: ['leads.read'],
} as const satisfies Endpoint;
export const updateLead = {
  name: 'update-lead',
  method: 'PATCH',
  path: '/api/v1/leads/{leadId}',
  scopes: ['leads.write'],
} as const satisfies Endpoint;
export const addNote = {
  name: 'add-note',
  method: 'POST',
  path: '/api/v1/leads/{leadId}/notes',
  scopes: ['leads.write'],
} as const satisfies Endpoint;
export const listLeadFields = {
  name: 'list-lead-fields',
  method: 'GET',
  path: '/api/v1/lead-fields',
  scopes: ['leads.read', 'leads.capture'],
} as const satisfies Endpoint;
export const listLeadStages = {
  name: 'list-lead-stages',
  method: 'GET',
  path: '/api/v1/lead-stages',
  scopes: ['leads.read'],
} as const satisfies Endpoint;
export const listPipelines = {
  name: 'list-pipelines',
  method: 'GET',
  path: '/api/v1/pipelines',
  scopes: ['leads.read'],
} as const satisfies Endpoint;
export const listLeadSources = {
  name: 'list-lead-sources',
  method: 'GET',
  path: '/api/v1/lead-sources',
  scopes: ['leads.read'],
} as const satisfies Endpoint;
export const listUsers = {
  name: 'list-users',
  method: 'GET',
  path: '/api/v1/users',
  scopes: ['leads.read'],
} as const satisfies Endpoint;

export const endpoints = [
  listLeads,
  createLead,
  captureLead,
  getLead,
  updateLead,
  addNote,
  listLeadFields,
  listLeadStages,
  listPipelines,
  listLeadSources,
  listUsers,
] as const;

/** Whether an endpoint takes a JSON body: exactly the endpoints that write do. */
export const takesBody = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET';

export type EndpointName = (typeof endpoints)[number]['name'];

export function endpointNamed(name: EndpointName): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.name === name);
  if (!found) throw new Error(`There is no endpoint named '${name}'.`);
  return found;
}
