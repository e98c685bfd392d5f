import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { json, jsonRefusal, refusal } from '../../support/aws/aws-server.ts';
import {
  type AwsReplies,
  createdBy,
  expectPreflight,
  givenTable,
  keyArn,
  type PreflightCase,
  preflightWith,
  stackName,
  stacksWithTables,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();
const tableIs = (change: Partial<TableDescription>): AwsReplies => ({
  DescribeTable: json({ Table: { ...givenTable(), ...change } }),
});
const { SSEDescription: _, ...unencrypted } = givenTable();
const customers = keyArn('own');
const encryptedByCustomer: AwsReplies = {
  ...tableIs({
    SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: customers },
  }),
  DescribeKey: json({ KeyMetadata: { KeyId: 'own', KeyManager: 'CUSTOMER' } }),
};
const streamArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${tableName}/stream/1`;
const withEvents = { events: true, tableStreamArn: streamArn };
const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;
const [, ...otherIndexes] = givenTable().GlobalSecondaryIndexes ?? [];
const denied = [403, refusal('AccessDenied', 'not authorized')] as const;

const expectOfTable = async (one: PreflightCase): Promise<void> => {
  const options = { tableName, ...one.options };
  expect(await expectPreflight(replies, { ...one, options })).toBeDefined();
};

test.each<PreflightCase>([
  {
    what: 'on a table that does not exist in the region',
    aws: { DescribeTable: jsonRefusal('ResourceNotFoundException') },
    refused: [
      /^tableName: there is no table leads-restored-1 in eu-central-1: every request would/,
      /^aws dynamodb list-tables --region eu-central-1/,
    ],
  },
  {
    what: 'on a table that is being restored',
    aws: tableIs({ TableStatus: 'CREATING' }),
    refused: [/^tableName: .*: the table is CREATING\.$/, /^Wait until it is ACTIVE/],
  },
  {
    what: 'on a table with a key of another type',
    aws: tableIs({ AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'B' }] }),
    refused: [
      /: the key of table leads-restored-1 is pk \(B\), sk; expected pk, sk\.$/,
      /not a table of the lead service/,
    ],
  },
  {
    what: 'on a table that lacks an index',
    aws: tableIs({ GlobalSecondaryIndexes: otherIndexes }),
    refused: [/: the index leadsByStage is missing: lists by it fail\.$/, /add the index/],
  },
  {
    what: 'on a table that is not protected from deletion',
    aws: tableIs({ DeletionProtectionEnabled: false }),
    refused: [
      /^tableName: the table leads-restored-1 is not protected from deletion\.$/,
      /^aws dynamodb update-table .*--deletion-protection-enabled/,
    ],
  },
  {
    what: 'on a table without point-in-time recovery',
    aws: {
      DescribeContinuousBackups: json({
        ContinuousBackupsDescription: {
          ContinuousBackupsStatus: 'ENABLED',
          PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
        },
      }),
    },
    refused: [
      /^tableName: point-in-time recovery .* is off/,
      /^aws dynamodb update-continuous-backups --table-name leads-/,
    ],
  },
  {
    what: 'with events of a table without a stream of new images',
    options: withEvents,
    refused: [
      /^tableStreamArn: is not the stream of the table/,
      /^aws dynamodb update-table .* --stream-spec/,
    ],
  },
  {
    what: 'with events of a stream that has only the keys of the items',
    aws: tableIs({
      LatestStreamArn: streamArn,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    }),
    options: withEvents,
    refused: [
      /^tableStreamArn: is not the stream of the table/,
      /^aws dynamodb update-table .* --stream-spec/,
    ],
  },
  {
    what: 'with events of a table that has another stream',
    aws: tableIs({ LatestStreamArn: `${streamArn}2`, StreamSpecification }),
    options: withEvents,
    refused: [
      /^tableStreamArn: is not the stream of the table/,
      /^Set tableStreamArn to arn:.*\/stream\/12$/,
    ],
  },
  {
    what: "on a table that a customer's key encrypts, without kmsKey",
    aws: encryptedByCustomer,
    refused: [
      /^kmsKey: the table leads-restored-1 is encrypted with arn:.*:key\/own, but kmsKey is aws-managed: every request would fail\.$/,
      /^Set kmsKey to arn:aws:kms:.*:key\/own$/,
    ],
  },
  {
    what: "on a table that the account's key encrypts, with another kmsKey",
    options: { kmsKey: customers },
    refused: [/^kmsKey: /, /^Set kmsKey to aws-managed$/],
  },
  {
    what: 'on a table that no key of the account encrypts',
    aws: { DescribeTable: json({ Table: unencrypted }) },
    refused: [
      /^kmsKey: .* encrypted with no key of the account/,
      /^aws dynamodb update-table --table-name leads-restored-1 --sse-specification Enabled=true,SSEType=KMS$/,
    ],
  },
  {
    what: 'on a table that the stack of another environment uses',
    aws: {
      DescribeStacks: stacksWithTables({
        'another-service': 'orders',
        'lead-service-test': tableName,
      }),
    },
    refused: [
      /belongs to the stack lead-service-test: both stacks would change the same leads\.$/,
      /^Set tableName to a table that no other stack/,
    ],
  },
  {
    what: 'on a table that another stack created, even if no output names it',
    aws: { [`DescribeStackResources ${tableName}`]: createdBy('data', tableName) },
    refused: [/belongs to the stack data: /, /^Set tableName to a table that no other stack/],
  },
])('a deployment is refused $what', expectOfTable);

test.each<PreflightCase>([
  { what: 'on a table that restore finish has completed' },
  {
    what: 'on a table that the stack itself uses',
    aws: { DescribeStacks: stacksWithTables({ [stackName]: tableName }) },
  },
  {
    what: 'on a table that the stack itself created',
    aws: { [`DescribeStackResources ${tableName}`]: createdBy(stackName, tableName) },
  },
  {
    what: 'on a table that a deleted stack kept',
    aws: {
      [`DescribeStackResources ${tableName}`]: createdBy('old', tableName, 'DELETE_SKIPPED'),
    },
  },
  {
    what: 'with events of the stream of its table',
    aws: tableIs({ LatestStreamArn: streamArn, StreamSpecification }),
    options: withEvents,
  },
  {
    what: 'with the key of its table, without a request to KMS',
    aws: { ...encryptedByCustomer, DescribeKey: jsonRefusal('AccessDeniedException') },
    options: { kmsKey: customers },
  },
  {
    what: 'although its credentials may not describe all stacks, with notes',
    aws: { DescribeStacks: denied },
    unknown: [
      /^The CDK bootstrap of 123456789012 in eu-central-1 could not be checked/,
      /^The stack of the table leads-restored-1 could not be checked/,
    ],
  },
  {
    what: 'although its credentials may not describe the table, with a note',
    aws: { DescribeTable: jsonRefusal('AccessDeniedException') },
    unknown: [/^The table leads-restored-1 could not be checked \(AccessDeniedException: not auth/],
  },
  {
    what: 'although its credentials may not describe the encryption key, with a note',
    aws: { DescribeKey: jsonRefusal('AccessDeniedException') },
    unknown: [/^The encryption key .*AccessDeniedException: not auth/],
  },
])('a deployment passes $what', expectOfTable);

test('a table that lacks an index and is not protected is refused for both', async () => {
  const aws = tableIs({ GlobalSecondaryIndexes: otherIndexes, DeletionProtectionEnabled: false });

  Object.assign(replies, aws);
  const { failedChecks } = await preflightWith({ tableName });

  expect(failedChecks.map(({ message }) => message)).toEqual([
    expect.stringMatching(/: the index leadsByStage is missing: lists by it fail\.$/),
    expect.stringMatching(/ is not protected from deletion\.$/),
  ]);
});
