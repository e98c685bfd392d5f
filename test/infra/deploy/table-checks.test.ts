import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import {
  type AwsReplies,
  createdBy,
  givenTable,
  json,
  jsonRefusal,
  keyArn,
  noStack,
  type PreflightCase,
  preflightWith,
  type RefusedCase,
  refusal,
  stackName,
  stacksWithTables,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();
const target = { account: '123456789012', region: 'eu-central-1' };
const preflightOf = ({ aws, options, more }: PreflightCase) => {
  Object.assign(replies, aws);
  return preflightWith(options, more);
};

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
const withEvents = { tableName, events: true, tableStreamArn: streamArn };
const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;
const [byStage, ...otherIndexes] = givenTable().GlobalSecondaryIndexes ?? [];
const denied = [403, refusal('AccessDenied', 'not authorized')] as const;

test.each<RefusedCase>([
  {
    what: 'on a table that does not exist in the region',
    aws: { DescribeTable: jsonRefusal('ResourceNotFoundException') },
    options: { tableName },
    issue: /^tableName: there is no table leads-restored-1 in eu-central-1: every request would/,
    next: /^aws dynamodb list-tables --region eu-central-1/,
  },
  {
    what: 'on a table that is being restored',
    aws: tableIs({ TableStatus: 'CREATING' }),
    options: { tableName },
    issue: /^tableName: .*: the table is CREATING\.$/,
    next: /^Wait until it is ACTIVE/,
  },
  {
    what: 'on a table with a key of another type',
    aws: tableIs({ AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'B' }] }),
    options: { tableName },
    issue: /: the key of table leads-restored-1 is pk \(B\), sk; expected pk, sk\.$/,
    next: /not a table of the lead service/,
  },
  {
    what: 'on a table that lacks an index',
    aws: tableIs({ GlobalSecondaryIndexes: otherIndexes }),
    options: { tableName },
    issue: /: the index leadsByStage is missing: lists by it fail\.$/,
    next: /add the index/,
  },
  {
    what: 'on a table with an index of keys only',
    aws: tableIs({
      GlobalSecondaryIndexes: [
        ...otherIndexes,
        { ...byStage, Projection: { ProjectionType: 'KEYS_ONLY' } },
      ],
    }),
    options: { tableName },
    issue: /: the index leadsByStage does not hold largeKb\.$/,
    next: /^Create the index again/,
  },
  {
    what: 'on a table that is not protected from deletion',
    aws: tableIs({ DeletionProtectionEnabled: false }),
    options: { tableName },
    issue: /^tableName: the table leads-restored-1 is not protected from deletion\.$/,
    next: /^aws dynamodb update-table .*--deletion-protection-enabled/,
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
    options: { tableName },
    issue: /^tableName: point-in-time recovery .* is off/,
    next: /^aws dynamodb update-continuous-backups --table-name leads-/,
  },
  {
    what: 'with events of a table without a stream of new images',
    options: withEvents,
    issue: /^tableStreamArn: is not the stream of the table/,
    next: /^aws dynamodb update-table .* --stream-spec/,
  },
  {
    what: 'with events of a table that has another stream',
    aws: tableIs({ LatestStreamArn: `${streamArn}2`, StreamSpecification }),
    options: withEvents,
    issue: /^tableStreamArn: is not the stream of the table/,
    next: /^Set tableStreamArn to arn:.*\/stream\/12$/,
  },
  {
    what: "on a table that a customer's key encrypts, without kmsKey",
    aws: encryptedByCustomer,
    options: { tableName },
    issue:
      /^kmsKey: the table leads-restored-1 is encrypted with arn:.*:key\/own, but kmsKey is aws-managed: every request would fail\.$/,
    next: /^Set kmsKey to arn:aws:kms:.*:key\/own$/,
  },
  {
    what: "on a table that the account's key encrypts, with another kmsKey",
    options: { tableName, kmsKey: customers },
    issue: /^kmsKey: /,
    next: /^Set kmsKey to aws-managed$/,
  },
  {
    what: 'on a table that no key of the account encrypts',
    aws: { DescribeTable: json({ Table: unencrypted }) },
    options: { tableName },
    issue: /^kmsKey: .* encrypted with no key of the account/,
    next: /^aws dynamodb update-table --table-name leads-restored-1 --sse-specification Enabled=true,SSEType=KMS$/,
  },
  {
    what: 'on a table that the stack of another environment uses',
    aws: {
      DescribeStacks: stacksWithTables({
        'another-service': 'orders',
        'lead-service-test': tableName,
      }),
    },
    options: { tableName },
    issue: /belongs to the stack lead-service-test: both stacks would change the same leads\.$/,
    next: /^Set tableName to a table that no other stack/,
  },
  {
    what: 'on a table that another stack created, even if no output names it',
    aws: { [`DescribeStackResources ${tableName}`]: createdBy('data', tableName) },
    options: { tableName },
    issue: /belongs to the stack data: /,
    next: /^Set tableName to a table that no other stack/,
  },
])('a deployment is refused $what', async ({ issue, next, ...one }) => {
  expect(await preflightOf(one)).toEqual({
    failedChecks: [{ issue: expect.stringMatching(issue), next: expect.stringMatching(next) }],
    unknown: [],
    target,
  });
});

