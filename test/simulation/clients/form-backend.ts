import type { HeldKey } from '../checker/history.ts';
import {
  type Client,
  type ClientOptions,
  copied,
  randomFields,
  Sender,
  spelled,
} from './client.ts';

/** The server behind a website's form: captures, each under one idempotency key through all its repeats. */
export class FormBackend implements Client {
  readonly #sender: Sender;
  #enquiries = 0;

  constructor(options: ClientOptions) {
    this.#sender = new Sender(options);
  }

  async run(): Promise<void> {
    while (!this.#sender.isDone) {
      await this.#enquiry();
      await this.#sender.pause();
    }
  }

  async #enquiry(): Promise<void> {
    const { random, name, shared } = this.#sender.options;
    this.#enquiries += 1;
    const enquiry = `${name}-${this.#enquiries}`;
    const body = this.#body(enquiry);
    const apiKey = this.#sender.key(random.chance(0.9) ? 'website' : 'writer');
    const under = random.pick(['header', 'externalId', 'both', 'two', 'none'] as const);
    const first = { endpoint: 'capture-lead', ...keyed(body, under, enquiry) } as const;
    if (random.chance(0.25))
      await Promise.all([this.#sender.once(apiKey, first), this.#sender.once(apiKey, first)]);
    else await this.#sender.untilAnswered(apiKey, first);
    if (random.chance(0.2)) await this.#sender.once(apiKey, first);
    if (random.chance(0.15))
      await this.#reuse(apiKey, { ...body, notes: `${enquiry} again` }, enquiry);
    if (random.chance(0.3)) await this.#alsoUnder(apiKey, body, enquiry);
    if (random.chance(0.1)) await this.#sender.once(shared.keys.writer, first);
  }

  #body(enquiry: string): Record<string, unknown> {
    const { random, shared } = this.#sender.options;
    const person = random.pick(shared.people);
    const email = random.pick([
      person.email,
      person.email,
      undefined,
      random.pick(shared.people).email,
    ]);
    return {
      name: person.name,
      phone: spelled(random, person.phone),
      ...(email && { email: copied(random, email) }),
      ...(random.chance(0.8) && { notes: enquiry }),
      ...(random.chance(0.3) && {
        source: random.pick(['Facebook Ads', 'facebook ads', 'Nowhere', 'Website', 'Old fair']),
      }),
      ...(random.chance(0.15) && { pipelineId: shared.organizationId === 1 ? 2 : 102 }),
      fields: randomFields(random, enquiry),
    };
  }

  /** The same enquiry under a further key. */
  async #alsoUnder(apiKey: HeldKey, body: object, key: string): Promise<void> {
    await this.#sender.once(apiKey, { endpoint: 'capture-lead', ...keyed(body, 'two', key) });
  }

  /** The same key with another body, or with a part of what was sent. */
  async #reuse(apiKey: HeldKey, body: object, key: string): Promise<void> {
    const { random } = this.#sender.options;
    await this.#sender.once(apiKey, {
      endpoint: 'capture-lead',
      ...keyed(body, random.pick(['header', 'externalId']), key),
    });
  }
}

function keyed(
  body: object,
  under: 'header' | 'externalId' | 'both' | 'two' | 'none',
  key: string,
) {
  const inHeader = under === 'header' || under === 'both' || under === 'two';
  const inBody = under === 'externalId' || under === 'both' || under === 'two';
  return {
    body: { ...body, ...(inBody && { externalId: under === 'two' ? `${key} outside` : key }) },
    headers: inHeader ? { 'Idempotency-Key': key } : {},
  };
}
