import { idIn } from '../organizations.ts';
import {
  type Client,
  type ClientOptions,
  copied,
  randomFields,
  Sender,
  spelled,
} from './client.ts';

/** Another application: creates, changes, notes, reads and lists leads. */
export class Integration implements Client {
  readonly #sender: Sender;
  #turns = 0;

  constructor(options: ClientOptions) {
    this.#sender = new Sender(options);
  }

  async run(): Promise<void> {
    const { random } = this.#sender.options;
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
    while (!this.#sender.isDone) {
      this.#turns += 1;
      await random.pick(turns)();
      await this.#sender.pause();
    }
  }

  get #name(): string {
    return `${this.#sender.options.name}-${this.#turns}`;
  }

  async #create(): Promise<void> {
    const { random, shared } = this.#sender.options;
    const { organizationId, people } = shared;
    const person = random.pick(people);
    const own = (id: number): number => idIn(organizationId, id);
    const fields = {
      name: person.name,
      phone: spelled(random, person.phone),
      ...(random.chance(0.7) && {
        email: copied(random, random.chance(0.8) ? person.email : random.pick(people).email),
      }),
      ...randomFields(random, this.#name),
      ...(random.chance(0.2) && { source: own(random.pick([1, 3, 4])) }),
      ...(random.chance(0.2) && { assigned_to: own(random.pick([7, 8, 9])) }),
    };
    const place = random.pick([
      {},
      {},
      {},
      { stageId: own(12) },
      { pipelineId: own(2) },
      { stageId: own(21), pipelineId: own(1) },
    ]);
    await this.#sender.untilAnswered(this.#sender.key('writer'), {
      endpoint: 'create-lead',
      body: { fields, ...place },
    });
  }

  async #update(): Promise<void> {
    const { random, shared } = this.#sender.options;
    const person = random.pick(shared.people);
    const own = (id: number): number => idIn(shared.organizationId, id);
    const changes = random.pick<object>([
      {},
      { city: this.#name },
      { city: this.#name },
      { city: null, email: null },
      { email: copied(random, person.email) },
      { phone: spelled(random, person.phone) },
      { phone: person.phone, email: person.email },
      { assigned_to: own(random.pick([7, 8, 9])), source: own(3) },
      randomFields(random, this.#name),
    ]);
    const place = random.pick<object>([
      {},
      {},
      { stageId: own(12) },
      { stageId: own(21) },
      { pipelineId: own(1) },
    ]);
    const leadId = this.#sender.leadId();
    const body = { fields: changes, ...place };
    await this.#sender.untilAnswered(this.#sender.key('writer'), {
      endpoint: 'update-lead',
      leadId,
      body,
    });
  }

  async #note(): Promise<void> {
    const body = { text: this.#name };
    await this.#sender.untilAnswered(this.#sender.key('writer'), {
      endpoint: 'add-note',
      leadId: this.#sender.leadId(),
      body,
    });
  }

  async #get(): Promise<void> {
    const kind = this.#sender.options.random.pick(['reader', 'writer', 'website'] as const);
    await this.#sender.once(this.#sender.key(kind), {
      endpoint: 'get-lead',
      leadId: this.#sender.leadId(),
    });
  }

  async #list(): Promise<void> {
    const { random, shared } = this.#sender.options;
    const own = (id: number): number => idIn(shared.organizationId, id);
    const filter = (...filters: readonly object[]) => ({ filter: JSON.stringify(filters) });
    const narrowed = random.pick<Readonly<Record<string, string | number>>>([
      {},
      { stage_id: own(random.pick([11, 12, 21])) },
      { owner_id: own(random.pick([7, 8])) },
      { source_id: own(random.pick([1, 3])) },
      { pipeline_id: own(random.pick([1, 2])) },
      { stage_id: own(11), owner_id: own(7) },
      {
        updated_since: new Date(this.#sender.now - random.pick([100, 5000, 60_000])).toISOString(),
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
    await this.#sender.once(this.#sender.key('reader'), { endpoint: 'list-leads', query });
  }

  async #reference(): Promise<void> {
    const endpoint = this.#sender.options.random.pick([
      'list-lead-fields',
      'list-lead-stages',
      'list-pipelines',
      'list-lead-sources',
      'list-users',
    ] as const);
    await this.#sender.once(this.#sender.key('reader'), { endpoint });
  }
}
