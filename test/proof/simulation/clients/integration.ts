import { referenceLists } from '../../../support/requests.ts';
import { Client, copied, randomFields, spelled } from './client.ts';

/** Another application: creates, changes, notes, reads and lists leads. */
export class Integration extends Client {
  #turns = 0;

  run(): Promise<void> {
    const turns = [
      () => this.#create(),
      () => this.#update(),
      () => this.#update(),
      () => this.#note(),
      () => this.#get(),
      () => this.#get(),
      () => this.#list(),
      () => this.#list(),
      () => this.#reference(),
    ];
    return this.repeat(() => {
      this.#turns += 1;
      return this.random.pick(turns)();
    });
  }

  get #name(): string {
    return `${this.options.name}-${this.#turns}`;
  }

  async #create(): Promise<void> {
    const { random } = this;
    const { people } = this.shared;
    const person = random.pick(people);
    const fields = {
      name: person.name,
      phone: spelled(random, person.phone),
      ...(random.chance(0.7) && {
        email: copied(random, random.chance(0.8) ? person.email : random.pick(people).email),
      }),
      ...randomFields(random, this.#name),
      ...(random.chance(0.2) && { source: this.own(random.pick([1, 3, 4])) }),
      ...(random.chance(0.2) && { assigned_to: this.own(random.pick([7, 8, 9])) }),
    };
    const place = random.pick([
      {},
      {},
      {},
      { stageId: this.own(12) },
      { pipelineId: this.own(2) },
      { stageId: this.own(21), pipelineId: this.own(1) },
    ]);
    await this.untilAnswered(this.key('writer'), {
      endpoint: 'create-lead',
      body: { fields, ...place },
    });
  }

  async #update(): Promise<void> {
    const { random } = this;
    const person = random.pick(this.shared.people);
    const changes = random.pick<object>([
      {},
      { city: this.#name },
      { city: this.#name },
      { city: null, email: null },
      { email: copied(random, person.email) },
      { phone: spelled(random, person.phone) },
      { phone: person.phone, email: person.email },
      { assigned_to: this.own(random.pick([7, 8, 9])), source: this.own(3) },
      randomFields(random, this.#name),
    ]);
    const place = random.pick<object>([
      {},
      {},
      { stageId: this.own(12) },
      { stageId: this.own(21) },
      { pipelineId: this.own(1) },
    ]);
    const leadId = this.leadId();
    const body = { fields: changes, ...place };
    await this.untilAnswered(this.key('writer'), { endpoint: 'update-lead', leadId, body });
  }

  async #note(): Promise<void> {
    const body = { text: this.#name };
    await this.untilAnswered(this.key('writer'), {
      endpoint: 'add-note',
      leadId: this.leadId(),
      body,
    });
  }

  async #get(): Promise<void> {
    const kind = this.random.pick(['reader', 'writer', 'website'] as const);
    await this.once(this.key(kind), {
      endpoint: 'get-lead',
      leadId: this.leadId(),
    });
  }

  async #list(): Promise<void> {
    const { random } = this;
    const filter = (...filters: readonly object[]) => ({ filter: JSON.stringify(filters) });
    const narrowed = random.pick<Readonly<Record<string, string | number>>>([
      {},
      { stage_id: this.own(random.pick([11, 12, 21])) },
      { owner_id: this.own(random.pick([7, 8])) },
      { source_id: this.own(random.pick([1, 3])) },
      { pipeline_id: this.own(random.pick([1, 2])) },
      { stage_id: this.own(11), owner_id: this.own(7) },
      {
        updated_since: new Date(
          this.options.service.now - random.pick([100, 5000, 60_000]),
        ).toISOString(),
      },
      filter({ field: 'city', operator: 'contains', value: random.pick(['PUNE', 'SA\u0303O P']) }),
      filter({ field: 'city', operator: 'is_empty' }, { field: 'email', operator: 'is_not_empty' }),
      filter({ field: 'budget', operator: 'gt', value: 400 }),
      filter({ field: 'course', operator: 'is_any_of', values: ['mba'] }),
      ...['is_empty', 'is_not_empty', 'is_empty', 'is_empty', 'is_not_empty'].map((operator) =>
        filter({ field: 'wave', operator }),
      ),
    ]);
    const query = {
      ...narrowed,
      ...(random.chance(0.6) && { limit: random.pick([1, 2, 100]) }),
      ...(random.chance(0.3) && { cursor: random.between(1, 30) }),
    };
    await this.once(this.key('reader'), { endpoint: 'list-leads', query });
  }

  async #reference(): Promise<void> {
    const endpoint = this.random.pick(referenceLists);
    await this.once(this.key('reader'), { endpoint });
  }
}
