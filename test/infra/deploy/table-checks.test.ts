import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import {
  createdBy,
  givenTable,
  issuesOf,
  json,
  jsonRefusal,
  keyArn,
  noStack,
  preflightWith,
  refusal,
  stack,
  stackName,
  stacksWithTables,
  tableName,
  useAccount,
} from './given-account.ts';

const replies = useAccount();
const streamArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${tableName}/stream/1`;
const isTable = (change: Partial<TableDescription>): void => {
  replies.DescribeTable = json({ Table: { ...givenTable(), ...change } });
};

describe('the table of tableName', () => {
  test('a table that restore finish has completed passes', async () => {
    expect(await preflightWith({ tableName })).toMatchObject({ failedChecks: [], unknown: [] });
  });

  test('a table that does not exist in the region is refused with the command that lists tables', async () => {
    replies.DescribeTable = jsonRefusal('ResourceNotFoundException');

    expect((await preflightWith({ tableName })).failedChecks).toEqual([
      {
        issue: `tableName: there is no table ${tableName} in eu-central-1: every request would fail.`,
        next: expect.stringMatching(/^aws dynamodb list-tables --region eu-central-1/),
      },
    ]);
  });

  const [byStage, ...otherIndexes] = givenTable().GlobalSecondaryIndexes ?? [];
  test.each<[string, Partial<TableDescription>, RegExp]>([
    ['is being restored', { TableStatus: 'CREATING' }, /^tableName: .*: the table is CREATING\.$/],
    [
      'has another key',
      { KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] },
      /: the key of table leads-restored-1 is id, ; expected pk, sk\.$/,
    ],
    [
      'has a key of another type',
      { AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'B' }] },
      /: the key of table leads-restored-1 is pk \(B\), sk; expected pk, sk\.$/,
    ],
    [
      'lacks an index',
      { GlobalSecondaryIndexes: otherIndexes },
      /: the index leadsByStage is missing: lists by it fail\.$/,
    ],
    [
      'has an index of keys only',
      {
        GlobalSecondaryIndexes: [
          ...otherIndexes,
          { ...byStage, Projection: { ProjectionType: 'KEYS_ONLY' } },
        ],
      },
      /: the index leadsByStage does not hold largeKb\.$/,
    ],
    [
      'is not protected',
      { DeletionProtectionEnabled: false },
      /^tableName: the table leads-restored-1 is not protected from deletion\.$/,
    ],
  ])('a table that %s is refused', async (_, change, issue) => {
    isTable(change);

    expect(issuesOf(await preflightWith({ tableName }))).toEqual([expect.stringMatching(issue)]);
  });

  test('a table that lacks an index and is not protected is refused for both', async () => {
    isTable({ GlobalSecondaryIndexes: otherIndexes, DeletionProtectionEnabled: false });

    expect(issuesOf(await preflightWith({ tableName }))).toEqual([
      expect.stringMatching(/: the index leadsByStage is missing: lists by it fail\.$/),
      expect.stringMatching(/ is not protected from deletion\.$/),
    ]);
  });

  test('a table without point-in-time recovery is refused with the command that switches it on', async () => {
    replies.DescribeContinuousBackups = json({
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: 'ENABLED',
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'DISABLED' },
      },
    });

    expect((await preflightWith({ tableName })).failedChecks).toEqual([
      {
        issue: expect.stringMatching(/^tableName: point-in-time recovery .* is off/),
        next: expect.stringMatching(/^aws dynamodb update-continuous-backups --table-name leads-/),
      },
    ]);
  });

  test('a table whose stream is another one, or has no new images, is refused for events', async () => {
    const options = { tableName, events: true, tableStreamArn: streamArn };
    const issue = expect.stringMatching(/^tableStreamArn: is not the stream of the table/);

    expect((await preflightWith(options)).failedChecks).toEqual([
      { issue, next: expect.stringMatching(/^aws dynamodb update-table .* --stream-spec/) },
    ]);
    const StreamSpecification = { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' } as const;
    isTable({ LatestStreamArn: `${streamArn}2`, StreamSpecification });
    expect((await preflightWith(options)).failedChecks).toEqual([
      { issue, next: `Set tableStreamArn to ${streamArn}2` },
    ]);
    isTable({ LatestStreamArn: streamArn, StreamSpecification });
    expect(issuesOf(await preflightWith(options))).toEqual([]);
  });

  test('credentials that may not describe the table or its backups get a note for each', async () => {
    replies.DescribeTable = jsonRefusal('AccessDeniedException');

    expect(await preflightWith({ tableName })).toMatchObject({
      failedChecks: [],
      unknown: [
        'The table leads-restored-1 could not be checked (AccessDeniedException: not authorized).',
      ],
    });
  });
});

describe('the encryption key of the table of tableName', () => {
  const customers = keyArn('own');
  const encryptedWith = (KMSMasterKeyArn: string): void =>
    isTable({ SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn } });

  test('a key of the customer that kmsKey does not name is refused, with the value of kmsKey', async () => {
    encryptedWith(customers);
    replies.DescribeKey = json({ KeyMetadata: { KeyId: 'own', KeyManager: 'CUSTOMER' } });

    for (const kmsKey of ['aws-managed', keyArn('another')])
      expect((await preflightWith({ tableName, kmsKey })).failedChecks).toEqual([
        {
          issue: `kmsKey: the table ${tableName} is encrypted with ${customers}, but kmsKey is ${kmsKey}: every request would fail.`,
          next: `Set kmsKey to ${customers}`,
        },
      ]);
  });

  test('the key that kmsKey names passes, without a request to KMS', async () => {
    encryptedWith(customers);
    replies.DescribeKey = jsonRefusal('AccessDeniedException');

    expect(await preflightWith({ tableName, kmsKey: customers })).toMatchObject({
      failedChecks: [],
      unknown: [],
    });
  });

  test("the account's key is refused if kmsKey names another one", async () => {
    expect((await preflightWith({ tableName, kmsKey: customers })).failedChecks).toEqual([
      { issue: expect.stringMatching(/^kmsKey: /), next: 'Set kmsKey to aws-managed' },
    ]);
  });

  test('a table that is encrypted with no key of the account is refused with the command that encrypts it', async () => {
    const { SSEDescription: _, ...table } = givenTable();
    replies.DescribeTable = json({ Table: table });

    expect((await preflightWith({ tableName })).failedChecks).toEqual([
      {
        issue: expect.stringMatching(/^kmsKey: .* encrypted with no key of the account/),
        next: `aws dynamodb update-table --table-name ${tableName} --sse-specification Enabled=true,SSEType=KMS`,
      },
    ]);
  });

  test('credentials that may not describe the key get a note', async () => {
    replies.DescribeKey = jsonRefusal('AccessDeniedException');

    expect(await preflightWith({ tableName })).toMatchObject({
      failedChecks: [],
      unknown: [expect.stringMatching(/^The encryption key .*AccessDeniedException: not auth/)],
    });
  });
});

const isTableOf = (owner: string): string =>
  `tableName: the table ${tableName} belongs to the stack ${owner}: both stacks would change the same leads.`;

test('a table that the stack of another environment uses is refused', async () => {
  replies.DescribeStacks = stacksWithTables({
    'another-service': 'orders',
    'lead-service-test': tableName,
  });

  const checked = await preflightWith({ tableName });

  expect(issuesOf(checked)).toEqual([isTableOf('lead-service-test')]);
  expect(checked.failedChecks[0]?.next).toMatch(/^Set tableName to a table that no other stack/);
});

test('a table that another stack created is refused, even if no output names it', async () => {
  replies[`DescribeStackResources ${tableName}`] = createdBy('data', tableName);

  expect(issuesOf(await preflightWith({ tableName }))).toEqual([isTableOf('data')]);
});

test.each([
  ['that the stack itself uses', { DescribeStacks: stacksWithTables({ [stackName]: tableName }) }],
  [
    'that the stack itself created',
    { [`DescribeStackResources ${tableName}`]: createdBy(stackName, tableName) },
  ],
  ['that no stack has', { [`DescribeStackResources ${tableName}`]: noStack(tableName) }],
  [
    'that a deleted stack kept',
    { [`DescribeStackResources ${tableName}`]: createdBy('old', tableName, 'DELETE_SKIPPED') },
  ],
])('a table %s is not refused', async (_, known) => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE');
  Object.assign(replies, known);

  expect(await preflightWith({ tableName })).toMatchObject({ failedChecks: [], unknown: [] });
});

test('credentials that may not describe all stacks get a note', async () => {
  replies.DescribeStacks = [403, refusal('AccessDenied', 'not authorized')];

  expect(await preflightWith({ tableName })).toMatchObject({
    failedChecks: [],
    unknown: [
      expect.stringMatching(/^The CDK bootstrap of \d+ in \S+ could not be checked/),
      expect.stringMatching(/^The stack of the table leads-restored-1 could not be checked/),
    ],
  });
});

test('a deployment without tableName is refused if the stack uses a table that it did not create', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    TableName: tableName,
  });

  const { failedChecks } = await preflightWith({ environment: 'production' });

  expect(failedChecks).toEqual([
    {
      issue: `tableName: is not set, but the service uses the table ${tableName}: the deployment would create an empty table.`,
      next: `Set environments.production.tableName to ${tableName} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`,
    },
  ]);
  expect(issuesOf(await preflightWith({}, { allowsNewTable: true }))).toEqual([]);
});

test('a new table and tableName are refused together', async () => {
  expect(issuesOf(await preflightWith({ tableName }, { allowsNewTable: true }))).toEqual([
    '--new-table: tableName is set, so the service would use the table leads-restored-1.',
  ]);
});

test('a deployment without tableName passes if the stack created the table that it uses', async () => {
  replies[`DescribeStacks ${stackName}`] = stack(stackName, 'UPDATE_COMPLETE', {
    TableName: tableName,
  });
  replies[`DescribeStackResources ${tableName}`] = createdBy(stackName, tableName);

  expect(issuesOf(await preflightWith())).toEqual([]);
});
