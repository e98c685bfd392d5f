import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import {
  addConsumed,
  type MeteredResponse,
  noConsumedCapacity,
  readCommand,
} from '../table/consumed-capacity.ts';
import { RateLimiter } from './rate-limiter.ts';

/** A partition serves 3,000 read units per second (AWS: DynamoDB burst and adaptive capacity). The rest is left for live traffic. */
export const readUnitsPerSecondDefault = 1000;

/**
 * The same table, whose reads consume at most so many read units per second. Only a response says what its read consumed, so a read first
 * takes what the last read by the same command consumed, and corrects that by its own response. Parallel reads share the rate, and each
 * of them may begin with one page. Writes are not delayed.
 */
export function withPacedReads(table: Table, readUnitsPerSecond: number): Table {
  const limiter = new RateLimiter(readUnitsPerSecond);
  const lastUnits = new Map<string, number>();
  const middlewareStack = table.client.middlewareStack.clone();
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (!readCommand.test(commandName)) return next(args);
        const estimate = lastUnits.get(commandName) ?? 0;
        await limiter.take(estimate);
        const response = await next({
          ...args,
          input: { ReturnConsumedCapacity: 'TOTAL', ...args.input },
        });
        const readUnits = readUnitsOf(commandName, response.output as MeteredResponse);
        lastUnits.set(commandName, readUnits);
        limiter.correct(readUnits - estimate);
        return response;
      },
    { step: 'initialize', name: 'paceReads' },
  );
  return {
    ...table,
    client: Object.create(table.client, {
      middlewareStack: { value: middlewareStack },
    }) as DynamoDBDocumentClient,
  };
}

function readUnitsOf(commandName: string, response: MeteredResponse): number {
  const consumedCapacity = noConsumedCapacity();
  addConsumed(consumedCapacity, commandName, response);
  return consumedCapacity.readUnits;
}
