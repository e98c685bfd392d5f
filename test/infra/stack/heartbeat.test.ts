import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { everyOption, propertiesOf, resourcesOf, templateWith } from './service-template.ts';

const off = await templateWith();
const on = await templateWith({ heartbeat: true });
const full = await templateWith(everyOption);

const alarmNames = (template: Template): string[] =>
  propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmName }) =>
    AlarmName.replace(/^lead-service-(production|test)-/, ''),
  );
const calledAddress = (template: Template) =>
  propertiesOf(template, 'AWS::Lambda::Function')
    .map(({ Environment }) => Environment.Variables)
    .find((variables) => 'HEARTBEAT_BASE_URL' in variables);

describe('the heartbeat', () => {
  test('adds resources, and changes only the dashboard and the alarm that must not count it', () => {
    const [before, after] = [resourcesOf(off), resourcesOf(on)];
    const added = Object.keys(after).filter((id) => !(id in before));
    const changed = Object.keys(before).filter(
      (id) => JSON.stringify(before[id]) !== JSON.stringify(after[id]),
    );

    expect(added.map((id) => after[id]?.Type).sort()).toEqual([
      'AWS::CloudWatch::Alarm',
      'AWS::Events::Rule',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
    ]);
    expect(changed.map((id) => after[id]?.Properties.AlarmName ?? after[id]?.Type).sort()).toEqual([
      'AWS::CloudWatch::Dashboard',
      'lead-service-production-CallersUnauthorized',
    ]);
  });

  test('runs in the third of every five minutes, and one that is late is dropped', () => {
    on.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'cron(2/5 * * * ? *)',
      State: 'ENABLED',
      Targets: [
        Match.objectLike({
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        }),
      ],
    });
    on.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
    });
  });

  test.each(['alone', 'with tracing and every other option'])(
    'may write its log and nothing else, %s',
    (which) => {
      const template = which === 'alone' ? on : full;
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
    expect(JSON.stringify(calledAddress(on)?.HEARTBEAT_BASE_URL)).toMatch(/execute-api.*live/);
    expect(calledAddress(on)).not.toHaveProperty('HEARTBEAT_WATCHES_CERTIFICATE');
    expect(alarmNames(on)).not.toContain('CertificateExpires');
    expect(calledAddress(full)).toMatchObject({
      HEARTBEAT_BASE_URL: 'https://leads.example.com',
      HEARTBEAT_WATCHES_CERTIFICATE: 'true',
    });
    expect(alarmNames(full)).toContain('CertificateExpires');
  });

  test('a heartbeat that is missing sets its alarm off', () => {
    on.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'lead-service-production-HeartbeatFailed',
      TreatMissingData: 'breaching',
    });
  });
});
