import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EndpointName, endpoints } from '../../../shared/endpoints.ts';
import { everyOption, templateWith } from '../../infra/stack/service-template.ts';
import { type IamRequest, tableArn } from './iam-request.ts';
import { publisher } from './publisher.ts';
import { arn, decide, type PolicyStatement, policyOf, statementsOf } from './role-policies.ts';

/** What no function may do, whatever a defect or an attacker makes it send. */

let template: Template;
const policies = new Map<EndpointName, readonly PolicyStatement[]>();
beforeAll(async () => {
  template = await templateWith();
  for (const { name } of endpoints) policies.set(name, policyOf(template, name));
}, 60_000);

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}
interface Sent {
  readonly attributes?: readonly string[];
  readonly keys?: readonly string[];
  readonly resource?: string;
}
const sent = (
  action: string,
  { attributes, keys = [], resource = tableArn }: Sent,
): IamRequest => ({
  action: `dynamodb:${action}`,
  resource,
  context: {
    ...(keys.length > 0 && { 'dynamodb:LeadingKeys': [...keys] }),
    ...(attributes && { 'dynamodb:Attributes': ['pk', 'sk', ...attributes] }),
  },
});
const key = ['KEY#0f'];
const usage = ['USAGE#1'];

const denied: readonly (readonly [what: string, request: IamRequest])[] = [
  [
    'mint an API key by an update',
    sent('UpdateItem', {
      keys: key,
      attributes: ['organizationId', 'keyId', 'scopes', 'expiresAt', 'used', 'windowEndsAt'],
    }),
  ],
  [
    'move an API key to another organization',
    sent('UpdateItem', { keys: key, attributes: ['organizationId'] }),
  ],
  ['widen the scopes of an API key', sent('UpdateItem', { keys: key, attributes: ['scopes'] })],
  ['update an API key without naming attributes', sent('UpdateItem', { keys: key })],
  ['put an API key', sent('PutItem', { keys: key, attributes: ['organizationId'] })],
  ['delete an API key', sent('DeleteItem', { keys: key, attributes: [] })],
  ['read an API key', sent('GetItem', { keys: key, attributes: [] })],
  ['query API keys', sent('Query', { keys: key })],
  [
    'change the version of the settings',
    sent('UpdateItem', { keys: usage, attributes: ['settingsVersion'] }),
  ],
  ['put settings', sent('PutItem', { keys: ['ORG#1'], attributes: ['settings'] })],
  ['update settings', sent('UpdateItem', { keys: ['ORG#1'], attributes: ['settings'] })],
  ['query what an organization has', sent('Query', { keys: ['ORG#1'] })],
  ['delete a lead', sent('DeleteItem', { keys: ['LEADS#1'], attributes: [] })],
  // In a transaction, some roles may: request-roles.test.ts.
  ['put a lead on its own', sent('PutItem', { keys: ['LEADS#1'], attributes: ['fields'] })],
  ['update a lead on its own', sent('UpdateItem', { keys: ['LEADS#1'], attributes: ['fields'] })],
  ['put a phone on its own', sent('PutItem', { keys: ['PHONE#1'], attributes: ['leadId'] })],
  ['delete an email on its own', sent('DeleteItem', { keys: ['EMAIL#1'], attributes: [] })],
  ['write a timeline on its own', sent('PutItem', { keys: ['TIMELINE#1'], attributes: ['what'] })],
  ['read the audit log', sent('Query', { keys: ['HISTORY#1'] })],
  ['write the audit log', sent('PutItem', { keys: ['HISTORY#1'], attributes: ['what'] })],
  ['read leads and keys at once', sent('BatchGetItem', { keys: ['LEADS#1', ...key] })],
  ['scan the table', sent('Scan', {})],
  ['query without a partition key', sent('Query', {})],
  ['read by PartiQL', sent('PartiQLSelect', { keys: ['LEADS#1'] })],
  ['query the table by an index’s key', sent('Query', { keys: ['STAGE#1#11'] })],
  [
    'query an index by a lead’s key',
    sent('Query', { keys: ['LEADS#1'], resource: `${tableArn}/index/leadsByStage` }),
  ],
  ['read another table', sent('GetItem', { keys: ['LEADS#1'], resource: `${tableArn}-other` })],
  ['describe the table', sent('DescribeTable', {})],
  ['change the table', sent('UpdateTable', {})],
  ['delete the table', sent('DeleteTable', {})],
  ['export the table', sent('ExportTableToPointInTime', {})],
];

