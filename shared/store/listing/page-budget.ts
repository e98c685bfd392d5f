/**
 * How much one page of a list may read: bytes and time, whichever is spent first (design, section 5). A page reads in batches, and ends with
 * the batch that spends its budget.
 */
export class PageBudget {
  #bytesLeft: number;
  readonly #endsAt: number;

  constructor(bytes: number, ms: number) {
    this.#bytesLeft = bytes;
    this.#endsAt = Date.now() + ms;
  }

  spend(bytes: number): void {
    this.#bytesLeft -= bytes;
  }

  get msLeft(): number {
    return Math.max(0, this.#endsAt - Date.now());
  }

  get isSpent(): boolean {
    return this.#bytesLeft <= 0 || this.msLeft === 0;
  }
}
