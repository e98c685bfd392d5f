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
  --bugs          the planted bugs: a table of what found each; one that nothing finds counts as a violation
  --scale         which limit a growing load meets first, and what it costs; with --write, test/SCALE.md and its plot
  --processes P   processes that run the random histories (default: one for each core); their number changes nothing in the results
  --record FILE   keep the results in FILE, and go on where FILE ends: up to N histories in all, and the pairs it lacks
  --merge FILE    add the results of another recorded run, of other seeds, to those of --record; may be given several times
  --write         write test/RELIABILITY.md from the FILE of --record, or the pages of --scale
  --help          this text

A history that fails is printed with its seed, as small as it goes, as a story. Status: 1 on a violation, 2 on wrong usage.

Examples:
  npm run simulate -- --seed 83 --histories 1
  npm run simulate -- --minutes 10
  npm run simulate -- --record record.json --histories 100000 --bugs --long --write
  npm run simulate -- --record record.json --merge other.json --write
`;

export interface SimulateOptions {
  /** Undefined: from the first of the record on, or from 1. */
  readonly seed: number | undefined;
  readonly histories: number | undefined;
  readonly minutes: number | undefined;
  readonly pairs: boolean;
  readonly long: boolean;
  readonly bugs: boolean;
  readonly scale: boolean;
  readonly processes: number;
  readonly record: string | undefined;
  readonly merge: readonly string[];
  readonly write: boolean;
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
    scale: flag,
    processes: text,
    record: text,
    merge: { type: 'string', multiple: true } as const,
    write: flag,
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
  const { merge = [] } = values;
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  if (values.write && values.record === undefined && !values.scale)
    return fail('--write needs --record FILE, whose results it writes, or --scale.');
  if (merge.length > 0 && values.record === undefined)
    return fail('--merge needs --record FILE, to which it adds.');
  return {
    seed: wholeNumber('seed', values.seed),
    histories: wholeNumber('histories', values.histories),
    minutes: wholeNumber('minutes', values.minutes),
    pairs: values.pairs,
    long: values.long,
    bugs: values.bugs,
    scale: values.scale,
    processes: wholeNumber('processes', values.processes) ?? availableParallelism(),
    record: values.record,
    merge,
    write: values.write,
  };
}
