import { limits } from '../../limits.ts';

/** Thrown when a page's budget is spent before the next lead was found. */
export class PageEndedError extends Error {
  override readonly name = 'PageEndedError';
  /** Every lead from this id up has been examined. */
  readonly examinedDownTo: number;

  constructor(examinedDownTo: number) {
    super('The budget of a page is spent.');
    this.examinedDownTo = examinedDownTo;
  }
}

/** The largest possible lead: the limit of its fields, and room for keys and index attributes. */
const leadMaxBytes = limits.leadMaxBytes + 10_000;

/** How much one page of a list may read: bytes and time, whichever is spent first (design, section 5). */
export class PageBudget {
  /** In epoch milliseconds. */
  readonly begunAt = Date.now();
  #bytes: number;
  readonly #endsAt: number;
  readonly #largeLeads = new Map<number, number>();

  constructor(bytes: number, ms: number) {
    this.#bytes = bytes;
    this.#endsAt = this.begunAt + ms;
  }

  spend(bytes: number): void {
    this.#bytes -= bytes;
  }

  get bytesLeft(): number {
    return Math.max(0, this.#bytes);
  }

  get msLeft(): number {
    return Math.max(0, this.#endsAt - Date.now());
  }

  /** Whether one more lead could exceed the budget. */
  get isSpent(): boolean {
    return this.#bytes < leadMaxBytes || Date.now() >= this.#endsAt;
  }

  /** @throws PageEndedError if the budget is spent; every lead from `below` up has been examined */
  assertNotSpent(below: number): void {
    if (this.isSpent) throw new PageEndedError(below);
  }

  /** Notes the size of a lead that an index entry told. @param kb undefined for a lead that is not large */
  noteSize(leadId: number, kb: number | undefined): void {
    if (kb !== undefined) this.#largeLeads.set(leadId, kb * 1000);
  }

  /** The size of a large lead, if an index entry told it. */
  knownBytes(leadId: number): number | undefined {
    return this.#largeLeads.get(leadId);
  }

  /** The most bytes that reading this lead can cost, according to the index entries read. */
  bytesAtMost(leadId: number): number {
    return this.knownBytes(leadId) ?? limits.largeLeadBytes;
  }
}
