import { DynamodbError, type Request } from '../../dynamodb-model/dynamodb-model.ts';
import type { Connection } from '../network.ts';

/** What a bundle reaches DynamoDB by: errors of DynamoDB are values here, since the bundle's classes are not ours. */
export interface SimulatedConnection {
  call(
    operation: string,
    input: object,
    options: { abortSignal?: AbortSignal | undefined; timeoutMs?: number | undefined },
  ): Promise<{ readonly reply: object } | { readonly error: DynamodbError }>;
}

export const simulatedConnection = (connection: Connection): SimulatedConnection => ({
  call: (operation, input, options) =>
    connection.call(operation, input as Request, options).then(
      (reply) => ({ reply }),
      (error: unknown) => {
        if (error instanceof DynamodbError) return { error };
        throw error;
      },
    ),
});
