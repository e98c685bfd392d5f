import type { Progress, Reply } from '../../dynamodb-model/dynamodb-model.ts';
import type { Random } from '../random.ts';

/** An event as the bus got it. */
export interface PublishedEvent {
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>> & {
    readonly organizationId: number;
    readonly leadId: number;
    readonly id: string;
    readonly at: string;
  };
}

interface Entry {
  readonly DetailType: string;
  readonly Detail: string;
}

const entriesMax = 10;

/** EventBridge's `PutEvents`: it may take some entries of a request and refuse others. */
export class SimulatedBus {
  /** In the order in which the bus took them, repeats too. */
  readonly events: PublishedEvent[] = [];
  readonly #random: Random;
  readonly #refusalChance: number;

  constructor(random: Random, refusalChance: number) {
    this.#random = random;
    this.#refusalChance = refusalChance;
  }

  *execute(operation: string, request: unknown): Progress {
    const { Entries } = request as { Entries: readonly Entry[] };
    if (operation !== 'PutEvents' || Entries.length === 0 || Entries.length > entriesMax)
      throw new Error(`The bus does not accept ${operation} of ${Entries.length} entries.`);
    const results = Entries.map(({ DetailType, Detail }) => {
      if (this.#random.chance(this.#refusalChance)) return { ErrorCode: 'InternalFailure' };
      this.events.push({ type: DetailType, detail: JSON.parse(Detail) });
      return { EventId: String(this.events.length) };
    });
    const failed = results.filter(({ EventId }) => EventId === undefined).length;
    return { FailedEntryCount: failed, Entries: results } as unknown as Reply;
  }
}
