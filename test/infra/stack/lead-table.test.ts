import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { keysOf } from '../../../shared/base/maps.ts';
import { entities, indexKeys, prefixOf } from '../../../shared/store/table/entities.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import {
  type AlarmProperties,
  firstAlarm,
  isInAlarm,
  type PeriodSum,
} from './monitoring/alarm-evaluator.ts';
import { propertiesOf, templateWith } from './service-template.ts';

const copyTo = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:leads-copy';
const daily = { RuleName: 'daily', Lifecycle: { DeleteAfterDays: 35 } };
const monthly = { RuleName: 'monthly', Lifecycle: { DeleteAfterDays: 365 } };

const on = await templateWith({ backup: true, auditDays: 365 });
const copied = await templateWith({
  backup: true,
  backupLock: 'compliance',
  backupCopyTo: copyTo,
  kmsKey: 'customer-managed',
});

test('the table is as defined, protected, recoverable, encrypted, on demand and retained', () => {
  const { partitionKey, sortKey, indexes, timeToLiveAttribute } = tableDefinition;
  const keys = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];

  on.hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      TimeToLiveSpecification: { AttributeName: timeToLiveAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
      KeySchema: keys(partitionKey, sortKey),
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    },
  });
});

test('the table’s own key stays with the table, but is deleted if the first deployment fails', () => {
  copied.hasResource('AWS::KMS::Key', {
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  });
});

test('no prefix of an item type begins another, so that a role limited to one reaches no other', () => {
  const prefixes = [...new Set([...keysOf(entities), ...keysOf(indexKeys)].map(prefixOf))];

  expect(
    prefixes.filter((one, i) => prefixes.some((other, j) => i !== j && other.startsWith(one))),
  ).toEqual([]);
});

/** In periods of five minutes. */
const day = 12 * 24;
function alarmOf(template: Template, name: string): AlarmProperties {
  const alarms: AlarmProperties[] = propertiesOf(template, 'AWS::CloudWatch::Alarm');
  const alarm = alarms.find(({ AlarmName }) => AlarmName.endsWith(`-${name}`));
  if (!alarm) throw new Error(`The template has no alarm ${name}.`);
  return alarm;
}

describe('with backup', () => {
  test('the vault is kept with its backups, and has no lock', () => {
    on.hasResource('AWS::Backup::BackupVault', {
      Properties: {
        BackupVaultName: 'lead-service-production',
        LockConfiguration: Match.absent(),
      },
      DeletionPolicy: 'RetainExceptOnCreate',
    });
  });

  test('the table is backed up daily for 35 days, and monthly for a year', () => {
    on.hasResourceProperties('AWS::Backup::BackupPlan', {
      BackupPlan: {
        BackupPlanRule: [
          { ...daily, ScheduleExpression: 'cron(0 3 * * ? *)', CopyActions: Match.absent() },
          { ...monthly, ScheduleExpression: 'cron(0 4 1 * ? *)', CopyActions: Match.absent() },
        ].map(Match.objectLike),
      },
    });
    const [tableId] = Object.keys(on.findResources('AWS::DynamoDB::Table'));
    on.hasResourceProperties('AWS::Backup::BackupSelection', {
      BackupSelection: { Resources: [{ 'Fn::GetAtt': [tableId, 'Arn'] }] },
    });
  });

  test('only AWS Backup can assume the role', () => {
    on.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [Match.objectLike({ Principal: { Service: 'backup.amazonaws.com' } })],
      },
      ManagedPolicyArns: Match.arrayWith([
        Match.objectLike({
          'Fn::Join': Match.arrayWith([
            Match.arrayWith([Match.stringLikeRegexp('AWSBackupServiceRolePolicyForBackup$')]),
          ]),
        }),
      ]),
    });
  });
});

describe('with backupLock and backupCopyTo', () => {
  test('nobody can delete a backup within 35 days, or change the lock after three', () => {
    copied.hasResourceProperties('AWS::Backup::BackupVault', {
      LockConfiguration: { MinRetentionDays: 35, ChangeableForDays: 3 },
    });
  });

  test('each backup is copied, and the copy is kept equally long', () => {
    const copyOf = ({ Lifecycle }: typeof daily) => ({
      CopyActions: [{ DestinationBackupVaultArn: copyTo, Lifecycle }],
    });
    copied.hasResourceProperties('AWS::Backup::BackupPlan', {
      BackupPlan: {
        BackupPlanRule: [daily, monthly].map((rule) =>
          Match.objectLike({ ...rule, ...copyOf(rule) }),
        ),
      },
    });
  });

  test('the role may use the key of the table, through DynamoDB only', () => {
    const ofRole = propertiesOf(copied, 'AWS::IAM::Policy').filter(({ Roles }) =>
      JSON.stringify(Roles).includes('Backups'),
    );

    expect(ofRole).toHaveLength(1);
    expect(JSON.stringify(ofRole)).toContain('kms:ViaService');
  });
});

test('BackupCopyFailed watches the vault of the copies, goes off within a day and ends with the next', () => {
  const alarm = alarmOf(copied, 'BackupCopyFailed');
  const failedOnce: PeriodSum = (metric, period) =>
    metric === 'AWS/Backup NumberOfCopyJobsFailed' && period === 40 ? 1 : undefined;

  expect(JSON.stringify(alarm)).toContain('"Value":"leads-copy"');
  expect(firstAlarm(alarm, failedOnce, day)).toBe(day);
  expect(isInAlarm(alarm, failedOnce, 2 * day)).toBe(false);
  expect(JSON.stringify(on.toJSON())).not.toContain('BackupCopyFailed');
});

test('BackupMissing goes off after two days without a backup, and stays silent with one a day', () => {
  const alarm = alarmOf(on, 'BackupMissing');
  const untilDay =
    (last: number): PeriodSum =>
    (metric, period) =>
      metric === 'AWS/Backup NumberOfBackupJobsCompleted' &&
      period < day * last &&
      Math.abs(period) % day === 36
        ? 1
        : undefined;

  expect(JSON.stringify(alarm)).toContain('"BackupVaultName"');
  expect(firstAlarm(alarm, untilDay(3), day * 7)).toBe(day * 5);
  expect(firstAlarm(alarm, untilDay(8), day * 7)).toBeUndefined();
});

test('with auditDays, CloudTrail records the reads and writes of the table, and nothing else', () => {
  const [tableId] = Object.keys(on.findResources('AWS::DynamoDB::Table'));

  on.hasResourceProperties('AWS::CloudTrail::Trail', {
    EventSelectors: [
      {
        IncludeManagementEvents: false,
        ReadWriteType: 'All',
        DataResources: [
          { Type: 'AWS::DynamoDB::Table', Values: [{ 'Fn::GetAtt': [tableId, 'Arn'] }] },
        ],
      },
    ],
    EnableLogFileValidation: true,
  });
});

test('the log is encrypted, private and kept for auditDays, and outlives the stack', () => {
  on.hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      BucketEncryption: Match.anyValue(),
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 365, Status: 'Enabled' }] },
    },
  });
  expect(JSON.stringify(on.findResources('AWS::S3::BucketPolicy'))).toContain(
    'aws:SecureTransport',
  );
});
