import { performance } from 'node:perf_hooks';

/**
 * A process that stands for one Lambda: imports the handler of the module in argv, then answers the events its parent sends, one
 * at a time, and tells what each cost. Run by `LambdaProcess`.
 */
export interface Invocation {
  readonly event: unknown;
}

export interface Invoked {
  readonly answer: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: string;
  };
  readonly ms: number;
  /** User and system time of the whole process during the call, in milliseconds. */
  readonly cpuMs: number;
  /** The most memory the process has held so far, in megabytes. */
  readonly peakMb: number;
}

const [, , moduleUrl = ''] = process.argv;
// The functions log a line per request, which Lambda takes from stdout: here nobody reads it.
process.stdout.write = () => true;
const { handler } = (await import(moduleUrl)) as {
  handler: (event: unknown, context: object) => Promise<Invoked['answer']>;
};
const context = {
  getRemainingTimeInMillis: () => 60_000,
  awsRequestId: 'bench',
  functionName: 'bench',
};

process.on('message', async ({ event }: Invocation) => {
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  const answer = await handler(event, context);
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send?.({
    answer,
    ms,
    cpuMs: (user + system) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  } satisfies Invoked);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
