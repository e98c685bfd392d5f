import { limits } from '../../limits.ts';

/** Thrown where a page's budget ended before the next lead was found. */
export class PageEndedError extends Error {
  override readonly name = 'PageEndedError';
  /** Every lead from this id up has been looked at. */
  readonly lookedAtDownTo: number;

  constructor(lookedAtDownTo: number) {
    super('The budget of a page is spent.');
    this.lookedAtDownTo = lookedAtDownTo;
  }
}

/** The most that one lead takes: what it may hold, and room for keys and index attributes. */
const leadMaxBytes = limits.leadMaxBytes + 10_000;

/** What one page of a list may read: bytes and time, whichever ends first (design, section 5). */
export class PageBudget {
  #bytes: number;
  readonly #endsAt: number;
  readonly #largeLeads = new Map<number, number>();

  constructor(bytes: number, ms: number) {
    this.#bytes = bytes;
    this.#endsAt = Date.now() + ms;
  }

  spend(bytes: number): void {
    this.#bytes -= bytes;
  }

  get bytesLeft(): number {
    return Math.max(0, this.#bytes);
  }

  /** True as soon as one lead more could be too much. */
  get isSpent(): boolean {
    return this.#bytes < leadMaxBytes || Date.now() >= this.#endsAt;
  }

  /** @throws PageEnded when the budget is spent while looking for ids below this one. */
  checkBetween(below: number): void {
    if (this.isSpent) throw new PageEndedError(below);
  }

  /** Remembers what an index entry says of its lead's size. @param kb undefined for a lead that is not large */
  noteSize(leadId: number, kb: unknown): void {
    if (typeof kb === 'number') this.#largeLeads.set(leadId, kb * 1000);
  }

  /** A large lead's size; undefined for one of which no index entry said that it is large. */
  knownBytes(leadId: number): number | undefined {
    return this.#largeLeads.get(leadId);
  }

  /** The most bytes that reading this lead can take, as far as an index told. */
  bytesAtMost(leadId: number): number {
    return this.knownBytes(leadId) ?? limits.largeLeadBytes;
  }
}
