import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as pollPhaseEnd, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Functions, payloadMaxBytes } from '../../../infra/local/functions.ts';
import { startRunningTime } from '../../support/busy-machine.ts';
import { useFolder } from '../given-folder.ts';

const bundles = {
  echo: 'export const handler = async (event, context) => ({ event, ...context, remaining: context.getRemainingTimeInMillis() })',
  'throws-at-import': "throw new Error('no import')",
  'no-handler': 'export const other = 1',
  throws: "export const handler = async () => { throw new Error('no response') }",
  exits: 'export const handler = () => process.exit(0)',
  uncaught:
    "export const handler = () => { setTimeout(() => { throw new Error('later') }); return new Promise(() => {}) }",
  'unhandled-rejection':
    "export const handler = () => { Promise.reject(new Error('nobody')); return new Promise(() => {}) }",
  // 8 MB each, 320 MB in all.
  'needs-320-mb':
    'export const handler = () => Array.from({ length: 40 }, () => new Array(1_000_000).fill(0.5)).length',
  hangs: 'export const handler = () => new Promise(() => {})',
  spins: 'export const handler = () => { while (true) {} }',
  'spins-at-times': 'export const handler = (event) => { while (event.spin) {} ; return "fine" }',
  'crashes-at-times':
    'export const handler = async (event) => { if (event.crash) process.exit(1); return "fine" }',
  // As soon as its response is posted: what comes before it would fail the request.
  'crashes-after': `import { parentPort } from 'node:worker_threads'
    const post = parentPort.postMessage.bind(parentPort)
    const postAndCrash = (message) => { post(message); setTimeout(() => process.exit(1)) }
    export const handler = async (event) => { if (event.crash) parentPort.postMessage = postAndCrash; return "fine" }`,
  'throws-after':
    "export const handler = async (event) => { if (event.crash) setTimeout(() => { throw new Error('late') }, 20); return 'fine' }",
  counts: `let running = 0; let most = 0; let calls = 0
    export const handler = async () => {
      calls++; most = Math.max(most, ++running)
      await new Promise((done) => setTimeout(done, 20))
      running--
      return { most, calls, worker: (await import('node:worker_threads')).threadId }
    }`,
  environment: 'export const handler = async () => process.env',
  large: 'export const handler = async ({ bytes }) => "x".repeat(bytes - 2)',
  logs: 'export const handler = async () => { console.log("a first line"); console.error("a last line"); return 1 }',
};
type BundleName = keyof typeof bundles;

const files = useFolder();
beforeAll(() => {
  const distFolder = files.path();
  for (const [name, source] of Object.entries(bundles)) {
    mkdirSync(join(distFolder, name));
    writeFileSync(join(distFolder, name, 'index.mjs'), source);
  }
});

const running: Functions[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((functions) => functions.stop()));
});

function givenFunctions(options: { timeoutMs?: number; workersPerFunction?: number } = {}) {
  const reports: string[] = [];
  let printed = '';
  const output = new Writable({
    write(chunk, _, done) {
      printed += String(chunk);
      done();
    },
  });
  const report = (sentence: string): void => void reports.push(sentence);
  const functions = new Functions({
    distFolder: files.path(),
    environment: { LEADS_TABLE: 'leads-x' },
    report,
    output,
    timeoutMs: 3000,
    workersPerFunction: 2,
    ...options,
  });
  running.push(functions);
  const invoke = (name: BundleName, event: unknown = {}) =>
    functions.invoke(name, event, 'request-1');
  return { functions, invoke, reports, printed: () => printed };
}