test.each<PreflightCase>([
  { what: 'on a table that restore finish has completed', options: { tableName } },
  {
    what: 'on a table that the stack itself uses',
    aws: { DescribeStacks: stacksWithTables({ [stackName]: tableName }) },
    options: { tableName },
  },
  {
    what: 'on a table that the stack itself created',
    aws: { [`DescribeStackResources ${tableName}`]: createdBy(stackName, tableName) },
    options: { tableName },
  },
  {
    what: 'on a table that no stack has',
    aws: { [`DescribeStackResources ${tableName}`]: noStack(tableName) },
    options: { tableName },
  },
  {
    what: 'on a table that a deleted stack kept',
    aws: {
      [`DescribeStackResources ${tableName}`]: createdBy('old', tableName, 'DELETE_SKIPPED'),
    },
    options: { tableName },
  },
  {
    what: 'with events of the stream of its table',
    aws: tableIs({ LatestStreamArn: streamArn, StreamSpecification }),
    options: withEvents,
  },
  {
    what: 'with the key of its table, without a request to KMS',
    aws: { ...encryptedByCustomer, DescribeKey: jsonRefusal('AccessDeniedException') },
    options: { tableName, kmsKey: customers },
  },
])('a deployment passes $what', async (one) => {
  expect(await preflightOf(one)).toEqual({ failedChecks: [], unknown: [], target });
});

test.each<PreflightCase & { readonly unknown: readonly RegExp[] }>([
  {
    what: 'all stacks',
    aws: { DescribeStacks: denied },
    options: { tableName },
    unknown: [
      /^The CDK bootstrap of 123456789012 in eu-central-1 could not be checked/,
      /^The stack of the table leads-restored-1 could not be checked/,
    ],
  },
  {
    what: 'the table',
    aws: { DescribeTable: jsonRefusal('AccessDeniedException') },
    options: { tableName },
    unknown: [/^The table leads-restored-1 could not be checked \(AccessDeniedException: not auth/],
  },
  {
    what: 'the encryption key',
    aws: { DescribeKey: jsonRefusal('AccessDeniedException') },
    options: { tableName },
    unknown: [/^The encryption key .*AccessDeniedException: not auth/],
  },
])(
  'credentials that may not describe $what get a note, and the deployment passes',
  async ({ unknown, ...one }) => {
    expect(await preflightOf(one)).toEqual({
      failedChecks: [],
      unknown: unknown.map((note) => expect.stringMatching(note)),
      target,
    });
  },
);

test('a table that lacks an index and is not protected is refused for both', async () => {
  const aws = tableIs({ GlobalSecondaryIndexes: otherIndexes, DeletionProtectionEnabled: false });

  const { failedChecks } = await preflightOf({ what: '', aws, options: { tableName } });

  expect(failedChecks.map(({ issue }) => issue)).toEqual([
    expect.stringMatching(/: the index leadsByStage is missing: lists by it fail\.$/),
    expect.stringMatching(/ is not protected from deletion\.$/),
  ]);
});
