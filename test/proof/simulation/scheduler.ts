import { Random } from '../../support/generated/random.ts';
import { type Choices, SeededChoices, type Step, type Touch } from './choices.ts';

export type { Step, Touch };

/** One line of what happened, in order. `at` is simulated time in epoch milliseconds. */
export interface TraceLine {
  readonly at: number;
  readonly what: string;
}

/** Where simulated time begins, in epoch milliseconds: 2026-01-31T09:30:00Z. */
export const simulationStart = Date.UTC(2026, 0, 31, 9, 30);

export interface SchedulerOptions {
  readonly seed: string;
  /** @default chosen by the seed */
  readonly choices?: Choices;
  /** Timers that are due within so many milliseconds compete with the steps that may be taken now. @default 0, steps come first */
  readonly timersCompeteWithinMs?: number;
  /** Keeps every line of the trace, and the stacks of errors, which take a tenth of the time. @default false */
  readonly keepTrace?: boolean;
}

/** What is to happen at a moment. */
interface Timer {
  readonly at: number;
  readonly what: string;
  readonly take: () => void;
}

/** Thrown when something is awaited that nothing scheduled can bring about. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError';
}

/**
 * A discrete-event scheduler: one seed, one clock, one thing at a time. Between two events every promise that can settle has settled.
 * Time stands still while code runs and jumps from event to event.
 */
export class Scheduler {
  readonly choices: Choices;
  readonly trace: TraceLine[] = [];
  events = 0;
  #now = simulationStart;
  /** By their time; of equal ones, the one that was added first comes first. */
  readonly #timers: Timer[] = [];
  readonly #steps: Step[] = [];
  readonly #competeWithinMs: number;
  readonly #keepsTrace: boolean;
  readonly #seed: string;

  constructor({ seed, choices, timersCompeteWithinMs = 0, keepTrace = false }: SchedulerOptions) {
    this.#seed = seed;
    this.choices = choices ?? new SeededChoices(seed);
    this.#competeWithinMs = timersCompeteWithinMs;
    this.#keepsTrace = keepTrace;
  }

  /** Simulated time in epoch milliseconds, with fractions: calls that are a microsecond apart have an order. */
  get now(): number {
    return this.#now;
  }

  /** A source of randomness of its own, so that one more draw here changes nothing there. */
  randomFor(purpose: string): Random {
    return new Random(`${purpose} ${this.#seed}`);
  }

  /** Runs `take` after so many simulated milliseconds. */
  after(ms: number, what: string, take: () => void): { cancel(): void } {
    const timers = this.#timers;
    const timer = { at: this.#now + Math.max(0, ms), what, take };
    timers.splice(timers.findLastIndex(({ at }) => at <= timer.at) + 1, 0, timer);
    return {
      cancel: () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      },
    };
  }

  /** Offers a step whose turn among the others is a choice. */
  offer(what: string, take: () => void, touches?: readonly Touch[]): void {
    this.#steps.push({ what, take, touches });
  }

  note(what: string): void {
    if (this.#keepsTrace) this.trace.push({ at: this.#now, what });
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, 'sleep', resolve));
  }

  /**
   * Runs events until `main` has settled.
   * @returns what it resolves with
   * @throws DeadlockError when it waits for what no event brings; whatever it rejects with
   */
  async run<T>(main: () => Promise<T>): Promise<T> {
    const { stackTraceLimit } = Error;
    if (!this.#keepsTrace) Error.stackTraceLimit = 0;
    try {
      return await this.#runUntilDone(main);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  async #runUntilDone<T>(main: () => Promise<T>): Promise<T> {
    let isDone = false;
    const result = main().finally(() => {
      isDone = true;
    });
    result.catch(() => undefined); // awaited below, after the events
    await settle(this.events);
    while (!isDone) {
      if (!this.#takeNext())
        throw new DeadlockError(`Nothing is scheduled after ${this.events} events.`);
      await settle(this.events);
    }
    return result;
  }

  /** Runs events until a moment of simulated time. */
  async drain(until: number): Promise<void> {
    await settle(this.events);
    while (this.#steps.length > 0 || (this.#timers[0]?.at ?? Number.POSITIVE_INFINITY) <= until) {
      this.#takeNext();
      await settle(this.events);
    }
    this.#now = Math.max(this.#now, until);
  }

  /** @returns whether there was anything to take */
  #takeNext(): boolean {
    const timer = this.#timers[0];
    const competes = timer !== undefined && timer.at - this.#now <= this.#competeWithinMs;
    const options: readonly (Step | Timer)[] =
      timer && (competes || this.#steps.length === 0) ? [...this.#steps, timer] : this.#steps;
    this.events += 1;
    if (options.length === 0) return false;
    const chosen = this.#steps.length === 0 ? 0 : this.#chooseOf(options);
    const [step] = this.#steps.splice(chosen, 1);
    if (step) this.#take(step);
    else this.#fire(timer as Timer);
    return true;
  }

  #chooseOf(options: readonly Step[]): number {
    const { choices } = this;
    if (choices.chooseStep) return choices.chooseStep(options);
    return options.length === 1 ? 0 : choices.choose(options.length, 'next step');
  }

  #fire(timer: Timer): void {
    this.#timers.shift();
    this.#now = Math.max(this.#now, timer.at);
    this.#take(timer);
  }

  #take({ what, take }: Step): void {
    this.note(what);
    take();
  }
}

const { nextTick } = process;
const realSetImmediate = setImmediate;

/** Events between two turns of the real event loop, so that a long run leaves room for what surrounds it (a test runner's own messages). */
const eventsPerTurn = 2000;

/** Calls back after every microtask that is queued now, and whatever those queue. */
const afterMicrotasks = (then: () => void): void => queueMicrotask(() => nextTick(then));

/**
 * Waits until every promise has settled that can settle without an event. A callback of `process.nextTick` that a microtask asks for runs once
 * no microtask is left (Node.js: "process.nextTick and queueMicrotask"); the second round is for what such a callback of a stream set off.
 * 1.3 us; a turn of the event loop (`setImmediate`), which would show the same, costs 3.2 us.
 */
const settle = (events: number): Promise<void> =>
  new Promise((resolve) =>
    events % eventsPerTurn === eventsPerTurn - 1
      ? realSetImmediate(resolve)
      : afterMicrotasks(() => afterMicrotasks(resolve)),
  );
