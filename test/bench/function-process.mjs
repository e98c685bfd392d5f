// A process that stands for one Lambda: imports the handler of the module in argv, then answers the events its parent sends, one at a
// time, and tells what each cost (`Invoked`). Run by `LambdaProcess`. Plain JavaScript: the loader of TypeScript would take 20 to 30 MB
// of the memory that is measured.
import { performance } from 'node:perf_hooks';

const [, , moduleUrl = ''] = process.argv;
// The functions log a line per request, which Lambda takes from stdout: here nobody reads it.
process.stdout.write = () => true;
const { handler } = await import(moduleUrl);
const context = {
  getRemainingTimeInMillis: () => 60_000,
  awsRequestId: 'bench',
  functionName: 'bench',
};

process.on('message', async ({ event }) => {
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
  });
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
