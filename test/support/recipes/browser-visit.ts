import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { withPage } from '../browser.ts';
import type { Website } from './website.ts';

/** What a visitor's browser showed beside the form, in order. */
export type Shown = readonly string[];

/** A person corrects a phone and sends the form twice. In another display of it, a robot fills every input, and the person asks again. */
const visit = `(async () => {
  const frames = [...document.querySelectorAll('iframe')];
  const shown = frames.map(() => []);
  await Promise.all(frames.map(async (frame, index) => {
    const send = async (values) => {
      const form = frame.contentDocument.querySelector('form');
      const output = form.querySelector('output');
      for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
      form.requestSubmit();
      if (!form.checkValidity()) return shown[index].push('held back');
      while (output.value === 'Sending…') await new Promise((settle) => setTimeout(settle, 50));
      shown[index].push(output.value);
    };
    await send({ name: 'Asha Rao', phone: '' });
    await send({ phone: 'call me maybe' });
    await send({ phone: '+91 98200 70000', notes: 'in a browser' });
    await send({});
    const opened = new Promise((settle) => frame.addEventListener('load', settle, { once: true }));
    frame.src += ''; // the same address, from the same page
    await opened;
    await send({ name: 'A robot', phone: '+91 98200 70001', leave_empty: 'x' });
    await send({ name: 'Asha Rao', phone: '+91 98200 70000', notes: 'in a browser', leave_empty: '' });
  }));
  return shown;
})()`;

const hasLoaded = `location.port !== '' && document.readyState === 'complete'`;

/** Opens the form of each website, in one browser: a frame for each, with the website behind a proxy. */
export async function visitWithBrowser(websites: readonly Website[]): Promise<readonly Shown[]> {
  const proxy = createServer((request, response) => {
    passOn(websites, request, response).catch((error) =>
      response.writeHead(502).end(String(error)),
    );
  });
  const port = await listen(proxy, 0);
  let shown: readonly Shown[] = [];
  await withPage(`http://127.0.0.1:${port}/`, async (page) => {
    await vi.waitUntil(() => page.evaluate(hasLoaded), { timeout: 60_000 });
    shown = (await page.evaluate(visit)) as readonly Shown[];
  });
  proxy.closeAllConnections();
  proxy.close();
  return shown;
}

async function passOn(
  websites: readonly Website[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '/' } = request;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  if (url === '/') {
    const frames = websites.map(
      (_, index) => `<iframe src="/${index}?utm_source=letter"></iframe>`,
    );
    response.end(frames.join(''));
    return;
  }
  const website = websites[Number(/\d+/.exec(url)?.[0])];
  if (!website) return void response.writeHead(404).end();
  if (method === 'POST') {
    const { 'content-type': type = '' } = request.headers;
    const headers = { 'Content-Type': type };
    const sent = await fetch(website.url(''), { method, headers, body: await text(request) });
    const answered = { 'Content-Type': sent.headers.get('content-type') ?? '' };
    response.writeHead(sent.status, answered).end(await sent.text());
    return;
  }
  const form = await formOf(website);
  const shown = form
    .replace(/action="[^"]*"/, `action="${url.split('?')[0]}"`)
    .replace('<output>', '<input name="action"><output>');
  response.end(`<script>delete Crypto.prototype.randomUUID</script>${shown}`); // as over plain HTTP
}

/** As the recipe shows it, or else as it is copied into a page. */
async function formOf(website: Website): Promise<string> {
  const { recipe, site } = website;
  if (recipe.form === undefined) return readFile(join(site.examples, 'form.html'), 'utf8');
  return (await fetch(website.url(recipe.form))).text();
}
