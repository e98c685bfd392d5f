import { setTimeout as pause } from 'node:timers/promises';
import { type EndpointName, endpointNamed } from '../../shared/endpoints.ts';
import { type HttpReply, sendCall } from './http-call.ts';

export interface EndpointCall {
  readonly leadId?: number;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** How often a request is sent while it gets a server error; the contract asks callers to retry. */
const triesMax = 3;
const pauseMs = 1000;

/** Calls endpoints with API keys, and knows which calls have not ended yet. */
export class Caller {
  readonly #baseUrl: string;
  readonly #note: (sentence: string) => void;
  readonly #pending = new Set<Promise<unknown>>();

  /** @param note tells the person that a request is sent again */
  constructor(baseUrl: string, note: (sentence: string) => void) {
    this.#baseUrl = baseUrl;
    this.#note = note;
  }

  /**
   * Sends a request, again if the service fails and a repeat writes nothing twice.
   * @throws Error of Node.js when nothing comes back
   */
  async call(name: EndpointName, key: string, call: EndpointCall = {}): Promise<HttpReply> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.send(name, key, call);
      if (reply.status < 500 || tries === triesMax || !isRepeatable(name, call)) return reply;
      this.#note(`${name} answered ${reply.status} and is called again.`);
      await pause(pauseMs);
    }
  }

  /** Sends a request once. @throws Error of Node.js when nothing comes back */
  send(name: EndpointName, key: string, call: EndpointCall = {}): Promise<HttpReply> {
    const { leadId, query = {}, headers = {}, body } = call;
    const { method, path } = endpointNamed(name);
    const search = new URLSearchParams(
      Object.entries(query).map(([one, value]): [string, string] => [one, String(value)]),
    ).toString();
    const reply = sendCall(this.#baseUrl, {
      method,
      path: `${path.replace('{leadId}', String(leadId))}${search && `?${search}`}`,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const ended = reply.catch(() => undefined).finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
    return reply;
  }

  /** Waits for every call that was sent, so that nothing is written after it. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending);
  }
}

/** An update writes the same values again; a capture is replayed under its idempotency key. */
const isRepeatable = (name: EndpointName, { headers = {} }: EndpointCall): boolean =>
  endpointNamed(name).method !== 'POST' || headers['Idempotency-Key'] !== undefined;