/** Keeps this thread busy, so that what workers send in the meantime arrives at once. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a function gets the event and the context that Lambda passes', async () => {
  const { invoke } = givenFunctions();

  const result = await invoke('echo', { body: 'आशा', left: undefined });

  expect(result).toMatchObject({
    returned: { event: { body: 'आशा' }, awsRequestId: 'request-1', functionName: 'echo' },
  });
  const { remaining } = (result as { returned: { remaining: number } }).returned;
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThanOrEqual(3000);
});

test.each<[BundleName, RegExp]>([
  ['throws-at-import', /crashed: Error: no import/],
  ['no-handler', /crashed: Error: no-handler: the bundle exports no handler/],
  ['throws', /threw: Error: no response/],
  ['exits', /ended its process before it returned/],
  ['uncaught', /crashed: Error: later/],
  ['unhandled-rejection', /crashed: Error: nobody/],
  ['needs-320-mb', /crashed: Error.*memory limit/],
])('a function that %s fails its own request', async (name, reason) => {
  const { invoke, reports } = givenFunctions({ timeoutMs: 50_000 }); // a busy machine takes long to fill a heap

  expect(await invoke(name)).toMatchObject({
    response: 'INTEGRATION_FAILURE',
    reason: expect.stringMatching(reason),
  });
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(reason);
});

test.each<[BundleName]>([['hangs'], ['spins']])(
  'a function that %s is ended when its time-out is over',
  async (name) => {
    const { invoke } = givenFunctions({ timeoutMs: 300 });
    const endRunningTime = startRunningTime();

    expect(await invoke(name)).toMatchObject({ response: 'INTEGRATION_TIMEOUT' });
    expect(endRunningTime()).toBeLessThan(2000);
  },
);

test('a hanging request does not delay other requests of the same function', async () => {
  const { invoke } = givenFunctions({ timeoutMs: 1000, workersPerFunction: 2 });

  const hanging = invoke('spins-at-times', { spin: true });
  const others = await Promise.all(Array.from({ length: 5 }, () => invoke('spins-at-times')));

  expect(others).toEqual(Array.from({ length: 5 }, () => ({ returned: 'fine' })));
  expect(await hanging).toMatchObject({ response: 'INTEGRATION_TIMEOUT' });
});

test('crashed workers are replaced, also for waiting requests', async () => {
  const { invoke } = givenFunctions({ workersPerFunction: 2 });

  const results = await Promise.all(
    Array.from({ length: 8 }, (_, at) => invoke('crashes-at-times', { crash: at % 2 === 0 })),
  );

  expect(results.map((result) => 'returned' in result)).toEqual(
    Array.from({ length: 8 }, (_, at) => at % 2 === 1),
  );
});

test('a function that crashes after its response fails no request', async () => {
  const { invoke, reports } = givenFunctions();

  const invoked = invoke('crashes-after', { crash: true });
  await pollPhaseEnd();
  standStill(1000); // the response and the end of the worker arrive together
  expect(await invoked).toHaveProperty('returned');
  await expect
    .poll(() => reports, { timeout: 5000 })
    .toEqual([expect.stringMatching(/^crashes-after: between two requests/)]);
  expect(await invoke('crashes-after')).toHaveProperty('returned');
});

test('a request that arrives while a crashed worker ends gets another worker', async () => {
  const { invoke } = givenFunctions({ workersPerFunction: 1 });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { emit } = Worker.prototype;
  vi.spyOn(Worker.prototype, 'emit').mockImplementation(function (this: Worker, ...event) {
    const isHeard = emit.apply(this, event);
    if (event[0] === 'error') resolve(invoke('throws-after'));
    return isHeard;
  });
  onTestFinished(() => void vi.restoreAllMocks());

  expect(await invoke('throws-after', { crash: true })).toEqual({ returned: 'fine' });

  expect(await promise).toEqual({ returned: 'fine' });
});

test('a worker that answers just after its time-out gets no further request', async () => {
  const timeoutMs = 300;
  const { invoke } = givenFunctions({ timeoutMs, workersPerFunction: 1 });
  await invoke('crashes-at-times');
  await pollPhaseEnd();

  const late = invoke('crashes-at-times');
  const waiting = [invoke('crashes-at-times'), invoke('crashes-at-times')];
  await new Promise<void>((sent) => process.nextTick(sent)); // after every microtask, before any response
  // The response arrives while this thread is busy, past the time-out. Node.js then runs the timer first.
  standStill(timeoutMs + 50);

  expect(await late).toMatchObject({ response: 'INTEGRATION_TIMEOUT' });
  const later = [...waiting, invoke('crashes-at-times')];
  expect(await Promise.race([Promise.all(later), sleep(3000, 'never answered')])).toEqual(
    later.map(() => ({ returned: 'fine' })),
  );
});

test('a worker handles one event at a time, workers are reused, and their number is limited', async () => {
  const { invoke } = givenFunctions({ workersPerFunction: 3 });

  const results = await Promise.all(Array.from({ length: 12 }, () => invoke('counts')));

  const responses = results.map(
    (result) => (result as { returned: { most: number; worker: number } }).returned,
  );
  expect(Math.max(...responses.map(({ most }) => most))).toBe(1);
  expect(new Set(responses.map(({ worker }) => worker)).size).toBe(3);
});

test("a function gets its own environment and nothing of the developer's AWS configuration", async () => {
  vi.stubEnv('AWS_PROFILE', 'someone');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { invoke } = givenFunctions();

  const result = await invoke('environment');

  expect(result).toMatchObject({
    returned: { LEADS_TABLE: 'leads-x', AWS_LAMBDA_FUNCTION_NAME: 'environment' },
  });
  expect((result as { returned: object }).returned).not.toHaveProperty('AWS_PROFILE');
});

test("a response above Lambda's payload limit is refused, one at the limit is not", async () => {
  const { invoke } = givenFunctions();

  expect(await invoke('large', { bytes: payloadMaxBytes })).toHaveProperty('returned');
  expect(await invoke('large', { bytes: payloadMaxBytes + 1 })).toMatchObject({
    response: 'INTEGRATION_FAILURE',
  });
});

test('a function’s output arrives before its response', async () => {
  const { invoke, printed } = givenFunctions();
  for (let call = 1; call <= 50; call += 1) {
    await invoke('logs');

    expect(printed().split('a last line')).toHaveLength(call + 1);
  }
});

test('functions that stop start no worker for requests that wait or come later, and each gets a result', async () => {
  const { functions, invoke } = givenFunctions({ workersPerFunction: 1 });
  await invoke('crashes-at-times');
  const results = [invoke('hangs'), invoke('hangs'), invoke('hangs')];

  await functions.stop();
  results.push(invoke('hangs'), invoke('echo'));

  expect(await Promise.all(results)).toEqual(
    ['ended', 'was not', 'was not', 'was not', 'was not'].map((beginning) => ({
      response: 'INTEGRATION_FAILURE',
      reason: expect.stringMatching(beginning),
    })),
  );
});
