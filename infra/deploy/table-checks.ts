import {
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { clientTimeouts } from '../cli/aws.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { describedTable, tableIssues } from '../verify/table-check.ts';
import { attemptCheck, type CheckResult, type FailedCheck } from './failed-check.ts';
import { signedRequest } from './signed-request.ts';

type TableOptions = Partial<ServiceOptions> & { readonly tableName: string };

/** Checks the table of `tableName`, which the deployment neither creates nor changes. Three read requests. */
export async function checkTable(region: string, options: TableOptions): Promise<CheckResult[]> {
  const { tableName } = options;
  const client = new DynamoDBClient({ region, ...clientTimeouts });
  let table: TableDescription | undefined;
  try {
    const found = await attemptCheck(`The table ${tableName}`, async () => {
      table = await describedTable(client, tableName);
      return table ? failedTableChecks(table, options) : [missingTable(tableName, region)];
    });
    const { SSEDescription: encryption } = table ?? {};
    if (!table) return [found];
    const encrypted = await attemptCheck(`The encryption key of the table ${tableName}`, () =>
      failedKeyChecks(encryption?.KMSMasterKeyArn, region, options),
    );
    const restorable = await attemptCheck(`The backups of the table ${tableName}`, () =>
      failedBackupChecks(client, tableName),
    );
    return [found, encrypted, restorable];
  } finally {
    client.destroy();
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
  const update = `aws dynamodb update-table --table-name ${tableName}`;
  if (!table.DeletionProtectionEnabled)
    failedChecks.push({
      issue: `tableName: the table ${tableName} is not protected from deletion.`,
      next: `${update} --deletion-protection-enabled   (a restored table needs more: npm run admin -- restore finish)`,
    });
  const hasNewImages = /^NEW_/.test(table.StreamSpecification?.StreamViewType ?? '');
  if (tableStreamArn && !(table.LatestStreamArn === tableStreamArn && hasNewImages))
    failedChecks.push({
      issue: `tableStreamArn: is not the stream of the table ${tableName} with new images: no event would be published.`,
      next: hasNewImages
        ? `Set tableStreamArn to ${table.LatestStreamArn}`
        : `${update} --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE   (then set tableStreamArn to the ARN that it prints)`,
    });
  return failedChecks;
}

/** Without the right key in the options, the functions may not use the table's key, and every request fails. */
async function failedKeyChecks(
  keyArn: string | undefined,
  region: string,
  { tableName, kmsKey = 'aws-managed' }: TableOptions,
): Promise<FailedCheck[]> {
  if (keyArn === undefined) {
    const issue = `kmsKey: the table ${tableName} is encrypted with no key of the account, but kmsKey is ${kmsKey}.`;
    const key = kmsKey === 'aws-managed' ? '' : `,KMSMasterKeyId=${kmsKey}`;
    const next = `aws dynamodb update-table --table-name ${tableName} --sse-specification Enabled=true,SSEType=KMS${key}`;
    return [{ issue, next }];
  }
  if (keyArn === kmsKey) return [];
  const operation = ['TrentService.DescribeKey', { KeyId: keyArn }] as const;
  const { KeyMetadata } = await signedRequest({ region, service: 'kms', operation });
  // The account's own key of DynamoDB, which AWS manages, has an ARN of its own.
  const right = Object(KeyMetadata).KeyManager === 'AWS' ? 'aws-managed' : keyArn;
  if (right === kmsKey) return [];
  const issue = `kmsKey: the table ${tableName} is encrypted with ${keyArn}, but kmsKey is ${kmsKey}: every request would fail.`;
  return [{ issue, next: `Set kmsKey to ${right}` }];
}

async function failedBackupChecks(
  client: DynamoDBClient,
  tableName: string,
): Promise<FailedCheck[]> {
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: tableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED') return [];
  const issue = `tableName: point-in-time recovery of the table ${tableName} is off: nothing could be restored.`;
  const next = `aws dynamodb update-continuous-backups --table-name ${tableName} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true   (a restored table needs more: npm run admin -- restore finish)`;
  return [{ issue, next }];
}
