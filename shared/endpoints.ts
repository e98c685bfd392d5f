/**
 * Every endpoint (contract, section 4). The routes, IAM roles, the local service, the API description and tests are derived from this list.
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

/** The item types that each DynamoDB action (as IAM names it) can access. A transaction needs the actions of its parts. */
export type Access = Partial<
  Record<
    | 'GetItem'
    | 'BatchGetItem'
    | 'Query'
    | 'PutItem'
    | 'UpdateItem'
    | 'DeleteItem'
    | 'ConditionCheckItem',
    readonly ItemType[]
  >
>;

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
  /** The endpoint's own access to the table, besides `admissionAccess`. */
  readonly access: Access;
}

/** The access that every function needs for admission: both token buckets and the settings. */
export const admissionAccess = {
  UpdateItem: ['apiKey', 'usage'],
  GetItem: ['settings'],
} as const satisfies Access;

/**
 * The attributes that an update of these items may name, its conditions included; of other items, all. So no function can create a key, move
 * it to another organization, or widen its scopes. An update always names the primary key (IAM: `dynamodb:Attributes`).
 */
export const updatableAttributes = {
  apiKey: ['pk', 'sk', 'used', 'windowEndsAt', 'revokedAt', 'expiresAt'],
  usage: ['pk', 'sk', 'used', 'windowEndsAt'],
} as const satisfies Partial<Record<ItemType, readonly string[]>>;
/** Of the usage item, by an endpoint that numbers leads. */
export const sequenceAttribute = 'lastLeadId';

export const endpoints = [
  {
    name: 'list-leads',
    method: 'GET',
    path: '/api/v1/leads',
    summary: 'List leads',
    scopes: ['leads.read'],
    access: {
      Query: ['lead', 'stageIndex', 'ownerIndex', 'sourceIndex', 'updateIndex'],
      BatchGetItem: ['lead'],
    },
  },
  {
    name: 'create-lead',
    method: 'POST',
    path: '/api/v1/leads',
    summary: 'Create a lead',
    scopes: ['leads.write'],
    numbersLeads: true,
    access: {
      BatchGetItem: ['phone', 'email'],
      GetItem: ['lead'],
      PutItem: ['lead', 'phone', 'email', 'timeline'],
      UpdateItem: ['turn'],
    },
  },
  {
    name: 'capture-lead',
    method: 'POST',
    path: '/api/v1/leads/capture',
    summary: 'Capture a lead from a website form',
    scopes: ['leads.capture', 'leads.write'],
    numbersLeads: true,
    access: {
      BatchGetItem: ['idempotency', 'phone', 'email'],
      GetItem: ['lead'],
      PutItem: ['lead', 'phone', 'email', 'timeline', 'idempotency'],
      UpdateItem: ['lead', 'turn'],
      ConditionCheckItem: ['lead'],
    },
  },
  {
    name: 'get-lead',
    method: 'GET',
    path: '/api/v1/leads/{leadId}',
    summary: 'Get a lead',
    scopes: ['leads.read'],
    access: { GetItem: ['lead'] },
  },
  {
    name: 'update-lead',
    method: 'PATCH',
    path: '/api/v1/leads/{leadId}',
    summary: 'Update a lead',
    scopes: ['leads.write'],
    access: {
      GetItem: ['lead'],
      UpdateItem: ['lead'],
      PutItem: ['phone', 'email', 'timeline'],
      DeleteItem: ['phone', 'email'],
    },
  },
  {
    name: 'add-note',
    method: 'POST',
    path: '/api/v1/leads/{leadId}/notes',
    summary: 'Add a note to a lead',
    scopes: ['leads.write'],
    access: { ConditionCheckItem: ['lead'], PutItem: ['timeline'] },
  },
  {
    name: 'list-lead-fields',
    method: 'GET',
    path: '/api/v1/lead-fields',
    summary: 'List the active lead fields',
    scopes: ['leads.read', 'leads.capture'],
    access: {},
  },
  {
    name: 'list-lead-stages',
    method: 'GET',
    path: '/api/v1/lead-stages',
    summary: 'List the active stages of every pipeline',
    scopes: ['leads.read'],
    access: {},
  },
  {
    name: 'list-pipelines',
    method: 'GET',
    path: '/api/v1/pipelines',
    summary: 'List the pipelines',
    scopes: ['leads.read'],
    access: {},
  },
  {
    name: 'list-lead-sources',
    method: 'GET',
    path: '/api/v1/lead-sources',
    summary: 'List the active lead sources',
    scopes: ['leads.read'],
    access: {},
  },
  {
    name: 'list-users',
    method: 'GET',
    path: '/api/v1/users',
    summary: 'List the active users',
    scopes: ['leads.read'],
    access: {},
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
