import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

/** Calls as a function made them: each level waited for the one before, the calls of a level went side by side. */
export type CallLevels = readonly (readonly {
  readonly operation: string;
  readonly input: object;
}[])[];

/**
 * A handler that makes the same DynamoDB calls as a function's, with the same client, and nothing else: no checks, no rules, no answer.
 * What a function takes beyond it is its own work. The calls come through the environment.
 */
const levels = JSON.parse(process.env.BENCH_CALLS ?? '[]') as CallLevels;
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
});

const commands = {
  BatchGetItem: BatchGetCommand,
  GetItem: GetCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteCommand,
  UpdateItem: UpdateCommand,
};
type Command = Parameters<typeof client.send>[0];

function commandOf(operation: string, input: object): Command {
  const Known = (commands as unknown as Record<string, new (input: object) => Command>)[operation];
  if (!Known) throw new Error(`The bare handler has no command for ${operation}.`);
  return new Known(structuredClone(input));
}

export const handler = async () => {
  for (const level of levels) {
    await Promise.all(
      level.map(({ operation, input }) => client.send(commandOf(operation, input))),
    );
  }
  return { statusCode: 200, headers: {}, body: '' };
};
