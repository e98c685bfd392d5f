/**
 * The server side of form.html in Next.js, as app/api/enquiry/route.ts, with ../form.ts beside it. It needs a server with a disk (`next start`);
 * without one, keep the outbox in a database, as ../edge/worker.ts does in a key-value store. Once, `npm pkg set type=module`, and
 * `npm install` the tarball that `npm run client` of the service's project writes.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries CRON_SECRET=… next start
 *
 * Cron calls it every minute, sends what is due, and ends with an error and a line if enquiries wait or need a person, or if an input matches
 * no field. `again` names an enquiry that was refused. Correct it in its file in OUTBOX first, if needed.
 *
 *   curl -sS --fail-with-body -H "Authorization: Bearer $CRON_SECRET" 'https://www.example.com/api/enquiry?again=KEY'
 */
import { LeadClient } from 'lead-service-client';
import { fileStore, Outbox } from 'lead-service-client/outbox';
import { answerCron, noteInputs, takeForm } from '../form.ts'; // in Next.js: './form'

export const dynamic = 'force-dynamic';
export const runtime = 'nodejs';

const { LEADS_URL = '', LEADS_API_KEY = '', OUTBOX = './outbox', CRON_SECRET } = process.env;
const store = fileStore(OUTBOX);
let opened: Outbox | undefined;

/** Made at the first request: `next build` imports this file without secrets. */
function outbox(): Outbox {
  opened ??= new Outbox(new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY }), {
    store,
    onDelivered: noteInputs,
  });
  return opened;
}

export async function POST(request: Request): Promise<Response> {
  const { status, text } = await takeForm(outbox(), await request.text());
  return new Response(text, { status });
}

export const GET = async (request: Request): Promise<Response> =>
  answerCron(request, { outbox: outbox(), store, secret: CRON_SECRET });
