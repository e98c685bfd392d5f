import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EndpointName, endpoints } from '../../../../shared/contract/endpoints.ts';
import { everyOption, templateWith } from '../../../infra/stack/service-template.ts';
import { type IamRequest, tableArn } from './iam-request.ts';
import { type RecordedRequests, recordRequests } from './recorded-requests.ts';
import {
  arn,
  type Decision,
  decide,
  type PolicyStatement,
  policyOf,
  statementsOf,
} from './role-policies.ts';

/**
 * A simulator of IAM evaluates the roles on the functions' real requests to DynamoDB. Every request is allowed, and no permission is
 * granted that no request needs.
 */

const names = endpoints.map(({ name }) => name);
interface Decided {
  readonly request: IamRequest;
  readonly decision: Decision;
}
let template: Template;
let statements: ReadonlyMap<EndpointName, readonly PolicyStatement[]>;
/** Each kind of request of a function once, with what its role says. */
let decided: ReadonlyMap<EndpointName, readonly Decided[]>;
beforeAll(async () => {
  let recorded: RecordedRequests;
  [template, recorded] = await Promise.all([templateWith(), recordRequests()]);
  statements = new Map(names.map((name) => [name, policyOf(template, name)]));
  const all = names.map(async (name) => {
    const own = (recorded.get(name) ?? []).map(async (request) => ({
      request,
      decision: await decide(grantsOf(name), request),
    }));
    return [name, await Promise.all(own)] as const;
  });
  decided = new Map(await Promise.all(all));
}, 120_000);

const grantsOf = (name: EndpointName) => statements.get(name) ?? [];
const decidedOf = (name: EndpointName) => decided.get(name) ?? [];
const prefixOf = (key: string): string => key.slice(0, key.indexOf('#') + 1);
/** The items whose attributes a role limits. */
const limitedItems = (name: EndpointName) => [
  'KEY#',
  'USAGE#',
  ...(name === 'add-note' ? ['LEADS#'] : []),
];
/** One kind of request in words, as ROLES.md has it. */
function kindOf(name: EndpointName, { action, resource, context }: IamRequest): string {
  const prefixes = [...new Set((context['dynamodb:LeadingKeys'] ?? []).map(prefixOf))].sort();
  const attributes = limitedItems(name).includes(prefixes.join())
    ? context['dynamodb:Attributes']
    : [];
  return [
    `${action.replace('dynamodb:', '')} ${prefixes.join(' ')}`,
    ...(resource === tableArn ? [] : [`of the index ${resource.split('/').at(-1)}`]),
    ...(attributes?.length ? [`naming ${attributes.join(', ')}`] : []),
    ...(context['dynamodb:EnclosingOperation'] ? ['in a transaction'] : []),
  ].join(' ');
}

describe.each(names)('the role of %s', (name) => {
  test('allows every request that the function sends', () => {
    const own = decidedOf(name);

    expect(own.length).toBeGreaterThan(1);
    expect(own.filter(({ decision }) => !decision.isAllowed)).toEqual([]);
  });

  test('grants nothing that no request of the function needs', () => {
    const granted = grantsOf(name).flatMap((statement) =>
      leadingKeysOf(statement).map((keys) => `${statement.Sid} ${keys}`),
    );

    const needed = decidedOf(name).flatMap(({ request, decision }) => {
      const keys = request.context['dynamodb:LeadingKeys'] ?? [];
      return decision.by.flatMap((sid) => keys.map((key) => `${sid} ${prefixOf(key)}*`));
    });

    expect([...new Set(needed)].sort()).toEqual([...new Set(granted)].sort());
  });

  test.each(limitedItems(name))('names no attribute of %s that no request names', (prefix) => {
    const granted = grantsOf(name)
      .filter((one) => leadingKeysOf(one).includes(`${prefix}*`))
      .flatMap(
        ({ Condition }) =>
          Condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] as string[],
      );

    const named = decidedOf(name)
      .filter(({ request }) => request.context['dynamodb:LeadingKeys']?.[0]?.startsWith(prefix))
      .flatMap(({ request }) => request.context['dynamodb:Attributes'] ?? []);

    expect([...new Set(named)].sort()).toEqual(granted.sort());
  });
});

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

/** What no function may do, whatever a defect or an attacker makes it send. */
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
  // Some roles may do these in a transaction: the tests above say which.
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

describe('no function', () => {
  /** The statements of all roles. None is a Deny, so a request that they do not allow together is allowed by no role. */
  let all: readonly PolicyStatement[];
  beforeAll(() => {
    const granted = [...statements.values()].flat();
    // A policy names each of its statements differently.
    const distinct = new Set(granted.map(({ Sid: _, ...one }) => JSON.stringify(one)));
    all = [...distinct].map((one) => JSON.parse(one));
    expect(granted.filter(({ Effect }) => Effect !== 'Allow')).toEqual([]);
  });

  test.each(denied)('is allowed to %s', async (_, request) => {
    expect((await decide(all, request)).isAllowed).toBe(false);
  });
});

