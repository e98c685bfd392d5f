/** Of a command's AWS clients. Longer than those of a function: nobody's request waits, so a slow page or a throttled table gets more time. */
export const clientTimeouts = {
  maxAttempts: 5,
  requestHandler: {
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    throwOnRequestTimeout: true,
    socketTimeout: 30_000,
  },
};

/** The address of another DynamoDB than AWS's own; undefined if the environment names none. */
export const endpointIn = (environment: NodeJS.ProcessEnv): string | undefined =>
  environment.AWS_ENDPOINT_URL_DYNAMODB || environment.AWS_ENDPOINT_URL || undefined;

/** Warns of an address left over from a local run: with `--stack`, the command would use other data than the person expects. */
export function endpointWarning(
  environment: NodeJS.ProcessEnv,
  { stack, table }: { readonly stack: string; readonly table: string },
): string | undefined {
  const endpoint = endpointIn(environment);
  return (
    endpoint &&
    `Warning: AWS_ENDPOINT_URL_DYNAMODB is set, so table ${table} of stack ${stack} is looked for at ${endpoint}, not in AWS.`
  );
}
