import { Client, type ClientOptions } from './client.ts';

interface ListedLead {
  readonly id: number;
  readonly updatedAt: string;
}

/** integrator.md, "Keep a copy": windows overlap by a minute. */
const overlapMs = 60_000;
const pagesMax = 30;

/** Keeps a copy of the leads: again and again, it walks what changed since a minute before the last walk began. */
export class SyncJob extends Client {
  readonly #copy = new Map<number, string>();
  #since: number;

  constructor(options: ClientOptions) {
    super(options);
    this.#since = options.service.now;
  }

  run(): Promise<void> {
    return this.repeat(() => this.#walk());
  }

  /** After a last walk the copy has every lead as it is. */
  override async finish(): Promise<readonly string[]> {
    if (!(await this.#walk())) return [];
    const { shared, service, name } = this.options;
    const stored = service.history.writesOf;
    const prefix = `LEADS#${shared.organizationId} `;
    const issues: string[] = [];
    for (const [key, writes] of stored) {
      const lead = writes.at(-1)?.after;
      if (!key.startsWith(prefix) || !lead || lead.archivedAt !== undefined) continue;
      const id = Number(lead.sk);
      if (this.#copy.get(id) !== lead.updatedAt) {
        issues.push(
          `${name} has lead ${id} of ${this.#copy.get(id) ?? 'never'}, which was changed at ${lead.updatedAt}.`,
        );
      }
    }
    return issues;
  }

  async #walk(): Promise<boolean> {
    const begunAt = this.options.service.now;
    const updated_since = new Date(this.#since - overlapMs).toISOString();
    const limit = this.random.pick([1, 2, 5, 100]);
    let cursor: number | null = null;
    const listed: ListedLead[] = [];
    for (let page = 0; page < pagesMax; page += 1) {
      const query = { updated_since, limit, ...(cursor !== null && { cursor }) };
      const answer = await this.untilAnswered(this.shared.keys.reader, {
        endpoint: 'list-leads',
        query,
      });
      if (answer?.status !== 200) return false;
      const { items, nextCursor } = JSON.parse(answer.body) as {
        items: readonly ListedLead[];
        nextCursor: number | null;
      };
      listed.push(...items);
      cursor = nextCursor;
      if (cursor === null) break;
      if (this.isDone && page > 5) return false;
    }
    for (const { id, updatedAt } of listed)
      if (updatedAt > (this.#copy.get(id) ?? '')) this.#copy.set(id, updatedAt);
    if (cursor === null) this.#since = begunAt;
    return cursor === null;
  }
}
