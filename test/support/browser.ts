import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A headless Chromium, driven by its own protocol (CDP). */

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The command of an installed Chromium; undefined if none is installed. */
export const chromium: string | undefined = names.find(
  (name) => spawnSync(name, ['--version']).status === 0,
);

export interface Page {
  /** The addresses that the page requested. */
  readonly requested: readonly string[];
  /** Evaluates an expression in the page; waits for it if it is a promise. */
  evaluate(expression: string): Promise<unknown>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly request?: { readonly url: string } };
  readonly result?: { readonly result?: { readonly value?: unknown } };
}

/** Opens a page, runs the test on it, and ends the browser. */
export async function withPage(url: string, use: (page: Page) => Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'docs-browser-'));
  const browser = spawn(
    chromium ?? 'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--window-size=1300,900',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  try {
    const page = await connect(await debuggingPort(browser));
    await page.open(url);
    await use(page);
  } finally {
    browser.kill('SIGKILL');
    if (browser.exitCode === null && browser.signalCode === null) await once(browser, 'exit');
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function debuggingPort(browser: ChildProcess): Promise<string> {
  let said = '';
  for await (const chunk of browser.stderr ?? []) {
    said += String(chunk);
    const [, port] = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? [];
    if (port) return port;
  }
  throw new Error(`Chromium did not start: ${said}`);
}

async function connect(port: string): Promise<Page & { open(url: string): Promise<void> }> {
  // A page of its own: the browser accepts connections before it has its first page.
  const target = await fetch(`http://127.0.0.1:${port}/json/new`, { method: 'PUT' });
  const { webSocketDebuggerUrl } = (await target.json()) as { webSocketDebuggerUrl: string };
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, 'open');
  const waiting = new Map<number, (message: Message) => void>();
  const requested: string[] = [];
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    const url = message.method === 'Network.requestWillBeSent' && message.params?.request?.url;
    if (url) requested.push(url);
  };
  let lastId = 0;
  const send = (method: string, params: object = {}): Promise<Message> => {
    lastId += 1;
    socket.send(JSON.stringify({ id: lastId, method, params }));
    return new Promise((settle) => waiting.set(lastId, settle));
  };
  await send('Network.enable');
  return {
    requested,
    open: async (url) => void (await send('Page.navigate', { url })),
    evaluate: async (expression) =>
      (await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }))
        .result?.result?.value,
  };
}
