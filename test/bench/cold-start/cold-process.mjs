// One cold start, as Lambda makes it: a fresh process imports a bundle and answers one event. Plain JavaScript, so that nothing else
// is loaded before: argv names the bundle, the event comes through the environment; one line of JSON goes out.
import { subscribe } from 'node:diagnostics_channel';
import { performance } from 'node:perf_hooks';

const event = JSON.parse(process.env.BENCH_EVENT ?? '{}');
const write = process.stdout.write.bind(process.stdout);
// The functions' own log lines are nobody's here.
process.stdout.write = () => true;
const context = { getRemainingTimeInMillis: () => 60_000, awsRequestId: 'bench' };

let calls = 0;
let cpuAtFirstAnswer;
const cpuBefore = process.cpuUsage();
subscribe('http.client.response.finish', () => {
  calls += 1;
  cpuAtFirstAnswer ??= process.cpuUsage(cpuBefore);
});
const ms = ({ user, system }) => (user + system) / 1000;

const begun = performance.now();
const { handler } = await import(process.argv[2]);
const imported = performance.now();
const answer = await handler(event, context);
const answered = performance.now();
const cpu = process.cpuUsage(cpuBefore);
write(
  `${JSON.stringify({
    importMs: imported - begun,
    firstMs: answered - imported,
    cpuMs: ms(cpu),
    cpuToFirstAnswerMs: ms(cpuAtFirstAnswer ?? cpu),
    calls,
    status: answer?.statusCode,
  })}\n`,
  () => process.exit(0),
);
