import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { memoryVariables } from '../../../infra/bundle/function-memory.ts';
import { eventFilter } from '../../../shared/store/table/event-filter.ts';
import { everyOption, propertiesOf, resourcesOf, templateWith } from './service-template.ts';

const tableStreamArn =
  'arn:aws:dynamodb:eu-central-1:123456789012:table/leads-restored/stream/2026-11-21T00:00:00.000';

const off = await templateWith();
const full = await templateWith(everyOption);
const more = await templateWith({ heartbeat: true, events: true });
const restored = await templateWith({
  waf: true,
  events: true,
  tableName: 'leads-restored',
  tableStreamArn,
});

test('the heartbeat and events add resources, and change only the table, the dashboard and one alarm', () => {
  const [before, after] = [resourcesOf(off), resourcesOf(more)];
  const added = Object.keys(after).filter((id) => !(id in before));
  const changed = Object.keys(before).filter(
    (id) => JSON.stringify(before[id]) !== JSON.stringify(after[id]),
  );

  expect(
    added
      .filter((id) => !/Events/.test(id))
      .map((id) => after[id]?.Type)
      .sort(),
  ).toEqual([
    'AWS::CloudWatch::Alarm',
    'AWS::Events::Rule',
    'AWS::IAM::Policy',
    'AWS::IAM::Role',
    'AWS::Lambda::EventInvokeConfig',
    'AWS::Lambda::Function',
    'AWS::Lambda::Permission',
    'AWS::Logs::LogGroup',
  ]);
  // The alarm must not count the heartbeat.
  expect(changed.map((id) => after[id]?.Properties?.AlarmName ?? after[id]?.Type).sort()).toEqual([
    'AWS::CloudWatch::Dashboard',
    'AWS::DynamoDB::Table',
    'lead-service-production-CallersUnauthorized',
  ]);
});

describe('the firewall', () => {
  test('the firewall exists if it is switched on, in front of this stage', () => {
    full.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
    full.hasResourceProperties('AWS::WAFv2::WebACL', { Scope: 'REGIONAL' });
  });

  test('the firewall keeps no sample of a request, which would show its key', () => {
    const text = JSON.stringify(full.findResources('AWS::WAFv2::WebACL'));

    expect(text).toContain('"SampledRequestsEnabled":false');
    expect(text).not.toContain('"SampledRequestsEnabled":true');
  });

  test('the firewall answers 429 to an address above the requests of two organizations', () => {
    const acl = (limit: number) => ({
      CustomResponseBodies: {
        TooManyRequests: {
          ContentType: 'APPLICATION_JSON',
          Content: Match.serializedJson({
            error: { code: 'RATE_LIMITED', message: Match.stringLikeRegexp('Retry-After') },
          }),
        },
      },
      Rules: Match.arrayWith([
        Match.objectLike({
          Statement: { RateBasedStatement: Match.objectLike({ Limit: limit }) },
          Action: {
            Block: {
              CustomResponse: {
                ResponseCode: 429,
                CustomResponseBodyKey: 'TooManyRequests',
                ResponseHeaders: [
                  { Name: 'Retry-After', Value: '300' },
                  { Name: 'Cache-Control', Value: 'no-store' },
                ],
              },
            },
          },
        }),
      ]),
    });

    restored.hasResourceProperties('AWS::WAFv2::WebACL', acl(6000));
    full.hasResourceProperties('AWS::WAFv2::WebACL', acl(2000));
  });

  test('the firewall refuses only by address, never by the content of an enquiry', () => {
    expect(JSON.stringify(full.findResources('AWS::WAFv2::WebACL'))).not.toMatch(
      /CommonRuleSet|KnownBadInputs|SQLi|FieldToMatch/,
    );
  });
});

const alarmNames = (template: Template): string[] =>
  propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmName }) =>
    AlarmName.replace(/^lead-service-(production|test)-/, ''),
  );
const calledAddress = (template: Template) =>
  propertiesOf(template, 'AWS::Lambda::Function')
    .map(({ Environment }) => Environment.Variables)
    .find((variables) => 'HEARTBEAT_BASE_URL' in variables);

describe('the heartbeat', () => {
  test('runs in the third of every five minutes, and a late one is dropped', () => {
    more.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'cron(2/5 * * * ? *)',
      State: 'ENABLED',
      Targets: [
        Match.objectLike({
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        }),
      ],
    });
    more.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
    });
  });

  test.each(['alone', 'with tracing and every other option'])(
    'may write its log and nothing else, %s',
    (which) => {
      const template = which === 'alone' ? more : full;
      const roles = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
        id.includes('Heartbeat'),
      );
      const statements = propertiesOf(template, 'AWS::IAM::Policy')
        .filter(({ Roles }) => JSON.stringify(Roles).includes('Heartbeat'))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

      expect(roles).toHaveLength(1);
      expect(roles[0]?.[1].Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(statements).toEqual([
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { 'Fn::GetAtt': [expect.stringMatching(/Heartbeat.*Log/), 'Arn'] },
        },
      ]);
    },
  );

  test('calls the address of the stage, or the domain, whose certificate it then watches', () => {
    expect(JSON.stringify(calledAddress(more)?.HEARTBEAT_BASE_URL)).toMatch(/execute-api.*live/);
    expect(calledAddress(more)).not.toHaveProperty('HEARTBEAT_WATCHES_CERTIFICATE');
    expect(alarmNames(more)).not.toContain('CertificateExpires');
    expect(calledAddress(full)).toMatchObject({
      HEARTBEAT_BASE_URL: 'https://leads.example.com',
      HEARTBEAT_WATCHES_CERTIFICATE: 'true',
    });
    expect(alarmNames(full)).toContain('CertificateExpires');
  });
});

describe('with events', () => {
  test('the publisher has the memory limits of a function with 512 MB', () => {
    more.hasResourceProperties('AWS::Lambda::Function', {
      MemorySize: 512,
      Environment: { Variables: Match.objectLike(memoryVariables(512)) },
    });
  });

  test('the stream feeds the publisher through the filter, retries for a day, then uses the queue', () => {
    more.hasResourceProperties('AWS::DynamoDB::Table', {
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    });
    more.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('Table'), 'StreamArn'] },
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(eventFilter) }] },
      BatchSize: 100,
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 86_400,
      MaximumRetryAttempts: Match.absent(),
      ParallelizationFactor: Match.absent(),
      DestinationConfig: {
        OnFailure: {
          Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('Undelivered'), 'Arn'] },
        },
      },
    });
  });

  test('a restored table is read through the stream that is named', () => {
    restored.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: tableStreamArn,
    });
    restored.resourceCountIs('AWS::DynamoDB::Table', 0);
  });
});
