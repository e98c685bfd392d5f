import {
  SimulatedDynamodb,
  type SimulatedDynamodbOptions,
} from '../../dynamodb-model/dynamodb-model.ts';
import { createLeadTable } from '../../support/model-table.ts';
import type { Network } from './network.ts';
import { Scheduler, type SchedulerOptions } from './scheduler.ts';

export interface SimulationOptions
  extends SchedulerOptions,
    Pick<Network, 'observer' | 'latenessOf'> {
  readonly dynamodb?: Omit<SimulatedDynamodbOptions, 'now' | 'choose' | 'at'>;
  readonly faultOf?: Network['faultOf'];
  /** Whether calls take (random) time; otherwise their order is a choice of the scheduler. @default true */
  readonly isTimed?: boolean;
  /** The longest that a request or an answer travels, and that a transaction's items stay locked. @default 4.5 */
  readonly latencyMaxMs?: () => number;
}

/** A scheduler, a DynamoDB with the service's table, and the network between DynamoDB and its callers. */
export class Simulation implements Network {
  readonly scheduler: Scheduler;
  readonly dynamodb: SimulatedDynamodb;
  readonly faultOf: Network['faultOf'];
  readonly latency: Network['latency'];
  readonly observer: Network['observer'];
  readonly latenessOf: Network['latenessOf'];

  constructor({
    dynamodb,
    faultOf = () => 'none',
    isTimed = true,
    observer,
    latenessOf,
    latencyMaxMs = () => 4.5,
    ...options
  }: SimulationOptions) {
    const scheduler = new Scheduler(options);
    this.scheduler = scheduler;
    this.dynamodb = new SimulatedDynamodb({
      ...dynamodb,
      now: () => scheduler.now,
      choose: (options, what, otherChance) => scheduler.choices.choose(options, what, otherChance),
      at: (epochMs, what, run) => scheduler.after(epochMs - scheduler.now, what, run),
    });
    createLeadTable(this.dynamodb);
    const travel = scheduler.randomFor('network');
    this.faultOf = faultOf;
    this.latency = isTimed ? () => 0.5 + travel.fraction() * (latencyMaxMs() - 0.5) : undefined;
    this.observer = observer;
    this.latenessOf = latenessOf;
  }
}
