import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { clientTimeouts } from '../cli/aws.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { tableIssues } from '../verify/table-check.ts';
import { attemptCheck, type CheckResult, type FailedCheck } from './failed-check.ts';
import { signedRequest } from './signed-request.ts';

type TableOptions = Partial<ServiceOptions> & { readonly tableName: string };

/** Checks the table of `tableName`, which the deployment neither creates nor changes. Three read requests. */
export async function checkTable(region: string, options: TableOptions): Promise<CheckResult[]> {
  const { tableName } = options;
  const client = new DynamoDBClient({ region, ...clientTimeouts });
  let table: TableDescription | undefined;
  try {
    return [
      await attemptCheck(`The table ${tableName}`, async () => {
        table = await describe(client, tableName);
        return table ? failedTableChecks(table, options) : [missingTable(tableName, region)];
      }),
      await attemptCheck(`The encryption key of the table ${tableName}`, async () =>
        table ? failedKeyChecks(table, region, options) : [],
      ),
      await attemptCheck(`The backups of the table ${tableName}`, async () =>
        table ? failedBackupChecks(client, tableName) : [],
      ),
    ];
  } finally {
    client.destroy();
  }
}

async function describe(
  client: DynamoDBClient,
  tableName: string,
): Promise<TableDescription | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return Table;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

const missingTable = (tableName: string, region: string): FailedCheck => ({
  issue: `tableName: there is no table ${tableName} in ${region}: every request would fail.`,
  next: `aws dynamodb list-tables --region ${region}   (then set tableName to one of them, or export AWS_REGION=REGION)`,
});

function failedTableChecks(
  table: TableDescription,
  { tableName, tableStreamArn }: TableOptions,
): FailedCheck[] {
  const failedChecks = tableIssues(table).map(({ issue, next }) => ({
    issue: `tableName: ${tableName}: ${issue}.`,
    next,
  }));
  if (!table.DeletionProtectionEnabled)
    failedChecks.push({
      issue: `tableName: the table ${tableName} is not protected from deletion.`,
      next: `aws dynamodb update-table --table-name ${tableName} --deletion-protection-enabled   (a restored table needs more: npm run admin -- restore finish)`,
    });
  const hasNewImages = /^NEW_/.test(table.StreamSpecification?.StreamViewType ?? '');
  if (tableStreamArn && !(table.LatestStreamArn === tableStreamArn && hasNewImages))
    failedChecks.push({
      issue: `tableStreamArn: is not the stream of the table ${tableName} with new images: no event would be published.`,
      next: hasNewImages
        ? `Set tableStreamArn to ${table.LatestStreamArn}`
        : `aws dynamodb update-table --table-name ${tableName} --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE   (then set tableStreamArn to the ARN that it prints)`,
    });
  return failedChecks;
}

/** Without the right key in the options, the functions may not use the table's key, and every request fails. */
async function failedKeyChecks(
  { SSEDescription: encryption }: TableDescription,
  region: string,
  { tableName, kmsKey = 'aws-managed' }: TableOptions,
): Promise<FailedCheck[]> {
  const keyArn = encryption?.KMSMasterKeyArn;
  if (keyArn === undefined)
    return [
      {
        issue: `kmsKey: the table ${tableName} is encrypted with no key of the account, but kmsKey is ${kmsKey}.`,
        next: `aws dynamodb update-table --table-name ${tableName} --sse-specification Enabled=true,SSEType=KMS${kmsKey === 'aws-managed' ? '' : `,KMSMasterKeyId=${kmsKey}`}`,
      },
    ];
  if (keyArn === kmsKey) return [];
  const isAwsManaged = (await managerOf(keyArn, region)) === 'AWS';
  if (isAwsManaged && kmsKey === 'aws-managed') return [];
  return [
    {
      issue: `kmsKey: the table ${tableName} is encrypted with ${keyArn}, but kmsKey is ${kmsKey}: every request would fail.`,
      next: `Set kmsKey to ${isAwsManaged ? 'aws-managed' : keyArn}`,
    },
  ];
}

/** @returns AWS for the account's key of DynamoDB, or CUSTOMER */
async function managerOf(keyArn: string, region: string): Promise<unknown> {
  const { KeyMetadata } = await signedRequest({
    region,
    service: 'kms',
    operation: ['TrentService.DescribeKey', { KeyId: keyArn }],
  });
  return (KeyMetadata as { readonly KeyManager?: string } | undefined)?.KeyManager;
}

async function failedBackupChecks(
  client: DynamoDBClient,
  tableName: string,
): Promise<FailedCheck[]> {
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: tableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED') return [];
  return [
    {
      issue: `tableName: point-in-time recovery of the table ${tableName} is off: nothing could be restored.`,
      next: `aws dynamodb update-continuous-backups --table-name ${tableName} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true   (a restored table needs more: npm run admin -- restore finish)`,
    },
  ];
}
