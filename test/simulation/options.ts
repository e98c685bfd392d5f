import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const help = `Usage: npm run simulate -- [options]

Runs the service's functions against a simulated DynamoDB in simulated time, and checks what the contract promises.
Without an option: 200 random histories. The last line says how many histories, faults and violations there were.

  --seed N        the first random history's seed; the next ones count on (default: 1)
  --histories N   how many random histories
  --minutes M     as many random histories as M minutes take
  --pairs         every pair of operations, in every order of their calls that makes a difference, with a fault at each call
  --long          histories of days of simulated time
  --bugs          the planted bugs: what finds each, written to planted-bugs/found-by.json; one that nothing finds is a violation
  --processes P   processes that run the random histories (default: one for each core); a seed's history is the same in any of them
  --help          this text

A history that fails is printed with its seed, as small as it goes, as a story. Status: 1 on a violation, 2 on wrong usage.

Examples:
  npm run simulate -- --seed 83 --histories 1
  npm run simulate -- --minutes 10
  npm run simulate -- --histories 10000 --pairs --long --bugs
`;

export interface SimulateOptions {
  readonly seed: number;
  readonly histories: number | undefined;
  readonly minutes: number | undefined;
  readonly pairs: boolean;
  readonly long: boolean;
  readonly bugs: boolean;
  readonly processes: number;
}

const fail = (sentence: string): never => {
  process.stderr.write(`${sentence} See npm run simulate -- --help.\n`);
  process.exit(2);
};

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,8}$/.test(text)
    ? Number(text)
    : fail(`--${name} must be a whole number above 0, not '${text}'.`);
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    seed: text,
    histories: text,
    minutes: text,
    pairs: flag,
    long: flag,
    bugs: flag,
    processes: text,
    help: flag,
  };
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    return fail(`${(error as Error).message}.`.replace(/\.\.$/, '.'));
  }
}

/** Ends the process where the options are wrong, or ask for help. */
export function readOptions(args: readonly string[]): SimulateOptions {
  const values = parsed(args);
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  return {
    seed: wholeNumber('seed', values.seed) ?? 1,
    histories: wholeNumber('histories', values.histories),
    minutes: wholeNumber('minutes', values.minutes),
    pairs: values.pairs,
    long: values.long,
    bugs: values.bugs,
    processes: wholeNumber('processes', values.processes) ?? availableParallelism(),
  };
}
