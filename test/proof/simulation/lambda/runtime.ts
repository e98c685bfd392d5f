import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../../../support/generated/random.ts';
import { type Caller, Connection, type Network } from '../network.ts';

export interface RuntimeOptions {
  readonly name: string;
  readonly network: Network;
  readonly environment?: Readonly<Record<string, string>>;
  /** How far its clock is from the right time. @default 0 */
  readonly skewMs?: number;
  /** Takes each line that its code writes. @default drops it */
  readonly write?: (line: string) => void;
}

/** The process whose code is running, through all its promises and timers. */
export const running = new AsyncLocalStorage<Runtime>();

export function currentProcess(): Runtime {
  const process = running.getStore();
  if (!process) throw new Error('Code of a simulated process runs outside of it.');
  return process;
}

/**
 * A process with a clock, randomness and a connection of its own. Frozen, it does nothing: timers that are due and answers that arrive wait
 * for it to thaw. Dead, it does nothing for ever.
 */
export class Runtime implements Caller {
  readonly name: string;
  readonly network: Network;
  readonly environment: Readonly<Record<string, string>>;
  readonly random: Random;
  /** Ids are drawn apart, since the SDK's client draws one for each call: what happens does not depend on how many it draws. */
  readonly ids: Random;
  readonly connection: Connection;
  readonly write: (line: string) => void;
  skewMs: number;
  isDead = false;
  readonly #startedAt: number;
  readonly #waiting: (() => void)[] = [];
  #isFrozen = false;
  #onDeath: (() => void) | undefined;

  constructor({ name, network, environment, skewMs = 0, write }: RuntimeOptions) {
    const { scheduler } = network;
    this.name = name;
    this.network = network;
    this.environment = { LEADS_TABLE: 'leads', ...environment };
    this.random = scheduler.randomFor(name);
    this.ids = scheduler.randomFor(`${name} ids`);
    this.connection = new Connection(network, this);
    this.write = write ?? (() => undefined);
    this.skewMs = skewMs;
    this.#startedAt = scheduler.now;
  }

  /** Epoch milliseconds by its own clock. */
  get now(): number {
    return Math.floor(this.network.scheduler.now + this.skewMs);
  }

  /** Milliseconds since it began, by a clock that never goes back. */
  get elapsed(): number {
    return this.network.scheduler.now - this.#startedAt;
  }

  /** Runs code of this process: all that it calls, and whatever follows from that, is in this process. */
  run<T>(code: () => T): T {
    return running.run(this, code);
  }

  after(ms: number, what: string, take: () => void): { cancel(): void } {
    let isCancelled = false;
    const timer = this.network.scheduler.after(ms, `${this.name} ${what}`, () =>
      this.deliver(() => {
        if (!isCancelled) this.run(take);
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  deliver(take: () => void): void {
    if (this.isDead) return;
    if (this.#isFrozen) this.#waiting.push(take);
    else take();
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  /** Goes on; what waited comes one after the other, at once. */
  thaw(): void {
    this.#isFrozen = false;
    for (const take of this.#waiting.splice(0))
      this.network.scheduler.after(0, `${this.name} thaws`, () => this.deliver(take));
  }

  /** @param run told once when it dies */
  onDeath(run: (() => void) | undefined): void {
    this.#onDeath = run;
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.network.scheduler.note(`${this.name} dies`);
    this.#onDeath?.();
  }
}