describe.each(endpoints)('the role of $name', ({ name }) => {
  test.each(denied)('does not allow to %s', async (_, request) => {
    expect((await decide(policies.get(name) ?? [], request)).isAllowed).toBe(false);
  });

  test('allows what each request needs: to take a token of a key and of the organization', async () => {
    const bucket = ['used', 'windowEndsAt'];
    const ofKey = [...bucket, 'revokedAt', 'expiresAt'];
    const requests = [
      sent('UpdateItem', { keys: key, attributes: ofKey }),
      sent('UpdateItem', { keys: usage, attributes: bucket }),
    ];

    for (const request of requests)
      expect((await decide(policies.get(name) ?? [], request)).isAllowed).toBe(true);
  });
});

test('the role of a function has no managed and no inline policy', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role')) as Resource[];
  const ofFunctions = roles.filter(({ Properties }) =>
    JSON.stringify(Properties.AssumeRolePolicyDocument).includes('lambda.amazonaws.com'),
  );

  expect(ofFunctions.length).toBeGreaterThanOrEqual(endpoints.length);
  for (const { Properties } of ofFunctions)
    expect([Properties.ManagedPolicyArns, Properties.Policies]).toEqual([undefined, undefined]);
});

test('the role of a function reaches DynamoDB and its own log, each by its name, and no other service', () => {
  const policies = Object.values(template.findResources('AWS::IAM::Policy')) as Resource[];
  const statements = policies.flatMap(
    ({ Properties }) => (Properties.PolicyDocument as { Statement: PolicyStatement[] }).Statement,
  );

  const actions = statements.flatMap(({ Action }) => [Action].flat());
  expect(new Set(actions.map((action) => action.split(':')[0]))).toEqual(
    new Set(['dynamodb', 'logs']),
  );
  expect(JSON.stringify(statements.map(({ Resource }) => Resource))).not.toContain('*');
});

/** The role of the function that publishes events, evaluated by the simulator of IAM. */

const { description, requests } = publisher;
let statements: readonly PolicyStatement[];
beforeAll(async () => {
  statements = statementsOf(await templateWith(everyOption), description);
}, 60_000);

describe('the role of publish-events', () => {
  test('allows what the function sends, and what Lambda and DynamoDB do in its name', async () => {
    const refused = [];
    for (const [sender, request] of await requests())
      if (!(await decide(statements, request)).isAllowed) refused.push([sender, request]);

    expect(refused).toEqual([]);
  });

  test.each(publisher.denied)('does not allow to %s', async (_, request) => {
    expect((await decide(statements, request)).isAllowed).toBe(false);
  });

  test('names only its own resources; ListStreams and tracing support none', () => {
    const resources = statements.flatMap(({ Action, Resource }) =>
      [Action].flat().map((action) => `${action.split(':')[0]} ${Resource}`),
    );

    expect([...new Set(resources)].sort()).toEqual([
      'dynamodb *',
      `dynamodb ${arn('dynamodb', 'table/leads/stream/2026')}`,
      `events ${arn('events', 'event-bus/lead-service-test')}`,
      `kms ${arn('kms', 'key/1')}`,
      expect.stringMatching(/^logs .*:log-group:ServiceEventsPublisherLog\w+:\*$/),
      `sqs ${arn('sqs', 'undelivered')}`,
      'xray *',
    ]);
  });
});
