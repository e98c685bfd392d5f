// A process that plays one Lambda. It imports the handler of the module in argv, then handles its parent's events, one at a time. It
// reports what the import and each response cost (`Cost`). Run by `LambdaProcess`. Plain JavaScript: the loader of TypeScript would take 20
// to 30 MB of the memory that is measured.
import { subscribe } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';

const [, , moduleUrl = ''] = process.argv;
// The functions log a line per request, which Lambda takes from stdout: here nobody reads it.
process.stdout.write = () => true;
const context = {
  getRemainingTimeInMillis: () => 60_000,
  awsRequestId: 'bench',
  functionName: 'bench',
};
const sum = ({ user, system }) => (user + system) / 1000;

let cpuBefore;
let cpuAtFirstAnswer;
let calls;
subscribe('http.client.response.finish', () => {
  calls += 1;
  cpuAtFirstAnswer ??= process.cpuUsage(cpuBefore);
});

async function measured(run) {
  calls = 0;
  cpuAtFirstAnswer = undefined;
  cpuBefore = process.cpuUsage();
  const begun = performance.now();
  const result = await run();
  const ms = performance.now() - begun;
  const cpu = process.cpuUsage(cpuBefore);
  const cpuToFirstAnswerMs = sum(cpuAtFirstAnswer ?? cpu);
  const peakMb = process.resourceUsage().maxRSS / 1024;
  return [result, { ms, cpuMs: sum(cpu), cpuToFirstAnswerMs, calls, peakMb }];
}

const [{ handler }, imported] = await measured(() => import(moduleUrl));
process.on('message', async ({ event }) => {
  const [answer, cost] = await measured(() => handler(event, context));
  process.send?.({ answer, ...cost });
});
process.on('disconnect', () => process.exit(0));
process.send?.(imported);
