/** What a log line may hold. Never an API key, a header, a query string, a body, or a person's name, phone or e-mail. */
export interface LogFields {
  readonly requestId: string;
  readonly endpoint: string;
  readonly organizationId?: number | undefined;
  readonly keyId?: string | undefined;
  readonly status?: number;
  readonly code?: string;
  readonly ms?: number;
  readonly error?: unknown;
}

/** One JSON line per event, for CloudWatch Logs. */
export function log(level: 'info' | 'error', message: string, { error, ...fields }: LogFields): void {
  const line = { level, message, ...fields, ...(error !== undefined && { error: describe(error) }) };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** The causes of an error that are followed; a chain may be a circle. */
const causesMax = 5;

/** Name, message, stack and causes. Other properties stay out: an SDK error's may hold the item, and so a person's data. */
function describe(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: `A ${typeof error} was thrown.` };
  const { name, message, stack, cause } = error;
  const { $metadata } = error as { $metadata?: { requestId?: string; attempts?: number } };
  return {
    name,
    message,
    stack,
    ...($metadata && { dynamodbRequestId: $metadata.requestId, attempts: $metadata.attempts }),
    ...(cause !== undefined && depth < causesMax && { cause: describe(cause, depth + 1) }),
  };
}
