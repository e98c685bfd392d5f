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

/** The table of the service: either its own, as defined in `shared/store/table/table-definition.ts`, or an existing table like it. */
export class LeadTable extends Construct {
  readonly table: ITable;
  /** The KMS key that callers need as well; undefined with the key that AWS manages. */
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

  /** Grants what an event source mapping needs to read the stream (AWS: Lambda execution role for DynamoDB Streams). */
  grantStreamTo(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ReadStream',
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [this.streamArn],
      }),
    );
    // ListStreams supports no resource (service authorization reference, DynamoDB): limited to the stream, it would grant nothing.
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ListStreams',
        actions: ['dynamodb:ListStreams'],
        resources: ['*'],
      }),
    );
    this.grantKeyTo(grantee);
  }

  /** Grants the use of the table's key through DynamoDB; nothing with the key that AWS manages. */
  grantKeyTo(grantee: IGrantable): void {
    if (this.key) grantee.grantPrincipal.addToPrincipalPolicy(throughDynamoDb(this, this.key));
  }

  get tableName(): string {
    return this.table.tableName;
  }

  /**
   * Grants the access of the endpoint and of admission: one statement per action and per table or index, limited to partition keys with
   * the prefixes of the item types. Updates of keys and usage have statements of their own, limited to attributes too, and what belongs into
   * a transaction is allowed only there.
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
      // A first deployment that fails leaves an empty table: its key goes, so that none is paid for nothing.
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
      // The table has personal data. With a key of the account instead of AWS's own, CloudTrail records each use of the key.
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
 * Leads, their phones, emails and timelines are written together or not at all. Token buckets and turns have writes of their own.
 * ConditionCheckItem exists only in transactions, and does not know the condition (service authorization reference, DynamoDB).
 */
const isInTransaction = (action: keyof Access, itemType: ItemType): boolean =>
  action === 'PutItem' ||
  action === 'DeleteItem' ||
  (action === 'UpdateItem' && itemType === 'lead');

/** The item types per action that an endpoint needs by itself and for admission, each type once. */
function itemTypesByAction(name: EndpointName): [keyof Access, readonly ItemType[]][] {
  const accesses: readonly Access[] = [admissionAccess, endpointAccess[name] ?? {}];
  const actions = new Set(accesses.flatMap((one) => keysOf(one)));
  return [...actions].map((action) => [
    action,
    [...new Set(accesses.flatMap((one) => one[action] ?? []))],
  ]);
}

/**
 * Limits a request to partition keys, and with attributes to those that it names: those that it changes, those of its condition, and
 * the primary key, but not those that it returns (DynamoDB developer guide, "Using IAM policy conditions for fine-grained access control").
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
    // ForAllValues is also true without any value; the service never sends a request without a partition key.
    Null: {
      'dynamodb:LeadingKeys': 'false',
      ...(attributes.length > 0 && { 'dynamodb:Attributes': 'false' }),
    },
  };
}

/** DynamoDB uses the key on behalf of its caller (KMS: "Using DynamoDB with AWS KMS"). The caller may use the key in no other way. */
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
