import { tableRequest } from './agreement/random-requests.ts';
import type { Item } from './attribute-values.ts';
import {
  type Progress,
  SimulatedDynamodb,
  type SimulatedDynamodbOptions,
} from './dynamodb-model.ts';
import { DynamodbError } from './errors.ts';
import type { Reply, Request } from './request.ts';

export const TableName = 'things';

/** A table with an index, at a clock that a test sets. */
export class GivenDynamodb {
  now = Date.UTC(2026, 0, 31);
  /** What the model's choices are to be, in order; past them, the ordinary way. */
  choices: number[] = [];
  readonly asked: string[] = [];
  readonly model: SimulatedDynamodb;

  constructor(options: Omit<SimulatedDynamodbOptions, 'now' | 'choose'> = {}) {
    this.model = new SimulatedDynamodb({
      ...options,
      now: () => this.now,
      choose: (_options, what) => {
        this.asked.push(what);
        return this.choices.shift() ?? 0;
      },
    });
    this.model.executeNow('CreateTable', tableRequest(TableName));
  }

  run(operation: string, request: Request): Reply {
    return this.model.executeNow(operation, { TableName, ...request });
  }

  /** Starts an operation and stops it at its first turn. */
  begin(operation: string, request: Request): Progress {
    const progress = this.model.execute(operation, { TableName, ...request });
    progress.next();
    return progress;
  }

  put(sk: string, attributes: Item = {}): void {
    this.run('PutItem', { Item: { ...key(sk), ...attributes } });
  }

  get(sk: string, isConsistent = true): Item | undefined {
    return this.run('GetItem', { Key: key(sk), ConsistentRead: isConsistent }).Item as
      | Item
      | undefined;
  }

  /** The error of a request, whole. @throws Error when it is taken */
  refusal(operation: string, request: Request): DynamodbError {
    try {
      this.run(operation, request);
    } catch (error) {
      if (error instanceof DynamodbError) return error;
      throw error;
    }
    throw new Error(`${operation} was taken.`);
  }
}

export const key = (sk: string): Item => ({ pk: { S: 'p' }, sk: { S: sk } });

export const finish = (progress: Progress): Reply => {
  for (;;) {
    const { done, value } = progress.next();
    if (done) return value;
  }
};
