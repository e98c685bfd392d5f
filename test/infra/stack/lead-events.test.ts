import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { memoryVariables } from '../../../infra/bundle/function-memory.ts';
import { eventFilter } from '../../../shared/store/table/table-definition.ts';
import { resourcesOf, templateWith } from './service-template.ts';

const tableStreamArn =
  'arn:aws:dynamodb:eu-central-1:123456789012:table/leads-restored/stream/2026-11-21T00:00:00.000';

const off = await templateWith();
const on = await templateWith({ events: true });
const restored = await templateWith({ events: true, tableName: 'leads-restored', tableStreamArn });

const idsOf = (template: Template): string[] => Object.keys(resourcesOf(template));

describe('without events', () => {
  test('there is no stream, bus, queue or mapping, and no function besides those of the endpoints', () => {
    for (const type of [
      'AWS::Events::EventBus',
      'AWS::SQS::Queue',
      'AWS::Lambda::EventSourceMapping',
    ])
      off.resourceCountIs(type, 0);
    off.hasResourceProperties('AWS::DynamoDB::Table', { StreamSpecification: Match.absent() });
    off.resourcePropertiesCountIs(
      'AWS::Lambda::Function',
      { Description: Match.stringLikeRegexp('^Publishes') },
      0,
    );
  });
});

describe('with events', () => {
  test('events add resources, and change no other resource than the table and the dashboard', () => {
    const added = idsOf(on).filter((id) => !idsOf(off).includes(id));
    const changed = idsOf(off).filter(
      (id) => JSON.stringify(resourcesOf(off)[id]) !== JSON.stringify(resourcesOf(on)[id]),
    );

    expect(idsOf(off).filter((id) => !idsOf(on).includes(id))).toEqual([]);
    expect(added.every((id) => /Events/.test(id))).toBe(true);
    expect(changed.map((id) => resourcesOf(on)[id]?.Type).sort()).toEqual([
      'AWS::CloudWatch::Dashboard',
      'AWS::DynamoDB::Table',
    ]);
  });

  test('the publisher has the memory limits of a function with 512 MB', () => {
    on.hasResourceProperties('AWS::Lambda::Function', {
      MemorySize: 512,
      Environment: { Variables: Match.objectLike(memoryVariables(512)) },
    });
  });

  test('the stream feeds the publisher through the filter, retries for a day, then uses the queue', () => {
    on.hasResourceProperties('AWS::DynamoDB::Table', {
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
    });
    on.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
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

  test('a restored table is read by the stream that is named', () => {
    restored.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: tableStreamArn,
    });
    restored.resourceCountIs('AWS::DynamoDB::Table', 0);
  });
});
