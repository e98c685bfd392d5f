import { Client, copied, randomFields, spelled } from './client.ts';

/** The server behind a website's form: captures, each under one idempotency key through all its repeats. */
export class FormBackend extends Client {
  #enquiries = 0;

  run(): Promise<void> {
    return this.repeat(() => this.#enquiry());
  }

  async #enquiry(): Promise<void> {
    const { random } = this;
    this.#enquiries += 1;
    const enquiry = `${this.options.name}-${this.#enquiries}`;
    const body = this.#body(enquiry);
    const apiKey = this.key(random.chance(0.9) ? 'website' : 'writer');
    const under = random.pick(['header', 'externalId', 'both', 'two', 'none'] as const);
    const first = keyed(body, under, enquiry);
    if (random.chance(0.25))
      await Promise.all([this.once(apiKey, first), this.once(apiKey, first)]);
    else await this.untilAnswered(apiKey, first);
    if (random.chance(0.2)) await this.once(apiKey, first);
    // The same key with another body; then the same enquiry under a further key, and by another API key.
    if (random.chance(0.15)) {
      const again = { ...body, notes: `${enquiry} again` };
      await this.once(apiKey, keyed(again, random.pick(['header', 'externalId']), enquiry));
    }
    if (random.chance(0.3)) await this.once(apiKey, keyed(body, 'two', enquiry));
    if (random.chance(0.1)) await this.once(this.shared.keys.writer, first);
  }

  #body(enquiry: string): Record<string, unknown> {
    const { random, shared } = this;
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
      ...(random.chance(0.15) && { pipelineId: this.own(2) }),
      fields: randomFields(random, enquiry),
    };
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
    endpoint: 'capture-lead' as const,
    body: { ...body, ...(inBody && { externalId: under === 'two' ? `${key} outside` : key }) },
    headers: inHeader ? { 'Idempotency-Key': key } : {},
  };
}
