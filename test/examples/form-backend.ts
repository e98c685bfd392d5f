/**
 * The server behind a website's enquiry form. It takes an enquiry, writes it to its outbox, thanks the visitor, and sends it to the
 * lead service until that has it: nothing is lost when the service restarts, the network fails, or this server is killed, and nothing
 * is doubled, since an enquiry is sent under one idempotency key however often it is sent. The key stands for this text from this view
 * of the form: a double click sends nothing twice, and a visitor who goes back and changes the text sends another enquiry.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=./outbox PORT=3000 node form-backend.ts
 *
 * A form posts JSON such as {"submission":"<random, made when the form is shown>","name":"Asha","phone":"98200 12345","notes":"…"}.
 * Node 22.18 or later runs it as it is.
 */
import { isUtf8 } from 'node:buffer';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  LEADS_URL = 'http://127.0.0.1:4010',
  LEADS_API_KEY = '',
  OUTBOX = './outbox',
  PORT = '3000',
} = process.env;
const refusedFolder = join(OUTBOX, 'refused');
await mkdir(refusedFolder, { recursive: true });

/** A killed server leaves halves behind. Nobody was thanked for them. */
for (const name of await readdir(OUTBOX)) if (name.endsWith('.part')) await rm(join(OUTBOX, name));

/** The same text for the same values, whatever the order of their properties. */
function inOrder(_name: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}

/** SHA-256 of a form's whole post: a file's name and a header, whatever was sent. */
const keyOf = (post: object): string =>
  createHash('sha256').update(JSON.stringify(post, inOrder)).digest('hex');

/** The service refuses a raw U+FFFD, which a wrong encoding leaves where letters were. A visitor who pasted one meant it. */
const jsonOf = (enquiry: object): string =>
  JSON.stringify(enquiry, inOrder).replaceAll('\ufffd', '\\ufffd');

/** An enquiry is on the disk, whole, before the visitor is thanked: written under a name of its own, flushed, then renamed. */
async function keep(key: string, enquiry: object): Promise<void> {
  const part = join(OUTBOX, `${key}.${randomUUID()}.part`);
  const file = await open(part, 'w', 0o600);
  await file.writeFile(jsonOf(enquiry));
  await file.sync();
  await file.close();
  await rename(part, join(OUTBOX, `${key}.json`));
}

/** `refused`: the names in the answer's `details.fields`. */
type Sent = 'taken' | { readonly refused: readonly string[] } | { readonly retryInMs: number };

/** Sends an enquiry once. What may pass (409, 429, 5xx, the network, a key that is being replaced) is to be sent again. */
async function send(name: string, body: string, attempt: number): Promise<Sent> {
  // Of this view, and of this content: without a refused value it is another one.
  const key = createHash('sha256').update(name).update(body).digest('hex');
  const backOffMs = Math.random() * Math.min(60_000, 500 * 2 ** attempt);
  try {
    const response = await fetch(`${LEADS_URL}/api/v1/leads/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${LEADS_API_KEY}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body,
      signal: AbortSignal.timeout(15_000), // the service answers within ten, whatever fails; who gives up before sends in vain
    });
    if (response.ok) return 'taken';
    const answer = await response.text();
    console.error(`${name}: ${response.status} ${answer}`); // the service's answer; never the enquiry, which is personal data
    const mayPass = [401, 403, 404, 409, 429].includes(response.status) || response.status >= 500;
    if (!mayPass)
      return {
        refused: response.status === 422 ? Object.keys(detailsIn(answer).fields ?? {}) : [],
      };
    return {
      retryInMs: Math.max(backOffMs, 1000 * Number(response.headers.get('Retry-After') ?? 0)),
    };
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
    return { retryInMs: backOffMs };
  }
}

const detailsIn = (answer: string): { readonly fields?: object } =>
  JSON.parse(answer).error.details ?? {};

interface Enquiry {
  readonly notes?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly [property: string]: unknown;
}

/** The enquiry without the refused values, whose texts go to its notes; undefined if nothing can be taken out: a person has to look. */
function without(enquiry: Enquiry, refused: readonly string[]): Enquiry | undefined {
  if (refused.includes('name') || refused.includes('phone')) return undefined;
  const { fields: { ...fields } = {}, notes = '', ...rest } = enquiry;
  const lines = refused.flatMap((name) => {
    const values: Record<string, unknown> = Object.hasOwn(fields, name) ? fields : rest;
    const key = values === fields ? name : (name.split('.')[0] ?? ''); // attribution.utmTerm
    if (!Object.hasOwn(values, key)) return [];
    const value = values[key];
    delete values[key];
    return [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`.slice(0, 500)];
  });
  if (lines.length === 0 && !refused.includes('notes')) return undefined;
  const tail = lines.length > 0 ? `\n\n${lines.join('\n')}` : '';
  const start = notes.replaceAll('\0', '').slice(0, 5000 - tail.length);
  return {
    ...rest,
    ...(Object.keys(fields).length > 0 && { fields }),
    notes: (start + tail).trimStart(),
  };
}

const attempts = new Map<string, { readonly count: number; readonly nextAt: number }>();
const giveUpMs = 23 * 3_600_000; // the service knows an idempotency key for 24 hours

/** Sends what is due. One that has to wait keeps nobody else waiting. */
async function sendOutbox(): Promise<void> {
  for (const name of (await readdir(OUTBOX)).filter((one) => one.endsWith('.json'))) {
    const { count, nextAt } = attempts.get(name) ?? { count: 0, nextAt: 0 };
    if (Date.now() < nextAt) continue;
    const file = join(OUTBOX, name);
    const isLate = Date.now() - (await stat(file)).mtimeMs > giveUpMs;
    const body = await readFile(file, 'utf8');
    const sent = isLate ? { refused: [] } : await send(name, body, count);
    if (typeof sent === 'object' && 'retryInMs' in sent) {
      attempts.set(name, { count: count + 1, nextAt: Date.now() + sent.retryInMs });
      continue;
    }
    attempts.delete(name);
    const reduced = sent === 'taken' ? undefined : without(JSON.parse(body), sent.refused);
    if (sent === 'taken') await rm(file);
    else if (reduced) await keep(name.slice(0, -'.json'.length), reduced);
    else await rename(file, join(refusedFolder, name)); // for a person to look at
  }
}

interface Post extends Readonly<Record<string, unknown>> {
  readonly submission: string;
}

const isPost = (value: unknown): value is Post =>
  typeof value === 'object' &&
  value !== null &&
  'submission' in value &&
  typeof value.submission === 'string';

/** @throws SyntaxError for what no form of ours sends. */
async function readPost(request: IncomingMessage): Promise<Post> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > 90_000) throw new SyntaxError('too long');
  }
  // Decoded whole: a chunk may end in the middle of a letter.
  const body = Buffer.concat(chunks);
  if (!isUtf8(body)) throw new SyntaxError('not UTF-8');
  const post: unknown = JSON.parse(body.toString());
  if (!isPost(post)) throw new SyntaxError('submission is missing');
  return post;
}

createServer(async (request, response) => {
  try {
    const post = await readPost(request);
    const { submission: _, ...enquiry } = post;
    await keep(keyOf(post), enquiry);
    response.writeHead(202).end();
  } catch (error) {
    response.writeHead(error instanceof SyntaxError ? 400 : 500).end();
  }
}).listen(Number(PORT), '127.0.0.1');

for (;;) {
  await sendOutbox().catch((error) => console.error(error));
  await sleep(100);
}
