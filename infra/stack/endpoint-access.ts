import type { Endpoint, EndpointName } from '../../shared/contract/endpoints.ts';
import type { ItemType } from '../../shared/store/table/entities.ts';

/** The item types that each DynamoDB action (as IAM names it) can access. A transaction needs the actions of all its parts. */
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

/** The access that every function needs for admission: both token buckets and the settings. */
export const admissionAccess = {
  UpdateItem: ['apiKey', 'usage'],
  GetItem: ['settings'],
} as const satisfies Access;

export interface DeployedEndpoint extends Endpoint {
  readonly name: EndpointName;
}

/**
 * The attributes that an endpoint's updates of these items may name, also in conditions. Updates of other items may name any attribute. So
 * no function can create a key, move it to another organization, or widen its scopes. A note can change only the number of timeline entries
 * of its lead. An update always names the primary key (IAM: `dynamodb:Attributes`).
 */
export const updatableBy = ({
  name,
  numbersLeads,
}: DeployedEndpoint): Partial<Record<ItemType, readonly string[]>> => ({
  apiKey: ['pk', 'sk', 'used', 'windowEndsAt', 'revokedAt', 'expiresAt'],
  usage: ['pk', 'sk', 'used', 'windowEndsAt', ...(numbersLeads ? ['lastLeadId'] : [])],
  ...(name === 'add-note' && { lead: ['pk', 'sk', 'version', 'updatedAt'] }),
});

/** Each endpoint's own access to the table, from which its role is derived. An endpoint without a row needs only admission's access. */
export const endpointAccess: Readonly<Partial<Record<EndpointName, Access>>> = {
  'list-leads': {
    Query: ['lead', 'stageIndex', 'ownerIndex', 'sourceIndex', 'updateIndex'],
    BatchGetItem: ['lead'],
  },
  'create-lead': {
    BatchGetItem: ['phone', 'email'],
    GetItem: ['lead'],
    PutItem: ['lead', 'phone', 'email', 'timeline'],
    UpdateItem: ['turn'],
  },
  'capture-lead': {
    BatchGetItem: ['idempotency', 'phone', 'email'],
    GetItem: ['lead'],
    PutItem: ['lead', 'phone', 'email', 'timeline', 'idempotency'],
    UpdateItem: ['lead', 'turn'],
    ConditionCheckItem: ['lead'],
  },
  'get-lead': { GetItem: ['lead'] },
  'update-lead': {
    GetItem: ['lead'],
    UpdateItem: ['lead'],
    PutItem: ['phone', 'email', 'timeline'],
    DeleteItem: ['phone', 'email'],
  },
  'add-note': { UpdateItem: ['lead'], PutItem: ['timeline'] },
};
