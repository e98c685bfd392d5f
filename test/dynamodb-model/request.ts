import type { AttributeValue, Item } from './attribute-values.ts';

/** The parameters of the modelled operations, as the protocol names them. One type for all: each operation reads its own. */
export interface Request extends ExpressionParameters {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Item?: Item;
  readonly Key?: Item;
  readonly ConsistentRead?: boolean;
  readonly ReturnValues?: 'NONE' | 'ALL_NEW' | 'UPDATED_NEW';
  readonly ReturnValuesOnConditionCheckFailure?: 'NONE' | 'ALL_OLD';
  readonly ReturnConsumedCapacity?: 'NONE' | 'TOTAL';
  readonly Limit?: number;
  readonly ScanIndexForward?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly Select?: string;
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly RequestItems?: Readonly<Record<string, BatchRequest>>;
  readonly TransactItems?: readonly TransactItem[];
  readonly ClientRequestToken?: string;
  readonly AttributeDefinitions?: readonly {
    readonly AttributeName: string;
    readonly AttributeType: 'S' | 'N' | 'B';
  }[];
  readonly KeySchema?: readonly KeySchemaElement[];
  readonly GlobalSecondaryIndexes?: readonly IndexRequest[];
  readonly BillingMode?: string;
  readonly TimeToLiveSpecification?: { readonly Enabled: boolean; readonly AttributeName: string };
}

export interface ExpressionParameters {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, AttributeValue>>;
}

export interface KeySchemaElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

interface IndexRequest {
  readonly IndexName: string;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly Projection: { readonly ProjectionType?: string };
}

/** Of one table: keys of a `BatchGetItem`, or the list of writes of a `BatchWriteItem`. */
type BatchRequest = BatchKeys | readonly BatchWrite[];
export interface BatchKeys extends ExpressionParameters {
  readonly Keys: readonly Item[];
  readonly ConsistentRead?: boolean;
}
export interface BatchWrite {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}

type TransactAction = Pick<
  Request,
  | 'TableName'
  | 'Key'
  | 'Item'
  | 'ConditionExpression'
  | 'UpdateExpression'
  | 'ProjectionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
  | 'ReturnValuesOnConditionCheckFailure'
>;
export interface TransactItem {
  readonly Put?: TransactAction;
  readonly Update?: TransactAction;
  readonly Delete?: TransactAction;
  readonly ConditionCheck?: TransactAction;
  readonly Get?: TransactAction;
}

/** What an operation answers, as the protocol names it. */
export type Reply = Readonly<Record<string, unknown>>;
