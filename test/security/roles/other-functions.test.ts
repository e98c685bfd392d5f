import { beforeAll, describe, expect, test } from 'vitest';
import { everyOption, templateWith } from '../../infra/stack/service-template.ts';
import { publisher } from './other-functions.ts';
import { decide } from './role-policies.ts';
import type { PolicyStatement } from './role-statements.ts';
import { arn, statementsOf } from './role-statements.ts';

/** The role of the function that publishes events, evaluated by the simulator of IAM. */

const { description, requests, denied } = publisher;
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

  test.each(denied)('does not allow to %s', async (_, request) => {
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
