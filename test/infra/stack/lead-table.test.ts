import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { checkOptions } from '../../../infra/stack/check-options.ts';
import { LeadTable } from '../../../infra/stack/lead-table.ts';
import {
  partitionKeyPrefixes,
  tableDefinition,
} from '../../../shared/store/table/table-definition.ts';

test('the table is as defined, protected, recoverable, encrypted, on demand and retained', () => {
  const { partitionKey, sortKey, indexes, timeToLiveAttribute } = tableDefinition;
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
  const stack = new Stack(new App(), 'Stack');
  new LeadTable(stack, 'Table', checkOptions({}));

  Template.fromStack(stack).hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
      KeySchema: keys(partitionKey, sortKey),
      // Keys and the size of large leads only.
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['largeKb'] },
      })),
    },
  });
});

test('a key of the table’s own stays with the table, but goes with a first deployment that fails', () => {
  const stack = new Stack(new App(), 'Stack');
  new LeadTable(stack, 'Table', checkOptions({ kmsKey: 'customer-managed' }));

  Template.fromStack(stack).hasResource('AWS::KMS::Key', {
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  });
});

test('no prefix of an item type begins another, so that a role limited to one reaches no other', () => {
  const prefixes = Object.values(partitionKeyPrefixes);

  expect(
    prefixes.filter((one, i) => prefixes.some((other, j) => i !== j && other.startsWith(one))),
  ).toEqual([]);
});
