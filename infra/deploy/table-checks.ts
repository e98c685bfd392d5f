import type { CloudFormationClient, Stack } from '@aws-sdk/client-cloudformation';
import {
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  paginateListTables,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { clientSettings } from '../cli/aws.ts';
import { CheckError } from '../cli/command.ts';
import type { ServiceOptions } from '../stack/service-options.ts';
import { assertTable, describedTable } from '../verify/table-check.ts';
import { signedRequest } from './signed-request.ts';
import { stackThatCreated } from './stacks.ts';

/** Runs a check that throws a CheckError if it fails. If AWS does not allow or answer its requests, the subject is unknown. */
export type RunCheck = (subject: string, check: () => void | Promise<void>) => Promise<void>;

type TableOptions = Partial<ServiceOptions> & { readonly tableName: string };

/**
 * Refuses a table that another stack created, or that another stack of the service uses: both services would change the same leads.
 * @param stacks of the region
 */
export async function assertOwner(
  client: CloudFormationClient,
  stacks: readonly Stack[],
  { stackName, tableName }: { readonly stackName: string; readonly tableName: string },
): Promise<void> {
  const user = stacks.find(
    (stack) =>
      stack.StackName !== stackName &&
      // For a service inside a stack, the output's name begins with the service's ID.
      stack.Outputs?.some(
        ({ OutputKey, OutputValue }) =>
          OutputKey?.endsWith('TableName') && OutputValue === tableName,
      ),
  );
  const owner = user?.StackName ?? (await stackThatCreated(client, tableName));
  if (owner === undefined || owner === stackName) return;
  throw new CheckError(
    `tableName: the table ${tableName} belongs to the stack ${owner}: both stacks would change the same leads.`,
    `Set tableName to a table that no other stack uses, or remove it   (aws cloudformation describe-stacks --stack-name ${owner})`,
  );
}

/**
 * Refuses a new stack of a name under which an earlier one left its table: the service would begin with an empty table beside it. The CDK
 * makes the name of the table from the stack's and the construct's.
 */
export async function assertNoTableLeft(
  region: string,
  stackName: string,
  environment: string,
): Promise<void> {
  const client = new DynamoDBClient({ region, ...clientSettings });
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    const left = TableNames.find((name) => name.startsWith(`${stackName}-ServiceTable`));
    if (left === undefined) continue;
    throw new CheckError(
      `An earlier stack ${stackName} left the table ${left}: the deployment would create an empty table beside it.`,
      `Set environments.${environment}.tableName to ${left} in cdk.json   (to begin with an empty table: npm run deploy -- --new-table)`,
    );
  }
  client.destroy();
}

/** Checks the table of `tableName`, which the deployment neither creates nor changes. Three read requests. */
export async function checkTable(
  run: RunCheck,
  region: string,
  options: TableOptions,
): Promise<void> {
  const { tableName } = options;
  const client = new DynamoDBClient({ region, ...clientSettings });
  const described: { table?: TableDescription } = {};
  await run(`The table ${tableName}`, async () => {
    const table = await describedTable(client, tableName);
    if (!table)
      throw new CheckError(
        `tableName: there is no table ${tableName} in ${region}: every request would fail.`,
        `aws dynamodb list-tables --region ${region}   (then set tableName to one of them, or export AWS_REGION=REGION)`,
      );
    described.table = table;
    assertDefinition(table, tableName);
  });
  const { table } = described;
  if (table) {
    await run(tableName, () => assertProtection(table, tableName));
    await run(tableName, () => assertStream(table, options));
    await run(`The encryption key of the table ${tableName}`, () =>
      assertKey(table.SSEDescription?.KMSMasterKeyArn, region, options),
    );
    await run(`The backups of the table ${tableName}`, () => assertBackups(client, tableName));
  }
  client.destroy();
}

function assertDefinition(table: TableDescription, tableName: string): void {
  try {
    assertTable(table);
  } catch (error) {
    if (!(error instanceof CheckError)) throw error;
    throw new CheckError(`tableName: ${tableName}: ${error.message}.`, error.next);
  }
}

function assertProtection(table: TableDescription, tableName: string): void {
  if (table.DeletionProtectionEnabled) return;
  throw new CheckError(
    `tableName: the table ${tableName} is not protected from deletion.`,
    `aws dynamodb update-table --table-name ${tableName} --deletion-protection-enabled   (a restored table needs more: npm run admin -- restore finish)`,
  );
}

function assertStream(table: TableDescription, { tableName, tableStreamArn }: TableOptions): void {
  const hasNewImages = /^NEW_/.test(table.StreamSpecification?.StreamViewType ?? '');
  if (!tableStreamArn || (table.LatestStreamArn === tableStreamArn && hasNewImages)) return;
  throw new CheckError(
    `tableStreamArn: is not the stream of the table ${tableName} with new images: no event would be published.`,
    hasNewImages
      ? `Set tableStreamArn to ${table.LatestStreamArn}`
      : `aws dynamodb update-table --table-name ${tableName} --stream-specification StreamEnabled=true,StreamViewType=NEW_IMAGE   (then set tableStreamArn to the ARN that it prints)`,
  );
}

/** Without the right key in the options, the functions may not use the table's key, and every request fails. */
async function assertKey(
  keyArn: string | undefined,
  region: string,
  { tableName, kmsKey = 'aws-managed' }: TableOptions,
): Promise<void> {
  if (keyArn === undefined) {
    const key = kmsKey === 'aws-managed' ? '' : `,KMSMasterKeyId=${kmsKey}`;
    throw new CheckError(
      `kmsKey: the table ${tableName} is encrypted with no key of the account, but kmsKey is ${kmsKey}.`,
      `aws dynamodb update-table --table-name ${tableName} --sse-specification Enabled=true,SSEType=KMS${key}`,
    );
  }
  if (keyArn === kmsKey) return;
  const { KeyMetadata } = await signedRequest(region, 'kms', {
    operation: 'TrentService.DescribeKey',
    input: { KeyId: keyArn },
  });
  // The account's own key of DynamoDB, which AWS manages, has an ARN of its own.
  const right = Object(KeyMetadata).KeyManager === 'AWS' ? 'aws-managed' : keyArn;
  if (right === kmsKey) return;
  throw new CheckError(
    `kmsKey: the table ${tableName} is encrypted with ${keyArn}, but kmsKey is ${kmsKey}: every request would fail.`,
    `Set kmsKey to ${right}`,
  );
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
