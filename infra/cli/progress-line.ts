const intervalMs = 200;

/** One line on a terminal that is overwritten as a command progresses. */
export class ProgressLine {
  readonly #write: ((text: string) => void) | undefined;
  #writtenAt = 0;
  #isVisible = false;

  /** @param write undefined without a terminal: then nothing is written */
  constructor(write: ((text: string) => void) | undefined) {
    this.#write = write;
  }

  show(line: string): void {
    const now = Date.now();
    if (!this.#write || now - this.#writtenAt < intervalMs) return;
    this.#writtenAt = now;
    this.#isVisible = true;
    this.#write(`\r\u001B[K${line}`);
  }

  clear(): void {
    if (this.#isVisible) this.#write?.('\r\u001B[K');
    this.#isVisible = false;
  }
}
