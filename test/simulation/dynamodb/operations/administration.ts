import { DynamodbError, resourceNotFound, ValidationError } from '../errors.ts';
import type { Operation } from '../model.ts';
import type { Reply, Request } from '../request.ts';
import { Table } from '../table.ts';
import { type KeySchema, schemaOf } from '../table-schema.ts';

const elements = ({ partition, sort }: KeySchema) => [
  { AttributeName: partition.name, KeyType: 'HASH' },
  ...(sort ? [{ AttributeName: sort.name, KeyType: 'RANGE' }] : []),
];

function describe({ schema, createdAt }: Table): Reply {
  const keys = [schema, ...schema.indexes].flatMap(({ partition, sort }) =>
    sort ? [partition, sort] : [partition],
  );
  const types = new Map(keys.map(({ name, type }) => [name, type]));
  return {
    TableName: schema.name,
    TableStatus: 'ACTIVE',
    CreationDateTime: createdAt / 1000,
    TableArn: `arn:aws:dynamodb:ap-south-1:000000000000:table/${schema.name}`,
    KeySchema: elements(schema),
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    GlobalSecondaryIndexes: schema.indexes.map((index) => ({
      IndexName: index.name,
      IndexStatus: 'ACTIVE',
      KeySchema: elements(index),
      Projection:
        index.projects === 'ALL'
          ? { ProjectionType: 'ALL' }
          : {
              ProjectionType: 'INCLUDE',
              NonKeyAttributes: [...index.projects].filter((name) => !types.has(name)),
            },
    })),
  };
}

const createTable: Operation = (dynamodb, request) => {
  const schema = schemaOf(request);
  if (dynamodb.tables.has(schema.name)) {
    throw new DynamodbError('ResourceInUseException', `Table already exists: ${schema.name}`);
  }
  const table = new Table(schema, dynamodb.now);
  dynamodb.tables.set(schema.name, table);
  return { TableDescription: describe(table) };
};

const describeTimeToLive: Operation = (dynamodb, request) => {
  const { timeToLiveAttribute } = dynamodb.table(request.TableName);
  return {
    TimeToLiveDescription: timeToLiveAttribute
      ? { TimeToLiveStatus: 'ENABLED', AttributeName: timeToLiveAttribute }
      : { TimeToLiveStatus: 'DISABLED' },
  };
};

const updateTimeToLive: Operation = (dynamodb, request) => {
  const table = dynamodb.table(request.TableName);
  const { Enabled = false, AttributeName } = request.TimeToLiveSpecification ?? {};
  if (Enabled && table.timeToLiveAttribute !== undefined)
    throw new ValidationError('TimeToLive is already enabled');
  if (!Enabled && table.timeToLiveAttribute === undefined)
    throw new ValidationError('TimeToLive is already disabled');
  table.timeToLiveAttribute = Enabled ? AttributeName : undefined;
  return { TimeToLiveSpecification: request.TimeToLiveSpecification };
};

/** What the restore command asks and sets besides: taken as set, and kept by table. */
const protections = new WeakMap<
  Table,
  { pointInTimeRecovery: boolean; deletionProtection: boolean }
>();

function protectionOf(table: Table) {
  const known = protections.get(table) ?? { pointInTimeRecovery: false, deletionProtection: false };
  protections.set(table, known);
  return known;
}

const continuousBackups = (table: Table): Reply => ({
  ContinuousBackupsDescription: {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription: {
      PointInTimeRecoveryStatus: protectionOf(table).pointInTimeRecovery ? 'ENABLED' : 'DISABLED',
    },
  },
});

const updateContinuousBackups: Operation = (dynamodb, request) => {
  const table = dynamodb.table(request.TableName);
  protectionOf(table).pointInTimeRecovery =
    request.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled ?? false;
  return continuousBackups(table);
};

const updateTable: Operation = (dynamodb, request: Request) => {
  const table = dynamodb.table(request.TableName);
  const { DeletionProtectionEnabled } = request;
  if (DeletionProtectionEnabled !== undefined)
    protectionOf(table).deletionProtection = DeletionProtectionEnabled;
  return {
    TableDescription: {
      ...describe(table),
      DeletionProtectionEnabled: protectionOf(table).deletionProtection,
    },
  };
};

const describeTable: Operation = (dynamodb, request) => {
  const table = dynamodb.tables.get(request.TableName ?? '');
  if (!table)
    throw Object.assign(resourceNotFound(), {
      message: `Requested resource not found: Table: ${request.TableName} not found`,
    });
  return {
    Table: {
      ...describe(table),
      DeletionProtectionEnabled: protectionOf(table).deletionProtection,
    },
  };
};

export const administration: Readonly<Record<string, Operation>> = {
  CreateTable: createTable,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  UpdateTimeToLive: updateTimeToLive,
  UpdateTable: updateTable,
  DescribeContinuousBackups: (dynamodb, request) =>
    continuousBackups(dynamodb.table(request.TableName)),
  UpdateContinuousBackups: updateContinuousBackups,
};
