import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { node24 } from '../support/service-process.ts';

/** What a hammering process is to do. */
export interface HammerOrder {
  readonly apiKey: string;
  /** At most so many, whatever becomes of them. */
  readonly requests: number;
  /** How many at once. */
  readonly lanes: number;
  /** Of the function, by their environment variables; else those of its process. */
  readonly limits?: Readonly<Record<string, string>>;
  /** Ends early, with the first refusal in a window that began meanwhile. */
  readonly untilFreshIsExhausted?: boolean;
}

/** What became of its requests: 200, 429, anything else; and of those that passed, how many in a window that began meanwhile. */
export interface HammerReport {
  readonly passed: number;
  readonly refused: number;
  readonly failed: number;
  readonly passedInFreshWindow: number;
}

/** Processes that each hold a function of their own. */
export interface Hammers {
  /** Gives every process its order at once; process n gets the n-th API key, or the last. @returns the sums */
  hammer(
    apiKeys: readonly [string, ...string[]],
    order: Omit<HammerOrder, 'apiKey'>,
  ): Promise<HammerReport>;
  stop(): void;
}

/** @param environment what the functions reach the table with */
export async function startHammers(
  processes: number,
  environment: Readonly<Record<string, string>>,
): Promise<Hammers> {
  const children = Array.from({ length: processes }, () =>
    spawn(node24, [join(import.meta.dirname, 'hammer.ts')], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  );
  await Promise.all(children.map(nextMessage));
  return {
    async hammer(apiKeys, order) {
      const reports = await Promise.all(
        children.map((child, index) => {
          const answer = nextMessage(child);
          child.send({ ...order, apiKey: apiKeys[index] ?? apiKeys.at(-1) });
          return answer as Promise<HammerReport>;
        }),
      );
      const sum = (part: keyof HammerReport): number =>
        reports.reduce((total, report) => total + report[part], 0);
      return {
        passed: sum('passed'),
        refused: sum('refused'),
        failed: sum('failed'),
        passedInFreshWindow: sum('passedInFreshWindow'),
      };
    },
    stop() {
      for (const child of children) child.kill();
    },
  };
}

/** @throws Error when the process ends instead. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([status]) =>
    Promise.reject(new Error(`A hammering process ended with status ${status}.`)),
  );
  ended.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
