import { type Item, itemSize } from './attribute-values.ts';
import type { KeyText } from './table-schema.ts';

/** How long an eventually consistent read, or an index, may show an earlier state. AWS gives no bound; usually it is less than a second. */
const stalenessMs = 10_000;

/** A state that was replaced. */
interface PastState {
  readonly item: Item | undefined;
  readonly version: number;
  /** When the next state took its place. */
  readonly until: number;
}

/** A state of an item, with its number in the order of the item's writes. */
export interface State {
  readonly item: Item | undefined;
  readonly version: number;
}

/** Which of several states a read shows: 0 is the newest. */
export type ChooseState = (states: number, what: string) => number;

/** One key of a table: the item under it, if there is one, its states of the last seconds, and whether it is locked. */
export class StoredItem {
  readonly key: KeyText;
  current: Item | undefined;
  version = 0;
  /** Whether a transaction holds it. */
  isLocked = false;
  #past: PastState[] = [];
  /** By index: the version that the index has reached; it does not go back. */
  #reached: Map<string, number> | undefined;

  constructor(key: KeyText) {
    this.key = key;
  }

  write(item: Item | undefined, now: number): void {
    this.#forget(now);
    this.#past.push({ item: this.current, version: this.version, until: now });
    this.current = item;
    this.version += 1;
  }

  /** The item that a read shows. @param choose undefined for a consistent read */
  read(now: number, choose: ChooseState | undefined): Item | undefined {
    return choose ? this.chosen(this.#states(now), choose).item : this.current;
  }

  chosen(states: readonly State[], choose: ChooseState): State {
    const { partition, sort } = this.key;
    const at = states.length === 1 ? 0 : choose(states.length, `state of ${partition} ${sort}`);
    return states[at] as State;
  }

  /** Drops the states that no read may show any more. */
  #forget(now: number): void {
    const first = this.#past[0];
    if (first && first.until <= now - stalenessMs)
      this.#past = this.#past.filter(({ until }) => until > now - stalenessMs);
  }

  /** All states that an eventually consistent read may return now, the newest first. */
  #states(now: number): readonly State[] {
    this.#forget(now);
    const newest = { item: this.current, version: this.version };
    return this.#past.length === 0 ? [newest] : [newest, ...this.#past.toReversed()];
  }

  /** As `states`, of those that an index may be at. */
  statesIn(index: string, now: number): readonly State[] {
    const states = this.#states(now);
    const reached = this.#reached?.get(index) ?? 0;
    return states.length === 1 ? states : states.filter(({ version }) => version >= reached);
  }

  reach(index: string, version: number): void {
    this.#reached ??= new Map();
    this.#reached.set(index, version);
  }
}

const sizes = new WeakMap<Item, number>();

/** The bytes of an item as DynamoDB counts them, counted once. */
export function sizeOf(item: Item | undefined): number {
  if (item === undefined) return 0;
  const known = sizes.get(item);
  if (known !== undefined) return known;
  const size = itemSize(item);
  sizes.set(item, size);
  return size;
}
