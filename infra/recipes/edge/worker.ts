/**
 * The server side of form.html at the edge, for static sites: a browser may not call the lead service, because that would show the API key.
 * Written for Cloudflare Workers, with a KV namespace as the outbox and a cron trigger every minute. Beside this file must lie form.ts, whose
 * import below is then './form.ts', and wrangler.toml with the lines that follow. The client is a package: `npm run client` in the service's
 * project writes dist/lead-service-client-VERSION.tgz; `npm install` that file in yours.
 *
 *   main = "worker.ts"
 *   kv_namespaces = [{ binding = "ENQUIRIES", id = "…" }]
 *   triggers = { crons = ["* * * * *"] }
 *   vars = { LEADS_URL = "https://leads.example.com", SITE = "https://www.example.com" }    # wrangler secret put: LEADS_API_KEY, CRON_SECRET
 *
 * A cron event fails, with a line in its log, while enquiries wait or need a person. If an input matches no field, the log of the request says
 * so; the cron event does, too, if it runs in the same isolate. To send a refused enquiry again, correct its value in the namespace if needed,
 * and run: curl -H "Authorization: Bearer $CRON_SECRET" 'https://enquiries.example.workers.dev/?again=KEY'
 */
import { LeadClient } from 'lead-service-client';
import { Outbox, type OutboxEntry, type OutboxStore } from 'lead-service-client/outbox';
import { answerCron, noteInputs, report, takeForm } from '../form.ts'; // beside this file: './form.ts'

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
  readonly CRON_SECRET?: string;
  /** The origin of the site whose pages may post here. */
  readonly SITE: string;
  readonly ENQUIRIES: KeyValues;
}

function outboxOf({ LEADS_URL, LEADS_API_KEY, ENQUIRIES }: Environment) {
  const client = new LeadClient({ baseUrl: LEADS_URL, apiKey: LEADS_API_KEY });
  const store = storeIn(ENQUIRIES);
  return { outbox: new Outbox(client, { store, onDelivered: noteInputs }), store };
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
  async fetch(request: Request, environment: Environment): Promise<Response> {
    const { outbox, store } = outboxOf(environment);
    if (request.method === 'GET')
      return answerCron(request, { outbox, store, secret: environment.CRON_SECRET });
    const headers = { 'Access-Control-Allow-Origin': environment.SITE };
    if (request.method !== 'POST') return new Response(null, { status: 405, headers });
    const { status, text } = await takeForm(outbox, await request.text());
    return new Response(text, { status, headers });
  },

  async scheduled(_event: unknown, environment: Environment): Promise<void> {
    const { outbox, store } = outboxOf(environment);
    await outbox.sendDue();
    const text = report(await store.list());
    if (text !== '') throw new Error(text);
  },
};
