import { DynamodbError, ValidationError } from '../errors.ts';
import type { Operation } from '../model.ts';
import type { Reply } from '../request.ts';
import { Table } from '../table.ts';
import { schemaOf } from '../table-schema.ts';

/** What the commands ask of a table, and set: kept by table. */
const protections = new WeakMap<
  Table,
  { pointInTimeRecovery: boolean; deletionProtection: boolean }
>();

function protectionOf(table: Table) {
  const known = protections.get(table) ?? { pointInTimeRecovery: false, deletionProtection: false };
  protections.set(table, known);
  return known;
}

const describe = (table: Table): Reply => ({
  TableName: table.schema.name,
  TableStatus: 'ACTIVE',
  CreationDateTime: table.createdAt / 1000,
  KeySchema: [
    { AttributeName: table.schema.partition, KeyType: 'HASH' },
    { AttributeName: table.schema.sort, KeyType: 'RANGE' },
  ],
  DeletionProtectionEnabled: protectionOf(table).deletionProtection,
});

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

const updateTable: Operation = (dynamodb, { TableName, DeletionProtectionEnabled }) => {
  const table = dynamodb.table(TableName);
  if (DeletionProtectionEnabled !== undefined)
    protectionOf(table).deletionProtection = DeletionProtectionEnabled;
  return { TableDescription: describe(table) };
};

const describeTable: Operation = (dynamodb, { TableName }) => ({
  Table: describe(dynamodb.table(TableName)),
});

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
