import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { keysOf } from '../../shared/base/maps.ts';
import type { EndpointName } from '../../shared/contract/endpoints.ts';
import { type ItemType, prefixOf } from '../../shared/store/table/entities.ts';
import { streamViewType, tableDefinition } from '../../shared/store/table/table-definition.ts';
import {
  type Access,
  admissionAccess,
  type DeployedEndpoint,
  endpointAccess,
  updatableBy,
} from './endpoint-access.ts';
import type { ServiceOptions } from './service-options.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The service's table: a new one, as defined in `shared/store/table/table-definition.ts`, or an existing table of the same form. */
export class LeadTable extends Construct {
  readonly table: ITable;
  /** The KMS key that callers must also be allowed to use; undefined if AWS manages the key. */
  private readonly key: IKey | undefined;

  constructor(scope: Construct, id: string, options: ServiceOptions) {
    super(scope, id);
    const { tableName, tableStreamArn } = options;
    this.key = this.keyOf(options);
    this.table = tableName
      ? Table.fromTableAttributes(this, 'Table', {
          tableName,
          ...(tableStreamArn !== undefined && { tableStreamArn }),
        })
      : this.newTable(options);
  }

  /** @throws Error without `events` */
  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error('The table has no stream: events is off.');
    return tableStreamArn;
  }

  /** Grants the permissions with which an event source mapping reads the stream (AWS: Lambda execution role for DynamoDB Streams). */
  grantStreamTo(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ReadStream',
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [this.streamArn],
      }),
    );
    // ListStreams does not support resources (service authorization reference, DynamoDB): limited to the stream, the statement would grant
    // nothing.
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ListStreams',
        actions: ['dynamodb:ListStreams'],
        resources: ['*'],
      }),
    );
    this.grantKeyTo(grantee);
  }

  /** Grants use of the table's key through DynamoDB. Grants nothing if AWS manages the key. */
  grantKeyTo(grantee: IGrantable): void {
    if (this.key) grantee.grantPrincipal.addToPrincipalPolicy(throughDynamoDb(this, this.key));
  }

  get tableName(): string {
    return this.table.tableName;
  }

  /**
   * Grants the access of the endpoint and of admission. There is one statement per action and per table or index, limited to partition keys
   * with the item types' prefixes. Updates of keys and usage have separate statements, which are also limited to attributes. Writes that
   * belong in a transaction are allowed only in one.
   */
  grantTo(grantee: IGrantable, endpoint: DeployedEndpoint): void {
    for (const [action, itemTypes] of itemTypesByAction(endpoint.name)) {
      const limited = action === 'UpdateItem' ? updatableBy(endpoint) : {};
      const targetOf = (itemType: ItemType): string => {
        if (isInTransaction(action, itemType)) return tableInTransaction;
        return indexOf(itemType) ?? (limited[itemType] ? itemType : 'table');
      };
      const { tableArn } = this.table;
      for (const target of new Set(itemTypes.map(targetOf))) {
        const held = itemTypes.filter((itemType) => targetOf(itemType) === target);
        grantee.grantPrincipal.addToPrincipalPolicy(
          new PolicyStatement({
            sid: `${action}On${target.charAt(0).toUpperCase()}${target.slice(1)}`,
            actions: [`dynamodb:${action}`],
            resources: [held.some(indexOf) ? `${tableArn}/index/${target}` : tableArn],
            conditions: {
              ...conditionsOn(
                held,
                held.flatMap((itemType) => limited[itemType] ?? []),
              ),
              ...(target === tableInTransaction && onlyInTransaction),
            },
          }),
        );
      }
    }
    this.grantKeyTo(grantee);
  }

  private keyOf({ kmsKey, removalPolicy }: ServiceOptions): IKey | undefined {
    if (kmsKey === 'aws-managed') return undefined;
    if (kmsKey !== 'customer-managed') return Key.fromKeyArn(this, 'Key', kmsKey);
    return new Key(this, 'Key', {
      description: 'Encrypts the lead table',
      enableKeyRotation: true,
      // If the first deployment fails, the table is empty. Its key is deleted too, so that it costs nothing.
      removalPolicy:
        removalPolicy === 'retain'
          ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
          : RemovalPolicy.DESTROY,
    });
  }

  private newTable({ events, removalPolicy }: ServiceOptions): ITable {
    const isKept = removalPolicy === 'retain';
    const table = new Table(this, 'Table', {
      partitionKey: text(tableDefinition.partitionKey),
      sortKey: text(tableDefinition.sortKey),
      timeToLiveAttribute: tableDefinition.timeToLiveAttribute,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // The table has personal data. With a key in the account instead of one that AWS owns, CloudTrail records each use of the key.
      ...(this.key
        ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: this.key }
        : { encryption: TableEncryption.AWS_MANAGED }),
      ...(events && { stream: StreamViewType[streamViewType] }),
      deletionProtection: isKept,
      removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const index of tableDefinition.indexes) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    return table as ITable;
  }
}

/** The index that holds the items of a type; undefined for items of the table. */
const indexOf = (itemType: ItemType): string | undefined =>
  tableDefinition.indexes.find(({ holds }) => holds === itemType)?.name;

const tableInTransaction = 'tableInTransaction';
/** DynamoDB developer guide, "Using IAM with DynamoDB transactions": in this form, a request outside a transaction does not match. */
const onlyInTransaction = {
  'ForAnyValue:StringEquals': { 'dynamodb:EnclosingOperation': ['TransactWriteItems'] },
};

/**
 * Leads and their phones, emails and timelines are written together or not at all. Token buckets and turns are written alone.
 * ConditionCheckItem exists only in transactions and does not support this condition (service authorization reference, DynamoDB).
 */
const isInTransaction = (action: keyof Access, itemType: ItemType): boolean =>
  action === 'PutItem' ||
  action === 'DeleteItem' ||
  (action === 'UpdateItem' && itemType === 'lead');

/** The item types per action that an endpoint needs, including admission's, each type once. */
function itemTypesByAction(name: EndpointName): [keyof Access, readonly ItemType[]][] {
  const accesses: readonly Access[] = [admissionAccess, endpointAccess[name] ?? {}];
  const actions = new Set(accesses.flatMap((one) => keysOf(one)));
  return [...actions].map((action) => [
    action,
    [...new Set(accesses.flatMap((one) => one[action] ?? []))],
  ]);
}

/**
 * Limits a request to partition keys and, if attributes are given, to those attributes. A request names the attributes that it changes,
 * those in its condition, and the primary key, but not the attributes that it returns (DynamoDB developer guide, "Using IAM policy
 * conditions for fine-grained access control").
 */
function conditionsOn(
  itemTypes: readonly ItemType[],
  attributes: readonly string[],
): Record<string, Record<string, unknown>> {
  const keys = itemTypes.map((itemType) => `${prefixOf(itemType)}*`);
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    ...(attributes.length > 0 && {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
    }),
    // ForAllValues is also true if a request has no value, so a partition key must be present. The service always sends one.
    Null: {
      'dynamodb:LeadingKeys': 'false',
      ...(attributes.length > 0 && { 'dynamodb:Attributes': 'false' }),
    },
  };
}

/** DynamoDB uses the key on behalf of its caller (KMS: "Using DynamoDB with AWS KMS"), who may not use the key in any other way. */
function throughDynamoDb(scope: Construct, key: IKey): PolicyStatement {
  return new PolicyStatement({
    sid: 'UseKeyThroughDynamoDb',
    actions: [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKey',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    resources: [key.keyArn],
    conditions: {
      StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(scope).region}.amazonaws.com` },
    },
  });
}