test('the role of a function has no managed and no inline policy', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role'));
  const ofFunctions = roles.filter(({ Properties }) =>
    JSON.stringify(Properties.AssumeRolePolicyDocument).includes('lambda.amazonaws.com'),
  );

  expect(ofFunctions.length).toBeGreaterThanOrEqual(endpoints.length);
  for (const { Properties } of ofFunctions)
    expect([Properties.ManagedPolicyArns, Properties.Policies]).toEqual([undefined, undefined]);
});

test('the role of a function reaches DynamoDB and its own log, each by its name, and no other service', () => {
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const statements = policies.flatMap(
    ({ Properties }) => (Properties.PolicyDocument as { Statement: PolicyStatement[] }).Statement,
  );

  const actions = statements.flatMap(({ Action }) => [Action].flat());
  expect(new Set(actions.map((action) => action.split(':')[0]))).toEqual(
    new Set(['dynamodb', 'logs']),
  );
  expect(JSON.stringify(statements.map(({ Resource }) => Resource))).not.toContain('*');
});

/**
 * The requests that are sent under the role of publish-events, and their senders. Lambda uses it to read the stream and to fill the
 * dead-letter queue (AWS: "Using Lambda with DynamoDB Streams").
 */
const publisherRequests: readonly (readonly [sender: string, action: string, resource: string])[] =
  [
    ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
      (action) =>
        ['Lambda', `dynamodb:${action}`, arn('dynamodb', 'table/leads/stream/2026')] as const,
    ),
    ['Lambda', 'dynamodb:ListStreams', '*'],
    ['Lambda', 'sqs:SendMessage', arn('sqs', 'undelivered')],
    ['DynamoDB', 'kms:Decrypt', arn('kms', 'key/1')],
    ['the function', 'events:PutEvents', arn('events', 'event-bus/lead-service-test')],
  ];

test('ROLES.md says what each function may do', async () => {
  const lines = names.flatMap((name) => {
    const kinds = [...new Set(decidedOf(name).map(({ request }) => kindOf(name, request)))].sort();
    return [`## ${name}`, '', ...kinds.map((kind) => `- ${kind}`), ''];
  });
  const ofPublisher = publisherRequests.map(
    ([sender, action, resource]) =>
      `- ${action} of ${resource === '*' ? resource : resource.split(':').slice(5).join(':')}, by ${sender}`,
  );
  const document = [
    '# What each function asks of AWS, and its role allows',
    '',
    'Recorded from the functions, and evaluated by a simulator of IAM. Of DynamoDB, nothing else is granted to the functions of endpoints;',
    'beyond DynamoDB they may only write their own log.',
    'A test compares this list: `npm test -- roles -u` writes it again.',
    '',
    ...lines,
    '## publish-events',
    '',
    'Only with `events`. What Lambda and DynamoDB do in its name is from their documentation.',
    '',
    ...ofPublisher,
    '',
  ];

  await expect(document.join('\n')).toMatchFileSnapshot('ROLES.md');
});

const leadingKeysOf = ({ Condition }: PolicyStatement): string[] =>
  [Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as string | string[]].flat();

test('the role of publish-events allows the requests sent under it, and grants nothing else', async () => {
  const own = statementsOf(
    await templateWith(everyOption),
    'Publishes the events of new timeline items',
  );

  const refused = [];
  for (const [, action, resource] of publisherRequests) {
    const context = action.startsWith('kms:')
      ? { 'kms:ViaService': ['dynamodb.ap-south-1.amazonaws.com'] }
      : {};
    if (!(await decide(own, { action, resource, context })).isAllowed) refused.push(action);
  }
  expect(refused).toEqual([]);

  const granted = own.flatMap(({ Action, Resource, Condition }) =>
    [Action]
      .flat()
      .map((action) => `${action} ${Resource}${Condition ? ` ${JSON.stringify(Condition)}` : ''}`),
  );
  const throughDynamoDb = '{"StringEquals":{"kms:ViaService":"dynamodb.ap-south-1.amazonaws.com"}}';
  expect(granted.sort()).toEqual([
    ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
      (action) => `dynamodb:${action} ${arn('dynamodb', 'table/leads/stream/2026')}`,
    ),
    'dynamodb:ListStreams *',
    `events:PutEvents ${arn('events', 'event-bus/lead-service-test')}`,
    ...['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
      (action) => `kms:${action} ${arn('kms', 'key/1')} ${throughDynamoDb}`,
    ),
    expect.stringMatching(/^logs:CreateLogStream .*:log-group:ServiceEventsPublisherLog\w+:\*$/),
    expect.stringMatching(/^logs:PutLogEvents .*:log-group:ServiceEventsPublisherLog\w+:\*$/),
    ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map(
      (action) => `sqs:${action} ${arn('sqs', 'undelivered')}`,
    ),
    'xray:PutTelemetryRecords *',
    'xray:PutTraceSegments *',
  ]);
});
