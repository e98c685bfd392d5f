/**
 * Serves a recipe whose handler takes a Request and returns a Response, with what its platform gives it:
 *
 *   node fetch-host.ts next|edge FILE PORT
 *
 * `Date.now()` advances by a quarter of an hour with each scheduled run, so the outbox's schedule does not depend on the machine's speed.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** In the site's folder: the clock does not go back when this process ends. */
const clock = 'clock';
const runsEveryMs = 15 * 60_000;
const realNow = Date.now;
let aheadMs = Number(await readFile(clock, 'utf8').catch(() => '0'));
Date.now = () => realNow() + aheadMs;

const [platform, file = '', port] = process.argv.slice(2);
const recipe = await import(pathToFileURL(file).href);
const folder = process.env.OUTBOX ?? '';

/** Never half written: this process is killed at any time. */
async function replaceFile(file: string, text: string): Promise<void> {
  const part = join(dirname(file), `.${basename(file)}.${Math.random()}`);
  await writeFile(part, text);
  await rename(part, file);
}

/** A KV namespace that survives the end of this process: a file for each key. */
const keyValues = {
  async put(key: string, value: string) {
    await mkdir(folder, { recursive: true });
    await replaceFile(join(folder, `${key}.json`), value);
  },
  get: (key: string) => readFile(join(folder, `${key}.json`), 'utf8').catch(() => null),
  delete: (key: string) => rm(join(folder, `${key}.json`), { force: true }),
  async list() {
    const names = await readdir(folder).catch(() => []);
    const keys = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
    return { keys: keys.map((name) => ({ name })), list_complete: true };
  },
};
const environment = { ...process.env, ENQUIRIES: keyValues };

async function reply(request: Request, isSchedule: boolean): Promise<Response> {
  if (isSchedule) {
    aheadMs += runsEveryMs;
    await replaceFile(clock, String(aheadMs));
  }
  if (request.method !== 'GET' && request.method !== 'POST')
    return new Response(null, { status: 405 });
  if (platform === 'next') return recipe[request.method](request);
  if (!isSchedule) return recipe.default.fetch(request, environment);
  await recipe.default.scheduled({}, environment);
  return new Response(null, { status: 204 });
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { method = 'GET', headers } = incoming;
  const body = method === 'POST' ? await buffer(incoming) : null;
  return new Request(`http://127.0.0.1${incoming.url}`, {
    method,
    headers: headers as Record<string, string>,
    body,
  });
}

createServer(async (incoming, outgoing) => {
  try {
    const response = await reply(await requestOf(incoming), incoming.url === '/__scheduled');
    outgoing
      .writeHead(response.status, Object.fromEntries(response.headers))
      .end(await response.text());
  } catch (error) {
    console.error(error);
    outgoing.writeHead(500).end(String(error));
  }
}).listen(Number(port), '127.0.0.1');
