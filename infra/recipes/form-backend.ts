/**
 * The server side of form.html in Node.js 22.18 or later, which runs it as it is. It also shows the form.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=./outbox PORT=3000 node form-backend.ts
 *
 * Every minute it prints what waits, what needs a person, and which inputs match no field. To send a refused enquiry again, correct it in its
 * file in OUTBOX if needed, and run with the same environment: node form-backend.ts again KEY
 */
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { LeadClient } from '../../shared/client/client.ts'; // in your project: 'lead-service-client'
import { fileStore, Outbox } from '../../shared/client/outbox.ts'; // 'lead-service-client/outbox'
import { noteInputs, report, takeForm } from './form.ts';

const {
  LEADS_URL = 'http://127.0.0.1:4010',
  LEADS_API_KEY = '',
  OUTBOX = './outbox',
  PORT = '3000',
} = process.env;
const store = fileStore(OUTBOX);
const client = new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY });
const outbox = new Outbox(client, { store, onDelivered: noteInputs });

async function show(response: ServerResponse): Promise<void> {
  const form = await readFile(new URL('form.html', import.meta.url), 'utf8');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><meta name="viewport" content="width=device-width">${form}`);
}

const [command, ...keys] = process.argv.slice(2);
if (command === 'again') {
  for (const key of keys) await outbox.sendAgain(key);
  await outbox.sendDue();
} else {
  outbox.start();
  setInterval(async () => {
    const waiting = report(await store.list());
    if (waiting !== '') console.error(waiting);
  }, 60_000);
  createServer(async (request, response) => {
    if (request.method !== 'POST') return show(response);
    const bytes = Number(request.headers['content-length'] ?? Infinity);
    if (bytes > 90_000) return response.writeHead(413).end();
    const answer = await takeForm(outbox, await text(request));
    response.writeHead(answer.status, { 'Content-Type': 'text/plain; charset=utf-8' });
    response.end(answer.text);
  }).listen(Number(PORT), '127.0.0.1');
}
