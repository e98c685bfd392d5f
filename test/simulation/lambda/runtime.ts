import { type Caller, Connection, type Network } from '../network.ts';
import type { Program } from './modules.ts';
import { type ProcessContext, runIn } from './process.ts';

export interface RuntimeOptions {
  readonly name: string;
  readonly network: Network;
  readonly environment?: Readonly<Record<string, string>>;
  /** How far its clock is from the right time. @default 0 */
  readonly skewMs?: number;
  /** Takes each line that its code writes. @default drops it */
  readonly write?: (line: string) => void;
}

/**
 * A process with a clock, randomness and a connection of its own. Frozen, it does nothing: timers that are due and answers that arrive wait
 * for it to thaw. Dead, it does nothing for ever.
 */
export class Runtime implements Caller {
  readonly name: string;
  skewMs: number;
  isDead = false;
  readonly #network: Network;
  readonly #context: ProcessContext;
  readonly #waiting: (() => void)[] = [];
  #isFrozen = false;
  #onDeath: (() => void) | undefined;

  constructor(options: RuntimeOptions) {
    this.name = options.name;
    this.#network = options.network;
    this.skewMs = options.skewMs ?? 0;
    const { scheduler } = options.network;
    const startedAt = scheduler.now;
    this.#context = {
      environment: { LEADS_TABLE: 'leads', ...options.environment },
      random: scheduler.randomFor(this.name),
      ids: scheduler.randomFor(`${this.name} ids`),
      now: () => this.now,
      elapsed: () => scheduler.now - startedAt,
      after: (ms, what, take) => this.after(ms, what, take),
      connection: new Connection(options.network, this),
      write: options.write ?? (() => undefined),
    };
  }

  /** Epoch milliseconds by its own clock. */
  get now(): number {
    return Math.floor(this.#network.scheduler.now + this.skewMs);
  }

  /** Evaluates a program's modules in this process. */
  load<T>(program: Program): T {
    return this.run(() => program() as T);
  }

  /** Runs code of this process: all that it calls, and whatever follows from that, is in this process. */
  run<T>(code: () => T): T {
    return runIn(this.#context, code);
  }

  after(ms: number, what: string, take: () => void): { cancel(): void } {
    let isCancelled = false;
    const timer = this.#network.scheduler.after(ms, `${this.name} ${what}`, () =>
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
    for (const take of this.#waiting.splice(0)) {
      this.#network.scheduler.after(0, `${this.name} thaws`, () => this.deliver(take));
    }
  }

  /** @param run told once when it dies */
  onDeath(run: (() => void) | undefined): void {
    this.#onDeath = run;
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#network.scheduler.note(`${this.name} dies`);
    this.#onDeath?.();
  }
}
