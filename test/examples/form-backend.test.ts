import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort, node24, projectFolder } from '../support/service-process.ts';

/** The example against a stand-in for the service: what it keeps and sends, and under which keys. */
interface Capture {
  readonly key: string;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

let outbox: string;
let service: Server;
let form: ChildProcess | undefined;
let captures: Capture[];
/** What the stand-in answers to each capture: a status, or one with the fields that it refuses. */
let answer: () => Promise<number> | number | readonly [number, readonly string[]];
beforeEach(async () => {
  outbox = await mkdtemp(join(tmpdir(), 'form-backend-'));
  captures = [];
  answer = () => 503;
  service = createServer(async (request, response) => {
    const body = (await json(request.on('data', (chunk) => texts.push(String(chunk))))) as Record<
      string,
      unknown
    >;
    captures.push({
      key: String(request.headers['idempotency-key']),
      text: texts.splice(0).join(''),
      body,
    });
    const reply = await answer();
    const [status, refused] = typeof reply === 'number' ? [reply, []] : reply;
    const fields = Object.fromEntries(refused.map((name) => [name, 'is wrong.']));
    const error = { code: 'VALIDATION_FAILED', message: 'No.', details: { fields } };
    response.writeHead(status).end(JSON.stringify({ error }));
  });
  const texts: string[] = [];
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
});
afterEach(async () => {
  if (form) {
    const exited = once(form, 'exit');
    form.kill('SIGKILL');
    await exited;
  }
  form = undefined;
  service.closeAllConnections();
  service.close();
  await rm(outbox, { recursive: true, force: true });
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Starts the example, and returns how a form posts to it: the status it is thanked with. */
async function startForm(): Promise<(body: object | string) => Promise<number>> {
  const port = await freePort();
  form = spawn(node24, [join(projectFolder, 'test', 'examples', 'form-backend.ts')], {
    env: {
      ...process.env,
      LEADS_URL: `http://127.0.0.1:${portOf(service)}`,
      OUTBOX: outbox,
      PORT: String(port),
    },
    stdio: 'ignore',
  });
  const post = async (body: object | string): Promise<number> => {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: text })).status;
  };
  await expect.poll(() => post('').catch(() => 0), { timeout: 10_000 }).toBe(400);
  return post;
}

const kept = async (): Promise<string[]> =>
  (await readdir(outbox)).filter((name) => name !== 'refused').sort();

const first = { submission: 'view-1', name: 'First Child', phone: '98200 12345' };

test('a text arrives as it was typed: letters that a network cuts in two, and U+FFFD as an escape', {
  timeout: 20_000,
}, async () => {
  answer = () => 201;
  const post = await startForm();
  const notes = `${'आशा '.repeat(5000)}\ufffd`; // many chunks, of letters of three bytes

  expect(await post({ ...first, notes })).toBe(202);

  await expect.poll(() => captures[0]?.body.notes ?? '').toHaveLength(notes.length);
  expect(captures[0]?.body.notes === notes).toBe(true); // a difference is too long to print
  expect(captures[0]?.text.includes('\ufffd')).toBe(false);
  expect(await post(Buffer.from('{"submission":"v","name":"Zo\xeb"}', 'latin1'))).toBe(400);
});

test('half of an enquiry that a kill left behind is cleared away, and what was thanked for is sent', {
  timeout: 20_000,
}, async () => {
  await writeFile(join(outbox, 'a.0.part'), '{"name":"Fir');
  await writeFile(join(outbox, 'b.json'), JSON.stringify({ name: 'Thanked For' }));
  answer = () => 201;

  await startForm();

  await expect.poll(kept).toEqual([]);
  expect(captures.map(({ body }) => body.name)).toEqual(['Thanked For']);
});

test('an enquiry of yesterday is not sent again, because the service may have forgotten its key', {
  timeout: 20_000,
}, async () => {
  await writeFile(join(outbox, 'a.json'), JSON.stringify({ name: 'Yesterday' }));
  const yesterday = new Date(Date.now() - 24 * 3_600_000);
  await utimes(join(outbox, 'a.json'), yesterday, yesterday);

  await startForm();

  await expect.poll(kept).toEqual([]);
  expect(await readdir(join(outbox, 'refused'))).toEqual(['a.json']);
  expect(captures).toEqual([]);
});
