import {
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  paginateListTables,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { clientSettings, describedTable } from '../cli/aws.ts';
import { CheckError } from '../cli/command.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { assertTable } from '../verify/table-check.ts';

/**
 * Runs a check, which throws a CheckError if it fails. If AWS refuses or does not answer its requests, the result is unknown.
 * @returns the check's value; undefined if it fails or is unknown
 */
export type RunCheck = <T>(subject: string, check: () => T | Promise<T>) => Promise<T | undefined>;

/** The advice that makes the stack use this table. */
export const setTableName = (tableName: string, environment: string): string =>
  `Set environments.${environment}.tableName to ${tableName} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`;

/**
 * Refuses a new stack if an earlier stack of the same name left its table: the service would begin with an empty table beside it. The CDK
 * derives a table's name from the names of the stack and the construct.
 */
export async function assertNoTableLeft(
  region: string,
  { serviceName, environment }: ServiceOptions,
): Promise<void> {
  const client = new DynamoDBClient({ region, ...clientSettings });
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    const left = TableNames.find((name) => name.startsWith(`${serviceName}-ServiceTable`));
    if (left === undefined) continue;
    throw new CheckError(
      `An earlier stack ${serviceName} left the table ${left}: the deployment would create an empty table beside it.`,
      setTableName(left, environment),
    );
  }
}

/** Checks the table of `tableName`, which the deployment neither creates nor changes. Three read requests. */
export async function checkTable(
  run: RunCheck,
  region: string,
  tableName: string,
  options: ServiceOptions,
): Promise<void> {
  const client = new DynamoDBClient({ region, ...clientSettings });
  const table = await run(`The table ${tableName}`, async () => {
    const found = await describedTable(client, tableName);
    if (found) return found;
    throw new CheckError(
      `tableName: there is no table ${tableName} in ${region}: every request would fail.`,
      `aws dynamodb list-tables --region ${region}   (then set tableName to one of them, or export AWS_REGION=REGION)`,
    );
  });
  if (table) {
    await run(tableName, () => assertDefinition(table));
    await run(tableName, () => assertProtection(table));
    await run(tableName, () => assertStream(table, options));
    await run(`The encryption key of the table ${tableName}`, () => assertKey(table, options));
    await run(`The backups of the table ${tableName}`, () => assertBackups(client, tableName));
  }
}

function assertDefinition(table: TableDescription): void {
  try {
    assertTable(table);
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    throw new CheckError(`tableName: ${table.TableName}: ${error.message}.`, error.next);
  }
}

function assertProtection({ TableName, DeletionProtectionEnabled }: TableDescription): void {
  if (DeletionProtectionEnabled) return;
  throw new CheckError(
    `tableName: the table ${TableName} is not protected from deletion.`,
    `aws dynamodb update-table --table-name ${TableName} --deletion-protection-enabled   (a restored table needs more: npm run admin -- restore finish)`,
  );
}

function assertStream(
  { TableName, StreamSpecification, LatestStreamArn }: TableDescription,
  { tableStreamArn }: ServiceOptions,
): void {
  const hasNewImages = /^NEW_/.test(StreamSpecification?.StreamViewType ?? '');
  if (!tableStreamArn || (LatestStreamArn === tableStreamArn && hasNewImages)) return;
  throw new CheckError(
    `tableStreamArn: is not the stream of the table ${TableName} with new images: no event would be published.`,
    hasNewImages
      ? `Set tableStreamArn to ${LatestStreamArn}`
      : `aws dynamodb update-table --table-name ${TableName} --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE   (then set tableStreamArn to the ARN that it prints)`,
  );
}

/** If the options name another key, the functions may not use the table's key, and every request fails. */
async function assertKey(
  { TableName, SSEDescription }: TableDescription,
  { kmsKey }: ServiceOptions,
): Promise<void> {
  const keyArn = SSEDescription?.KMSMasterKeyArn;
  if (keyArn === undefined) {
    const key = kmsKey === 'aws-managed' ? '' : `,KMSMasterKeyId=${kmsKey}`;
    throw new CheckError(
      `kmsKey: the table ${TableName} is encrypted with no key of the account, but kmsKey is ${kmsKey}.`,
      `aws dynamodb update-table --table-name ${TableName} --sse-specification Enabled=true,SSEType=KMS${key}`,
    );
  }
  if (keyArn === kmsKey) return;
  // The key that AWS manages for DynamoDB in this account also has an ARN.
  const right = (await keyManagerOf(keyArn)) === 'AWS' ? 'aws-managed' : keyArn;
  if (right === kmsKey) return;
  throw new CheckError(
    `kmsKey: the table ${TableName} is encrypted with ${keyArn}, but kmsKey is ${kmsKey}: every request would fail.`,
    `Set kmsKey to ${right}`,
  );
}

/**
 * Asks KMS who manages a key. Signs the request with the SDK's signer, because the SDK's KMS client would add megabytes to every
 * installation for this one value.
 * @returns `AWS` or `CUSTOMER`
 * @throws Error named by AWS's code, such as `AccessDeniedException`
 */
async function keyManagerOf(keyArn: string): Promise<unknown> {
  const [, partition, service = '', region = ''] = keyArn.split(':');
  const suffix = partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = process.env.AWS_ENDPOINT_URL ?? `https://${service}.${region}.${suffix}`;
  const { protocol, host, hostname } = new URL(endpoint);
  const { credentials, sha256 } = new STSClient({ region }).config;
  const signer = new SignatureV4({ region, service, credentials, sha256 });
  const target = { 'x-amz-target': 'TrentService.DescribeKey' };
  const { method, headers, body } = await signer.sign({
    protocol,
    hostname,
    path: '/',
    method: 'POST',
    headers: { host, 'content-type': 'application/x-amz-json-1.1', ...target },
    body: JSON.stringify({ KeyId: keyArn }),
  });
  const { host: _, ...sent } = headers;
  const signal = AbortSignal.timeout(10_000);
  const response = await fetch(endpoint, { method, headers: sent, body, signal });
  const reply: Readonly<Record<string, unknown>> = Object(await response.json());
  if (response.ok) return Object(reply.KeyMetadata).KeyManager;
  const error = new Error(String(reply.message ?? reply.Message ?? ''));
  error.name = String(reply.__type ?? response.status).replace(/^.*#/, '');
  throw error;
}

async function assertBackups(client: DynamoDBClient, tableName: string): Promise<void> {
  const { ContinuousBackupsDescription: backups } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: tableName }),
  );
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === 'ENABLED') return;
  throw new CheckError(
    `tableName: point-in-time recovery of the table ${tableName} is off: nothing could be restored.`,
    `aws dynamodb update-continuous-backups --table-name ${tableName} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true   (a restored table needs more: npm run admin -- restore finish)`,
  );
}
