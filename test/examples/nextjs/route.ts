/**
 * A form's route handler in Next.js, as app/api/enquiry/route.ts. It needs a server with a disk (`next start`); without one, keep the
 * outbox in a database, as ../edge/worker.ts does in a key-value store.
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries CRON_SECRET=… next start
 *
 * The outbox stores an enquiry before the visitor is thanked, sends a refused one again without its optional values, and follows its
 * schedule. Let cron call GET /api/enquiry every minute with `Authorization: Bearer $CRON_SECRET`: it sends what waits after a restart.
 */
import { LeadClient } from 'lead-service-client';
import { fileStore, Outbox } from 'lead-service-client/outbox';

export const dynamic = 'force-dynamic';
export const runtime = 'nodejs';

const { LEADS_URL = '', LEADS_API_KEY = '', OUTBOX = './outbox', CRON_SECRET } = process.env;
const outbox = new Outbox(new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY }), {
  store: fileStore(OUTBOX),
});

/** What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked. */
const sentences: Readonly<Record<string, string>> = {
  name: 'Please enter your name, in at most 200 characters.',
  phone: 'Please check your phone number. Begin with the country code, such as +91.',
  'phone.required': 'Please enter your phone number.',
};

/** The form posts view (a random ID, new for each display of the form), name, phone, email, notes, and the organization's own fields. */
export async function POST(request: Request): Promise<Response> {
  const values = [...new URLSearchParams(await request.text())].filter(([, value]) => value !== '');
  const { view, name = '', phone = '', email, notes, ...fields } = Object.fromEntries(values);
  const key = await outbox.add({ name, phone, email, notes, fields }, { formView: view ?? '' });
  const kept = await outbox.deliver(key);
  const shown = Object.entries(kept?.refused ?? {}).flatMap(
    ([field, reason]) => sentences[`${field}.${reason}`] ?? sentences[field] ?? [],
  );
  return shown.length > 0
    ? new Response(shown.join('\n'), { status: 422 })
    : new Response('Thank you. We will call you.');
}

export async function GET(request: Request): Promise<Response> {
  if (!CRON_SECRET || request.headers.get('Authorization') !== `Bearer ${CRON_SECRET}`)
    return new Response(null, { status: 401 });
  await outbox.sendDue();
  return new Response(null, { status: 204 });
}
