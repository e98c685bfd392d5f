import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { templateWith } from './service-template.ts';

const template = await templateWith({ auditDays: 365 });

test('without auditDays, there is no trail and no bucket', async () => {
  const off = await templateWith();

  off.resourceCountIs('AWS::CloudTrail::Trail', 0);
  off.resourceCountIs('AWS::S3::Bucket', 0);
});

test('with auditDays, CloudTrail records the reads and writes of the table, and nothing else', () => {
  const [tableId] = Object.keys(template.findResources('AWS::DynamoDB::Table'));

  template.hasResourceProperties('AWS::CloudTrail::Trail', {
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
  template.hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      BucketEncryption: Match.anyValue(),
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 365, Status: 'Enabled' }] },
    },
  });
  expect(JSON.stringify(template.findResources('AWS::S3::BucketPolicy'))).toContain(
    'aws:SecureTransport',
  );
});
