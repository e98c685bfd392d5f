const intervalMs = 200;
/** How often a line is printed, if lines cannot be overwritten. */
const lineIntervalMs = 60_000;

/** Shows the progress of a long command: on a terminal, one line that is overwritten; otherwise, a line a minute. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #isTerminal: boolean;
  #writtenAt: number;
  #isVisible = false;

  constructor(write: (text: string) => void, isTerminal: boolean) {
    this.#write = write;
    this.#isTerminal = isTerminal;
    this.#writtenAt = isTerminal ? 0 : Date.now();
  }

  show(line: string): void {
    const now = Date.now();
    if (now - this.#writtenAt < (this.#isTerminal ? intervalMs : lineIntervalMs)) return;
    this.#writtenAt = now;
    this.#isVisible = this.#isTerminal;
    this.#write(this.#isTerminal ? `\r\u001B[K${line}` : `${line}\n`);
  }

  clear(): void {
    if (this.#isVisible) this.#write('\r\u001B[K');
    this.#isVisible = false;
  }
}
