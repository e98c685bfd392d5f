import { DynamodbError } from '../errors.ts';
import type { Operation } from '../model.ts';
import type { Reply } from '../request.ts';
import { Table } from '../table.ts';
import { schemaOf } from '../table-schema.ts';

const describe = (table: Table): Reply => ({
  TableName: table.schema.name,
  TableStatus: 'ACTIVE',
  CreationDateTime: table.createdAt / 1000,
  KeySchema: [
    { AttributeName: table.schema.partition, KeyType: 'HASH' },
    { AttributeName: table.schema.sort, KeyType: 'RANGE' },
  ],
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

const updateTimeToLive: Operation = (dynamodb, { TableName, TimeToLiveSpecification }) => {
  dynamodb.table(TableName).timeToLiveAttribute = TimeToLiveSpecification?.AttributeName;
  return { TimeToLiveSpecification };
};

const describeTable: Operation = (dynamodb, { TableName }) => ({
  Table: describe(dynamodb.table(TableName)),
});

export const administration: Readonly<Record<string, Operation>> = {
  CreateTable: createTable,
  DescribeTable: describeTable,
  UpdateTimeToLive: updateTimeToLive,
};
