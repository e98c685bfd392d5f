import { spawnAdmin } from '../../../support/admin.ts';
import { startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { service } from '../../../support/service.ts';

/** Runs an import until its write with this number (from 1) arrives at DynamoDB, and kills it there. No later write arrives. */
export async function killedAtWrite(number: number, args: readonly string[]): Promise<void> {
  const proxy = await startDynamodbProxy(String(service().environment.AWS_ENDPOINT_URL_DYNAMODB));
  const { kill, ended } = spawnAdmin(args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint });
  let writes = 0;
  proxy.rule = ({ operation }) => {
    if (operation !== 'TransactWriteItems') return undefined;
    writes += 1;
    if (writes < number) return undefined;
    // On a busy machine the process goes on for a while before the signal ends it.
    return writes === number
      ? { kind: 'cut', applied: true, before: kill }
      : { kind: 'cut', applied: false };
  };
  const { signal, stderr } = await ended;
  await proxy.stop();
  if (signal !== 'SIGKILL')
    throw new Error(`The import ended before its write ${number}: ${stderr}`);
}
