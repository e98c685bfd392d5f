/** Thrown where a page's budget ended before the next lead was found. */
export class PageEnded extends Error {
  override readonly name = 'PageEnded';
  /** Every lead from this id up has been looked at. */
  readonly lookedAtDownTo: number;

  constructor(lookedAtDownTo: number) {
    super('The budget of a page is spent.');
    this.lookedAtDownTo = lookedAtDownTo;
  }
}

/** What one page of a list may read: bytes and time, whichever ends first (design, section 5). */
export class PageBudget {
  #bytes: number;
  readonly #endsAt: number;

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

  get isSpent(): boolean {
    return this.#bytes <= 0 || Date.now() >= this.#endsAt;
  }

  /** @throws PageEnded when the budget is spent while looking for ids below this one. */
  checkBetween(below: number): void {
    if (this.isSpent) throw new PageEnded(below);
  }
}
