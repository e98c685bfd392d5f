import type { TableDescription } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { CheckError } from '../../../infra/cli/command.ts';
import { type Deployment, type Preflight, preflight } from '../../../infra/deploy/preflight.ts';
import { checkOptions } from '../../../infra/stack/check-options.ts';
import type { LeadServiceProps } from '../../../infra/stack/service-options.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import {
  type AwsReply,
  type AwsRequest,
  json,
  noStack,
  refusal,
  stacksXml,
  stackXml,
  startAwsServer,
} from '../../support/aws/aws-server.ts';

/** What a stand-in for AWS returns, by the names of its requests. */
export type AwsReplies = Record<string, AwsReply>;

export const region = 'eu-central-1';
export const account = '123456789012';
export const stackName = 'lead-service-production';
export const tableName = 'leads-restored-1';

/** The last request by the name of its reply. */
export const lastRequests = new Map<string, AwsRequest>();

/** Points the AWS SDK of a test file at the stand-in. Before each test the account is ready for a first deployment. */
export function useAccount() {
  let server: Awaited<ReturnType<typeof startAwsServer>> | undefined;
  const replies: AwsReplies = {};
  beforeAll(async () => {
    server = await startAwsServer((request) => {
      lastRequests.set(request.name, request);
      return replies[request.name] ?? [400, refusal('NotExpected', request.name)];
    });
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    vi.stubEnv('AWS_ENDPOINT_URL', server?.endpoint);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    for (const name of Object.keys(replies)) delete replies[name];
    Object.assign(replies, readyForFirstDeployment());
  });
  afterEach(() => void vi.unstubAllEnvs());
  return replies;
}

/** What AWS replies instead, what is deployed, and what the checks find: by default, nothing. */
export interface PreflightCase {
  readonly what: string;
  readonly aws?: AwsReplies;
  readonly options?: LeadServiceProps;
  readonly more?: Partial<Deployment>;
  readonly refused?: readonly [issue: RegExp, next: RegExp];
  readonly unknown?: readonly RegExp[];
}

/** Runs the checks of a deployment. One that cannot begin has a failed check and no target. */
export const preflightWith = (
  options: LeadServiceProps = {},
  more: Partial<Deployment> = {},
): Promise<Omit<Preflight, 'target'> & Partial<Preflight>> =>
  preflight({
    ...{ region, options: checkOptions({ ...options }), allowsNewTable: false },
    qualifier: 'hnb659fds',
    ...more,
  }).catch((error) => {
    if (!(error instanceof CheckError)) throw error;
    return { failedChecks: [error], unknown: [], releaseBefore: undefined };
  });

/** Expects what a case says. @returns the target */
export async function expectPreflight(
  replies: AwsReplies,
  { aws, options, more, refused, unknown = [] }: PreflightCase,
) {
  Object.assign(replies, aws);
  const found = await preflightWith(options, more);
  expect(found.unknown).toEqual(unknown.map((note) => expect.stringMatching(note)));
  expect(found.failedChecks.map(({ message, next }) => [message, next])).toEqual(
    refused ? [refused.map((text) => expect.stringMatching(text))] : [],
  );
  return found.target;
}

const bootstrapXml = (version = 21): string =>
  stackXml('CDKToolkit', 'UPDATE_COMPLETE', [['BootstrapVersion', String(version)]]).replace(
    '<Outputs>',
    '<Parameters><member><ParameterKey>Qualifier</ParameterKey><ParameterValue>hnb659fds</ParameterValue></member></Parameters><Outputs>',
  );
export const stack = (
  name: string,
  status: string,
  outputs: Readonly<Record<string, string>> = {},
): AwsReply => stacksXml(stackXml(name, status, Object.entries(outputs)));
/** All stacks of an account with a bootstrap of this version, and of one without. */
export const bootstrapped = (version?: number): AwsReply => stacksXml(bootstrapXml(version));
export const notBootstrapped = (): AwsReply => stacksXml();
/** The bootstrap and stacks by name, each with the table of its output `TableName`. */
export const stacksWithTables = (tables: Readonly<Record<string, string>>): AwsReply =>
  stacksXml(
    bootstrapXml(),
    ...Object.entries(tables).map(([name, table]) =>
      stackXml(name, 'UPDATE_COMPLETE', [['TableName', table]]),
    ),
  );
/** What DescribeStackResources returns of a table: the stack, and the status of the table in it. */
export const createdBy = (name: string, table: string, status = 'CREATE_COMPLETE'): AwsReply => [
  200,
  `<DescribeStackResourcesResponse><DescribeStackResourcesResult><StackResources><member><StackName>${name}</StackName><PhysicalResourceId>${table}</PhysicalResourceId><ResourceType>AWS::DynamoDB::Table</ResourceType><ResourceStatus>${status}</ResourceStatus></member></StackResources></DescribeStackResourcesResult></DescribeStackResourcesResponse>`,
];

const readyForFirstDeployment = (): AwsReplies => ({
  GetCallerIdentity: [
    200,
    `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`,
  ],
  [`DescribeStacks ${stackName}`]: noStack(stackName),
  DescribeStacks: bootstrapped(),
  [`DescribeStackResources ${tableName}`]: noStack(tableName),
  DescribeTable: json({ Table: givenTable() }),
  ListTables: json({ TableNames: ['another-service', tableName] }),
  DescribeContinuousBackups: json({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' },
    },
  }),
  DescribeKey: json({ KeyMetadata: { KeyId: 'dynamodb', KeyManager: 'AWS' } }),
});

/** A table of the service as DescribeTable describes it: a restored one that `admin restore finish` has completed. */
export const givenTable = (): TableDescription => {
  const { partitionKey, sortKey, indexes } = tableDefinition;
  const schema = (hash: string, range: string): TableDescription['KeySchema'] => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
  const attributes = [partitionKey, ...indexes.flatMap((one) => [one.partitionKey, one.sortKey])];
  return {
    TableName: tableName,
    TableStatus: 'ACTIVE',
    DeletionProtectionEnabled: true,
    KeySchema: schema(partitionKey, sortKey),
    AttributeDefinitions: [...new Set(attributes)].map((name) => ({
      AttributeName: name,
      AttributeType: 'S',
    })),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      IndexStatus: 'ACTIVE',
      KeySchema: schema(index.partitionKey, index.sortKey),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
    SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: keyArn('dynamodb') },
  };
};
export const keyArn = (id: string): string => `arn:aws:kms:${region}:${account}:key/${id}`;
