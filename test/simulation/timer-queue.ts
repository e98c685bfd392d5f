/** What is to happen at a moment. A cancelled one stays in the queue until its turn and is passed over. */
export class Timer {
  readonly at: number;
  readonly order: number;
  readonly what: string;
  readonly take: () => void;
  isCancelled = false;

  constructor(at: number, order: number, what: string, take: () => void) {
    this.at = at;
    this.order = order;
    this.what = what;
    this.take = take;
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

/** A binary heap of timers: the earliest first, of equal ones the one that was added first. */
export class TimerQueue {
  readonly #heap: Timer[] = [];
  #added = 0;

  add(at: number, what: string, take: () => void): Timer {
    const timer = new Timer(at, this.#added, what, take);
    this.#added += 1;
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    return timer;
  }

  get first(): Timer | undefined {
    while (this.#heap[0]?.isCancelled) this.#removeFirst();
    return this.#heap[0];
  }

  take(): Timer | undefined {
    const { first } = this;
    if (first) this.#removeFirst();
    return first;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const smaller =
        left + 1 < this.#heap.length && this.#isBefore(left + 1, left) ? left + 1 : left;
      if (smaller >= this.#heap.length || !this.#isBefore(smaller, at)) return;
      this.#swap(at, smaller);
      at = smaller;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const a = this.#heap[one] as Timer;
    const b = this.#heap[other] as Timer;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const moved = this.#heap[one] as Timer;
    this.#heap[one] = this.#heap[other] as Timer;
    this.#heap[other] = moved;
  }
}
