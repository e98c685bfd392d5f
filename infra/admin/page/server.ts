import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { listen } from '../../cli/listen.ts';
import { activityView } from './activity.ts';
import { type Desk, Form, NotFoundError, type View } from './desk.ts';
import { importView } from './import/import.ts';
import { keysView } from './keys.ts';
import { failurePage } from './layout.ts';
import { leadView } from './leads/lead.ts';
import { leadsView } from './leads/leads.ts';
import { organizationsView } from './organizations.ts';
import { settingsView } from './settings/settings.ts';

/** The views of one page. Some remember what was done since it was opened. */
const viewsOf = (): readonly View[] => [
  organizationsView,
  leadsView,
  leadView,
  keysView(),
  importView(),
  activityView(),
  settingsView,
];

/** Nothing is loaded from another host, no other page can frame this one, and nothing is cached on disk. */
const safeHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; img-src data:; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not `no-referrer`: forms would then send `Origin: null` (Fetch standard, "append a request Origin header").
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
};

/** Settings have at most 350 KB of JSON, which a form sends with a name for each value. */
const formMax = { bytes: 8_000_000, sentence: 'The form sends more than 8 MB: shorten it.' };

/** How long the end waits for pending requests. */
const finishWithinMs = 4000;

const secret = (): string => randomBytes(32).toString('base64url');

function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** Serves the page on 127.0.0.1 to one browser, the first that sends the token. Refuses all others, and the pages of other sites. */
export class PageServer {
  readonly #desk: Desk;
  readonly #server: Server;
  readonly #views = viewsOf();
  readonly #session = secret();
  /** Undefined once the token was used. */
  #token: string | undefined = secret();
  #host = '';

  constructor(desk: Desk) {
    this.#desk = desk;
    const answer = getRequestListener(this.#app().fetch);
    this.#server = createServer((message, response) => {
      // Another host name that leads to this machine belongs to another site (DNS rebinding).
      if (message.headers.host === this.#host) return void answer(message, response);
      const sentence = `The page answers only at http://${this.#host}: use that address.\n`;
      response.writeHead(403, { ...safeHeaders, 'Content-Type': 'text/plain' }).end(sentence);
    });
  }

  /** @param port 0 picks a free one @returns the address with the token @throws CommandError if the port is in use */
  async listen(port: number): Promise<string> {
    this.#host = `127.0.0.1:${await listen(this.#server, port, 'npm run admin -- open')}`;
    return `http://${this.#host}/?token=${this.#token}`;
  }

  /**
   * Accepts no more requests, and lets pending ones end, so that their changes are in the audit log. An import ends after its batch.
   * @returns sentences that say how to continue unfinished work
   */
  async stop(): Promise<readonly string[]> {
    const stopped = Promise.all(this.#views.map(({ stop }) => stop?.() ?? []));
    const closed = once(this.#server, 'close');
    this.#server.close();
    const timer = setTimeout(() => this.#server.closeAllConnections(), finishWithinMs);
    await closed;
    clearTimeout(timer);
    return (await stopped).flat();
  }

  #app(): Hono {
    const app = new Hono();
    app.use(async (context, next) => {
      const refusal = this.#refusal(context);
      if (refusal === undefined) await next();
      else context.res = context.text(`${refusal}\n`, 403);
      for (const [name, value] of Object.entries(safeHeaders)) context.header(name, value);
    });
    for (const [path, type] of Object.entries(assets)) {
      const body = readFileSync(join(import.meta.dirname, path));
      app.get(`/${path}`, (context) => context.body(body, 200, { 'Content-Type': type }));
    }
    for (const { path, get, post, bodyMax: { bytes, sentence } = formMax } of this.#views) {
      app.get(path, (context) => get(context, this.#desk));
      const onError = (context: Context) => failurePage(context, sentence, 413);
      if (post && !this.#desk.isReadOnly)
        app.post(path, bodyLimit({ maxSize: bytes, onError }), async (context) =>
          post(context, this.#desk, await Form.of(context)),
        );
    }
    app.notFound((context) => failurePage(context, 'There is no such page.', 404));
    app.onError((error, context) =>
      failurePage(context, this.#desk.failureText(error), statusOf(error)),
    );
    return app;
  }

  /** Why a request is refused, and how to get in; undefined if it comes from the browser that opened the page. */
  #refusal(context: Context): string | undefined {
    const cookie = `leads_${this.#host.split(':')[1]}`;
    if (!isSame(getCookie(context, cookie), this.#session)) {
      const isFirst =
        context.req.method === 'GET' && isSame(context.req.query('token'), this.#token);
      if (!isFirst)
        return 'This page is open only to the browser that used its address first. The address works once: stop the command npm run admin -- open, start it again, and open the address that it prints.';
      this.#token = undefined;
      setCookie(context, cookie, this.#session, { httpOnly: true, sameSite: 'Strict', path: '/' });
    }
    const reads = ['GET', 'HEAD'].includes(context.req.method) || this.#desk.isReadOnly;
    return reads || context.req.header('Origin') === `http://${this.#host}`
      ? undefined
      : `Only the forms of this page may change something: open http://${this.#host} and use its form.`;
  }
}

const assets = {
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
} as const;

function statusOf(error: unknown): 403 | 404 | 500 {
  if (error instanceof NotFoundError) return 404;
  return error instanceof Error && error.name === 'AccessDeniedException' ? 403 : 500;
}
