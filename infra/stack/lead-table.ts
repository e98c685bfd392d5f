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
import {
  type Access,
  admissionAccess,
  type Endpoint,
  type ItemType,
  sequenceAttribute,
  updatableAttributes,
} from '../../shared/endpoints.ts';
import { keysOf } from '../../shared/keys-of.ts';
import {
  partitionKeyPrefixes,
  streamViewType,
  tableDefinition,
} from '../../shared/store/table/table-definition.ts';
import type { ServiceOptions } from './service-options.ts';

export type LeadTableProps = Partial<
  Pick<ServiceOptions, 'events' | 'kmsKey' | 'removalPolicy' | 'tableName' | 'tableStreamArn'>
>;

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The table of the service: either its own, as defined in `shared/store/table/table-definition.ts`, or an existing table like it. */
export class LeadTable extends Construct {
  readonly table: ITable;
  /** The KMS key that callers need as well; undefined with the key that AWS manages. */
  private readonly key: IKey | undefined;

  constructor(
    scope: Construct,
    id: string,
    {
      kmsKey = 'aws-managed',
      removalPolicy = 'retain',
      events = false,
      tableName,
      tableStreamArn,
    }: LeadTableProps = {},
  ) {
    super(scope, id);
    const isKept = removalPolicy === 'retain';
    const policy = isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
    this.key = this.keyOf(kmsKey, policy);
    this.table = tableName
      ? Table.fromTableAttributes(this, 'Table', {
          tableName,
          ...(tableStreamArn !== undefined && { tableStreamArn }),
        })
      : this.newTable({ isKept, events }, policy);
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
    // It tells names of streams, and supports no resource (service authorization reference, DynamoDB): on the stream it would grant nothing.
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        sid: 'ListStreams',
        actions: ['dynamodb:ListStreams'],
        resources: ['*'],
      }),
    );
    if (this.key) grantee.grantPrincipal.addToPrincipalPolicy(throughDynamoDb(this, this.key));
  }

  get tableName(): string {
    return this.table.tableName;
  }

  /**
   * Grants the access of the endpoint and of admission: one statement per action and per table or index, limited to partition keys with
   * the prefixes of the item types. Updates of keys and usage have statements of their own, limited to attributes too.
   */
  grantTo(grantee: IGrantable, endpoint: Endpoint): void {
    const allow = (statement: PolicyStatement) =>
      grantee.grantPrincipal.addToPrincipalPolicy(statement);
    const attributes = updatableBy(endpoint);
    for (const [action, itemTypes] of itemTypesByAction(endpoint)) {
      const limited =
        action === 'UpdateItem' ? itemTypes.filter((itemType) => attributes[itemType]) : [];
      const whole = itemTypes.filter((itemType) => !limited.includes(itemType));
      for (const { name, resource, held } of this.resourcesOf(whole))
        allow(statementOf(action, name, resource, conditionsOn(held)));
      for (const itemType of limited) {
        const conditions = conditionsOn([itemType], attributes[itemType]);
        allow(statementOf(action, capitalized(itemType), this.table.tableArn, conditions));
      }
    }
    if (this.key) allow(throughDynamoDb(this, this.key));
  }

  private keyOf(kmsKey: string, removalPolicy: RemovalPolicy): IKey | undefined {
    if (kmsKey === 'aws-managed') return undefined;
    if (kmsKey !== 'customer-managed') return Key.fromKeyArn(this, 'Key', kmsKey);
    return new Key(this, 'Key', {
      description: 'Encrypts the lead table',
      enableKeyRotation: true,
      // A first deployment that fails leaves an empty table: its key goes, so that none is paid for nothing.
      removalPolicy:
        removalPolicy === RemovalPolicy.RETAIN
          ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
          : removalPolicy,
    });
  }

  private newTable(
    { isKept, events }: { readonly isKept: boolean; readonly events: boolean },
    removalPolicy: RemovalPolicy,
  ): ITable {
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
      removalPolicy,
    });
    for (const index of tableDefinition.indexes) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: text(index.partitionKey),
        sortKey: text(index.sortKey),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...tableDefinition.indexedToo],
      });
    }
    return table as ITable;
  }

  /** The table with the item types that it has, then each index with its item type. */
  private resourcesOf(
    itemTypes: readonly ItemType[],
  ): { name: string; resource: string; held: readonly ItemType[] }[] {
    const indexes = tableDefinition.indexes.filter(({ holds }) => itemTypes.includes(holds));
    const inTable = itemTypes.filter(
      (itemType) => !indexes.some(({ holds }) => holds === itemType),
    );
    const table =
      inTable.length > 0 ? [{ name: 'Table', resource: this.table.tableArn, held: inTable }] : [];
    return [
      ...table,
      ...indexes.map(({ name, holds }) => ({
        name: capitalized(name),
        resource: `${this.table.tableArn}/index/${name}`,
        held: [holds],
      })),
    ];
  }
}

/** The attributes that an endpoint's updates of an item type may name; of other item types, all. */
const updatableBy = ({ numbersLeads }: Endpoint): Partial<Record<ItemType, readonly string[]>> =>
  numbersLeads
    ? { ...updatableAttributes, usage: [...updatableAttributes.usage, sequenceAttribute] }
    : updatableAttributes;

/** The item types per action that an endpoint needs by itself and for admission, each type once. */
function itemTypesByAction({ access }: Endpoint): [keyof Access, readonly ItemType[]][] {
  const accesses: readonly Access[] = [admissionAccess, access];
  const actions = new Set(accesses.flatMap((one) => keysOf(one)));
  return [...actions].map((action) => [
    action,
    [...new Set(accesses.flatMap((one) => one[action] ?? []))],
  ]);
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const statementOf = (
  action: keyof Access,
  name: string,
  resource: string,
  conditions: Record<string, Record<string, unknown>>,
): PolicyStatement =>
  new PolicyStatement({
    sid: `${action}On${name}`,
    actions: [`dynamodb:${action}`],
    resources: [resource],
    conditions,
  });

/**
 * Limits a request to partition keys, and optionally to the attributes that it names: those that it changes, those of its condition, and
 * the primary key, but not those that it returns (DynamoDB developer guide, "Using IAM policy conditions for fine-grained access control").
 */
function conditionsOn(
  itemTypes: readonly ItemType[],
  attributes?: readonly string[],
): Record<string, Record<string, unknown>> {
  const keys = itemTypes.map((itemType) => `${partitionKeyPrefixes[itemType]}*`);
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    ...(attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes } }),
    // ForAllValues is also true without any value; the service never sends a request without a partition key.
    Null: {
      'dynamodb:LeadingKeys': 'false',
      ...(attributes && { 'dynamodb:Attributes': 'false' }),
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
