import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type CfnTrail, Trail } from 'aws-cdk-lib/aws-cloudtrail';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { LeadTable } from './lead-table.ts';

/**
 * Records who read and changed which items, and from where: CloudTrail's data events of the table, in a bucket that outlives the stack. The
 * events contain the items' keys and no other attribute
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/understanding-ddb-log-entries.html).
 */
export class Audit extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { table }: LeadTable, keptDays: number) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Log', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      lifecycleRules: [{ expiration: Duration.days(keptDays) }],
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const trail = new Trail(this, 'Trail', {
      bucket: this.bucket as IBucket,
      isMultiRegionTrail: false,
      includeGlobalServiceEvents: false,
    });
    // The construct supports only data events of Lambda and S3.
    (trail.node.defaultChild as CfnTrail).eventSelectors = [
      {
        includeManagementEvents: false,
        readWriteType: 'All',
        dataResources: [{ type: 'AWS::DynamoDB::Table', values: [table.tableArn] }],
      },
    ];
    acknowledge(this.bucket, {
      id: 'AwsSolutions-S1',
      reason:
        'It is a log itself: only CloudTrail writes to it, and the trail has digests of its files.',
    });
  }
}
