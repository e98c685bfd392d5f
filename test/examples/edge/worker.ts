/**
 * A form's endpoint at the edge, for static sites: a browser may not call the lead service, because that would show the API key. Written
 * for Cloudflare Workers, with a KV namespace as the outbox and a cron trigger every minute:
 *
 *   kv_namespaces = [{ binding = "ENQUIRIES", id = "…" }]
 *   triggers = { crons = ["* * * * *"] }
 *   vars = { LEADS_URL = "https://leads.example.com", SITE = "https://www.example.com" }    # and: wrangler secret put LEADS_API_KEY
 */
import { LeadClient } from 'lead-service-client';
import { Outbox, type OutboxEntry, type OutboxStore } from 'lead-service-client/outbox';

/** What is used of a Workers KV namespace. */
interface KeyValues {
  put(key: string, value: string): Promise<void>;
  get(key: string): Promise<string | null>;
  delete(key: string): Promise<void>;
  list(options: {
    cursor?: string;
  }): Promise<{ keys: { name: string }[]; list_complete: boolean; cursor?: string }>;
}

interface Environment {
  readonly LEADS_URL: string;
  readonly LEADS_API_KEY: string;
  /** The origin of the site whose pages may post here. */
  readonly SITE: string;
  readonly ENQUIRIES: KeyValues;
}

/** What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked. */
const sentences: Readonly<Record<string, string>> = {
  name: 'Please enter your name, in at most 200 characters.',
  phone: 'Please check your phone number. Begin with the country code, such as +91.',
  'phone.required': 'Please enter your phone number.',
};

function outboxOf({ LEADS_URL, LEADS_API_KEY, ENQUIRIES }: Environment): Outbox {
  const client = new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY });
  return new Outbox(client, { store: storeIn(ENQUIRIES) });
}

function storeIn(values: KeyValues): OutboxStore {
  const get = async (key: string): Promise<OutboxEntry | undefined> => {
    const text = await values.get(key);
    return text === null ? undefined : JSON.parse(text);
  };
  return {
    get,
    put: (entry) => values.put(entry.key, JSON.stringify(entry)),
    delete: (key) => values.delete(key),
    async list() {
      const entries: OutboxEntry[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await values.list(cursor === undefined ? {} : { cursor });
        for (const { name } of page.keys) entries.push(...[(await get(name)) ?? []].flat());
        if (page.list_complete || page.cursor === undefined) return entries;
        cursor = page.cursor;
      }
    },
  };
}

export default {
  /** The form posts view (a random ID, new for each display of the form), name, phone, email, notes, and the organization's own fields. */
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const headers = { 'Access-Control-Allow-Origin': environment.SITE };
    if (request.method !== 'POST') return new Response(null, { status: 405, headers });
    const values = [...new URLSearchParams(await request.text())].filter(
      ([, value]) => value !== '',
    );
    const { view, name = '', phone = '', email, notes, ...fields } = Object.fromEntries(values);
    const outbox = outboxOf(environment);
    const key = await outbox.add({ name, phone, email, notes, fields }, { formView: view ?? '' });
    const kept = await outbox.deliver(key);
    const shown = Object.entries(kept?.refused ?? {}).flatMap(
      ([field, reason]) => sentences[`${field}.${reason}`] ?? sentences[field] ?? [],
    );
    return shown.length > 0
      ? new Response(shown.join('\n'), { status: 422, headers })
      : new Response('Thank you. We will call you.', { headers });
  },

  async scheduled(_event: unknown, environment: Environment): Promise<void> {
    await outboxOf(environment).sendDue();
  },
};
