/**
 * Every endpoint (contract, section 4). The routes, the local service, the API description and tests are derived from this list.
 * Plain data without imports, so that infra/ can read it without loading a function.
 */

export const apiKeyScopes = ['leads.read', 'leads.write', 'leads.capture'] as const;
export type Scope = (typeof apiKeyScopes)[number];

/** The item types of the table and its indexes. `store/table/table-definition.ts` gives each its prefix. */
export type ItemType =
  | 'settings'
  | 'usage'
  | 'apiKey'
  | 'turn'
  | 'lead'
  | 'phone'
  | 'email'
  | 'timeline'
  | 'idempotency'
  | 'importedRow'
  | 'erasure'
  | 'history'
  | 'stageIndex'
  | 'ownerIndex'
  | 'sourceIndex'
  | 'updateIndex';

/** The module of an organization's plan that every endpoint is part of. */
export const endpointModule = 'crm';

export interface Endpoint {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** In API Gateway's notation, with path parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** An API key needs one of these. */
  readonly scopes: readonly Scope[];
  /** The endpoint can create a lead: admission advances the organization's lead sequence in the write that takes the token. */
  readonly numbersLeads?: boolean;
}

export const endpoints = [
  {
    name: 'list-leads',
    method: 'GET',
    path: '/api/v1/leads',
    summary: 'List leads',
    scopes: ['leads.read'],
  },
  {
    name: 'create-lead',
    method: 'POST',
    path: '/api/v1/leads',
    summary: 'Create a lead',
    scopes: ['leads.write'],
    numbersLeads: true,
  },
  {
    name: 'capture-lead',
    method: 'POST',
    path: '/api/v1/leads/capture',
    summary: 'Capture a lead from a website form',
    scopes: ['leads.capture', 'leads.write'],
    numbersLeads: true,
  },
  {
    name: 'get-lead',
    method: 'GET',
    path: '/api/v1/leads/{leadId}',
    summary: 'Get a lead',
    scopes: ['leads.read'],
  },
  {
    name: 'update-lead',
    method: 'PATCH',
    path: '/api/v1/leads/{leadId}',
    summary: 'Update a lead',
    scopes: ['leads.write'],
  },
  {
    name: 'add-note',
    method: 'POST',
    path: '/api/v1/leads/{leadId}/notes',
    summary: 'Add a note to a lead',
    scopes: ['leads.write'],
  },
  {
    name: 'list-lead-fields',
    method: 'GET',
    path: '/api/v1/lead-fields',
    summary: 'List the active lead fields',
    scopes: ['leads.read', 'leads.capture'],
  },
  {
    name: 'list-lead-stages',
    method: 'GET',
    path: '/api/v1/lead-stages',
    summary: 'List the active stages of every pipeline',
    scopes: ['leads.read'],
  },
  {
    name: 'list-pipelines',
    method: 'GET',
    path: '/api/v1/pipelines',
    summary: 'List the pipelines',
    scopes: ['leads.read'],
  },
  {
    name: 'list-lead-sources',
    method: 'GET',
    path: '/api/v1/lead-sources',
    summary: 'List the active lead sources',
    scopes: ['leads.read'],
  },
  {
    name: 'list-users',
    method: 'GET',
    path: '/api/v1/users',
    summary: 'List the active users',
    scopes: ['leads.read'],
  },
] as const satisfies readonly Endpoint[];

/** Whether an endpoint takes a JSON body: every one that writes does, and no other. */
export const takesBody = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET';

export type EndpointName = (typeof endpoints)[number]['name'];

export function endpointNamed(name: EndpointName): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.name === name);
  if (!found) throw new Error(`There is no endpoint named '${name}'.`);
  return found;
}
