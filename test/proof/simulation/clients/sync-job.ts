import { Client, type ClientOptions, type ListPage, pagesOf } from './client.ts';

/** integrator.md, "Keep a copy": windows overlap by a minute. */
const overlapMs = 60_000;

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
    const pages: ListPage[] = [];
    const walk = pagesOf({ updated_since, limit }, (query) =>
      this.untilAnswered(this.shared.keys.reader, { endpoint: 'list-leads', query }),
    );
    for await (const page of walk) {
      pages.push(page);
      if (this.isDone && pages.length > 6) break;
    }
    const isWhole = pages.at(-1)?.nextCursor === null;
    if (!isWhole) return false;
    for (const { id, updatedAt } of pages.flatMap(({ items }) => items))
      if (updatedAt > (this.#copy.get(id) ?? '')) this.#copy.set(id, updatedAt);
    this.#since = begunAt;
    return true;
  }
}
