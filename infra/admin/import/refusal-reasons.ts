import { printable } from '../../cli/format.ts';
import type { RefusedRow } from './drafts.ts';

const linesMax = 5;
const lineMaxChars = 200;
/** Beyond this, new reasons are not counted: in a file where every row is refused for another reason, no count says much. */
const reasonsMax = 10_000;

/** Counts why rows were refused. */
export class RefusalReasons {
  readonly #counts = new Map<string, number>();

  /** A row that has several issues counts for each of them. Leads and rows that a reason names do not matter. */
  add({ issues }: RefusedRow): void {
    for (const { sentence } of issues) {
      const reason = sentence.replace(/\b(lead|row) \d+/g, 'another $1');
      const count = this.#counts.get(reason);
      if (count !== undefined || this.#counts.size < reasonsMax)
        this.#counts.set(reason, (count ?? 0) + 1);
    }
  }

  /** The most frequent reasons, each on a line with its count. */
  lines(): string[] {
    const frequent = [...this.#counts].sort(([, a], [, b]) => b - a).slice(0, linesMax);
    const width = Math.max(0, ...frequent.map(([, count]) => count.toLocaleString('en').length));
    return frequent.map(([reason, count]) => {
      const text = printable(reason);
      const line = text.length > lineMaxChars ? `${text.slice(0, lineMaxChars - 1)}…` : text;
      return `  ${count.toLocaleString('en').padStart(width)} × ${line}`;
    });
  }
}
