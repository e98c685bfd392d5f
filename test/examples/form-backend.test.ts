import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { node24, projectFolder } from '../support/service-process.ts';

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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

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
const namesSent = (): unknown[] => [...new Set(captures.map(({ body }) => body.name))].sort();

const first = { submission: 'view-1', name: 'First Child', phone: '98200 12345' };
const second = { submission: 'view-1', name: 'Second Child', phone: '98200 12346' };

describe('two texts from one view of the form', () => {
  test('are both kept while the service is away, and both sent, each under a key of its own', {
    timeout: 20_000,
  }, async () => {
    const post = await startForm();

    expect([await post(first), await post(second)]).toEqual([202, 202]);

    expect(await kept()).toHaveLength(2);
    answer = () => 201;
    await expect.poll(kept, { timeout: 15_000 }).toEqual([]);
    expect(namesSent()).toEqual(['First Child', 'Second Child']);
    expect(new Set(captures.map(({ key }) => key)).size).toBe(2);
  });

  test('are both taken when the visitor goes back and changes the text', {
    timeout: 20_000,
  }, async () => {
    // As the service does: a known key with another body is refused.
    const known = new Map<string, string>();
    answer = () => {
      const { key, text } = captures.at(-1) as Capture;
      if (!known.has(key)) known.set(key, text);
      return known.get(key) === text ? 201 : 422;
    };
    const post = await startForm();

    await post(first);
    await expect.poll(kept).toEqual([]);
    await post({ ...first, notes: 'Is there a hostel?' });
    await expect.poll(kept).toEqual([]);

    expect(captures.map(({ body }) => body.notes)).toEqual([undefined, 'Is there a hostel?']);
    expect(await readdir(join(outbox, 'refused'))).toEqual([]);
  });

  test('are both sent when the second comes while the first is on its way', {
    timeout: 20_000,
  }, async () => {
    const { promise: mayAnswer, resolve } = Promise.withResolvers<number>();
    answer = () => mayAnswer;
    const post = await startForm();
    await post(first);
    await expect.poll(() => captures.length).toBe(1);

    await post(second);
    resolve(201);

    await expect.poll(kept).toEqual([]);
    expect(namesSent()).toEqual(['First Child', 'Second Child']);
  });
});

test('a text that is posted many times at once is thanked for each time and sent under one key', {
  timeout: 20_000,
}, async () => {
  const post = await startForm();
  const { submission, name, phone } = first;

  const statuses = await Promise.all(
    Array.from({ length: 12 }, (_, index) => post(index % 2 ? first : { phone, name, submission })),
  );

  expect(statuses).toEqual(statuses.map(() => 202));
  expect(await kept()).toHaveLength(1);
  answer = () => 200;
  await expect.poll(kept, { timeout: 15_000 }).toEqual([]);
  expect(new Set(captures.map(({ key }) => key)).size).toBe(1);
});

test('a text that is posted again with its properties in another order is sent under the same key', {
  timeout: 20_000,
}, async () => {
  const post = await startForm();
  const { submission, name, phone } = first;

  await post(first);
  await expect.poll(() => captures.length).toBeGreaterThan(0); // refused for now
  await post({ phone, name, submission });
  answer = () => 200;

  await expect.poll(kept, { timeout: 15_000 }).toEqual([]);
  expect(new Set(captures.map(({ key }) => key)).size).toBe(1);
});

test('the same text from two views of the form is two enquiries', { timeout: 20_000 }, async () => {
  const post = await startForm();

  await post(first);
  await post({ ...first, submission: 'view-2' });

  expect(await kept()).toHaveLength(2);
});

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

test('a refused optional value goes to the notes, and the person is sent under a key of the new text', {
  timeout: 20_000,
}, async () => {
  answer = () => (captures.length === 1 ? [422, ['linkedin', 'email']] : 201);
  const post = await startForm();
  const fields = { course: 'mba', linkedin: 'example.com' };

  await post({ ...first, email: 'nobody@', notes: 'Please call.', fields });

  await expect.poll(kept).toEqual([]);
  expect(captures[1]?.body).toEqual({
    name: first.name,
    phone: first.phone,
    fields: { course: 'mba' },
    notes: 'Please call.\n\nlinkedin: example.com\nemail: nobody@',
  });
  expect(captures[1]?.key).not.toBe(captures[0]?.key);
  expect(await readdir(join(outbox, 'refused'))).toEqual([]);
});

test('an enquiry whose phone is refused is kept for a person', { timeout: 20_000 }, async () => {
  answer = () => [422, ['phone', 'email']];
  const post = await startForm();

  await post({ ...first, email: 'nobody@' });

  await expect.poll(kept).toEqual([]);
  expect(await readdir(join(outbox, 'refused'))).toHaveLength(1);
  expect(captures).toHaveLength(1);
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
