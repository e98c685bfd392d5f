import { EventBridgeClient, type PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { vi } from 'vitest';
import { openEventBus } from '../../../shared/events/event-bus.ts';
import type { LeadEvent } from '../../../shared/leads/events.ts';
import type { IamRequest } from './iam-request.ts';
import { arn } from './role-policies.ts';

type Named = readonly [what: string, request: IamRequest];

const request = (
  action: string,
  resource: string,
  context: IamRequest['context'] = {},
): IamRequest => ({ action, resource, context });

const table = arn('dynamodb', 'table/leads');
const stream = `${table}/stream/2026`;
const queue = arn('sqs', 'undelivered');
const key = arn('kms', 'key/1');
const throughDynamoDb = { 'kms:ViaService': ['dynamodb.ap-south-1.amazonaws.com'] };
const lead = { 'dynamodb:LeadingKeys': ['LEADS#1'], 'dynamodb:Attributes': ['pk', 'sk'] };

/** The publisher's own request, as it sends it. */
async function sentToBus(): Promise<IamRequest> {
  let sent: PutEventsCommand | undefined;
  const send = vi.spyOn(EventBridgeClient.prototype, 'send').mockImplementation(async (command) => {
    sent = command as PutEventsCommand;
    return { Entries: [{ EventId: '1' }] };
  });
  const event = { type: 'LeadCreated', time: '2026-01-01T00:00:00Z', detail: {} };
  try {
    await openEventBus('lead-service-test').put([event as LeadEvent]);
  } finally {
    send.mockRestore(); // other files of tests share the process
  }
  const [entry] = sent?.input.Entries ?? [];
  return request('events:PutEvents', arn('events', `event-bus/${entry?.EventBusName}`), {
    'events:source': [entry?.Source ?? ''],
    'events:detail-type': [entry?.DetailType ?? ''],
  });
}

/**
 * The function that publishes events: what is sent in its role's name, by service and with who sends it, and what it must not do.
 * Lambda reads the stream and fills the dead-letter queue in the role's name (AWS: "Using Lambda with DynamoDB
 * Streams").
 */
export const publisher = {
  name: 'publish-events',
  description: 'Publishes the events of new timeline items',
  requests: async (): Promise<readonly Named[]> => [
    ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
      (action) => ['Lambda', request(`dynamodb:${action}`, stream)] as const,
    ),
    ['Lambda', request('dynamodb:ListStreams', '*')],
    ['Lambda', request('sqs:SendMessage', queue)],
    ['DynamoDB', request('kms:Decrypt', key, throughDynamoDb)],
    ['the function', await sentToBus()],
  ],
  denied: [
    ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem', 'Query'].map(
      (action) => [`${action} a lead`, request(`dynamodb:${action}`, table, lead)] as const,
    ),
    ['scan the table', request('dynamodb:Scan', table)],
    ['delete the table', request('dynamodb:DeleteTable', table)],
    [
      'read the stream of another table',
      request('dynamodb:GetRecords', arn('dynamodb', 'table/other/stream/1')),
    ],
    [
      'publish on the default bus',
      request('events:PutEvents', arn('events', 'event-bus/default'), {
        'events:source': ['lead-service'],
        'events:detail-type': ['LeadCreated'],
      }),
    ],
    ['add a rule to the bus', request('events:PutRule', arn('events', 'rule/lead-service-test/x'))],
    ['take messages from the dead-letter queue', request('sqs:ReceiveMessage', queue)],
    ['empty the dead-letter queue', request('sqs:PurgeQueue', queue)],
    ['send to another queue', request('sqs:SendMessage', arn('sqs', 'another'))],
    ['decrypt with the key by itself', request('kms:Decrypt', key)],
    ['delete the key', request('kms:ScheduleKeyDeletion', key, throughDynamoDb)],
    ['call a function', request('lambda:InvokeFunction', arn('lambda', 'function:any'))],
  ] as readonly Named[],
};
