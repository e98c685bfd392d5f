import { limits } from '../../contract/limits.ts';

/** The largest possible lead: the limit of its fields, and room for keys and index attributes. */
const leadMaxBytes = limits.leadMaxBytes + 10_000;

/** How much one page of a list may read: bytes and time, whichever is spent first (design, section 5). */
export class PageBudget {
  /** In epoch milliseconds. */
  readonly begunAt = Date.now();
  /** Whether the page ends with what is being read: a join of lists ran out of the budget, or DynamoDB left leads unread. */
  isCutShort = false;
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
    return this.isCutShort || this.#bytes < leadMaxBytes || Date.now() >= this.#endsAt;
  }

  /** Notes a lead's size from its index entry. @param kb undefined for a lead that is not large */
  noteSize(leadId: number, kb: number | undefined): void {
    if (kb !== undefined) this.#largeLeads.set(leadId, kb * 1000);
  }

  /** The most bytes that reading this lead can cost, according to the index entries read. */
  bytesAtMost(leadId: number): number {
    return this.#largeLeads.get(leadId) ?? limits.largeLeadBytes;
  }
}
