const betweenMs = 200;

/** A line on a terminal that is written anew as work goes on. */
export class ProgressLine {
  readonly #write: ((text: string) => void) | undefined;
  #shownAt = 0;
  #isShown = false;

  /** @param write undefined where nobody watches: then nothing is ever shown */
  constructor(write: ((text: string) => void) | undefined) {
    this.#write = write;
  }

  show(line: string): void {
    const now = Date.now();
    if (!this.#write || now - this.#shownAt < betweenMs) return;
    this.#shownAt = now;
    this.#isShown = true;
    this.#write(`\r\u001B[K${line}`);
  }

  clear(): void {
    if (this.#isShown) this.#write?.('\r\u001B[K');
    this.#isShown = false;
  }
}
