import { crc32 } from 'node:zlib';
import { type Explained, explainedParts } from '../../leads/timeline-replay.ts';

/** The items that must exist for a lead, as flags of those that the scan has not found yet. */
const expected = { phone: 1, email: 2, timeline: 4 } as const;
export type ExpectedItem = keyof typeof expected;
const expectedNames = Object.keys(expected) as ExpectedItem[];

/** A lead's id, and the values of its identity items. */
export interface ExpectedLead {
  readonly id: number;
  /** As compared; undefined if the lead has none. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
  /** What its timeline must explain. */
  readonly explained: Explained;
}

const crcOf = (value: string | undefined): number => (value === undefined ? 0 : crc32(value));

/**
 * The leads of a range of ids, in ascending order: 29 bytes each, whatever the lead's size. Values are stored as CRC-32, so that a
 * wrong one goes unnoticed once in four thousand million.
 */
export class ExpectedItemsPart {
  ids = new Uint32Array(256);
  phones = new Uint32Array(256);
  emails = new Uint32Array(256);
  missing = new Uint8Array(256);
  /** Four for each lead, in the order of `explainedParts`. */
  explained = new Uint32Array(256 * explainedParts.length);
  count = 0;

  add({ id, phone, email, explained }: ExpectedLead): void {
    if (this.count === this.ids.length) this.#grow();
    const at = this.count;
    this.ids[at] = id;
    this.phones[at] = crcOf(phone);
    this.emails[at] = crcOf(email);
    this.explained.set(
      explainedParts.map((part) => crcOf(explained[part])),
      at * explainedParts.length,
    );
    this.missing[at] =
      expected.timeline |
      (phone === undefined ? 0 : expected.phone) |
      (email === undefined ? 0 : expected.email);
    this.count = at + 1;
  }

  #grow(): void {
    const wider = (old: Uint32Array): Uint32Array<ArrayBuffer> => {
      const column = new Uint32Array(2 * old.length);
      column.set(old);
      return column;
    };
    this.ids = wider(this.ids);
    this.phones = wider(this.phones);
    this.emails = wider(this.emails);
    this.explained = wider(this.explained);
    const missing = new Uint8Array(2 * this.missing.length);
    missing.set(this.missing);
    this.missing = missing;
  }
}

/** All leads of an organization as they were when they were read, and which of their items have been found since. */
export class ExpectedItems {
  readonly #parts: readonly ExpectedItemsPart[];

  /** @param parts in ascending order of their ranges of ids */
  constructor(parts: readonly ExpectedItemsPart[]) {
    this.#parts = parts.filter(({ count }) => count > 0);
  }

  get count(): number {
    return this.#parts.reduce((sum, { count }) => sum + count, 0);
  }

  has(leadId: number): boolean {
    return this.#find(leadId) !== undefined;
  }

  /** Marks the item of this phone or email as found. @returns whether the lead has it, and its item was not found before */
  markIdentity(kind: 'phone' | 'email', leadId: number, value: string): boolean {
    const found = this.#find(leadId);
    if (!found) return false;
    const { part, at } = found;
    const column = kind === 'phone' ? part.phones : part.emails;
    const isExpected = ((part.missing[at] ?? 0) & expected[kind]) !== 0;
    if (!isExpected || column[at] !== crc32(value)) return false;
    part.missing[at] = (part.missing[at] ?? 0) & ~expected[kind];
    return true;
  }

  /** Marks a lead's timeline as found. @returns whether it explains the lead, as far as it says */
  markTimeline(leadId: number, timeline: Explained): boolean {
    const found = this.#find(leadId);
    if (!found) return false;
    const { part, at } = found;
    part.missing[at] = (part.missing[at] ?? 0) & ~expected.timeline;
    return explainedParts.every((name, index) => {
      const value = timeline[name];
      return (
        value === undefined || part.explained[at * explainedParts.length + index] === crc32(value)
      );
    });
  }

  /** The leads with items that were not found, by id. */
  *missingItems(): Generator<{ readonly leadId: number; readonly items: readonly ExpectedItem[] }> {
    for (const { ids, missing, count } of this.#parts) {
      for (let at = 0; at < count; at += 1) {
        const flags = missing[at] ?? 0;
        if (flags === 0) continue;
        yield {
          leadId: ids[at] ?? 0,
          items: expectedNames.filter((name) => (flags & expected[name]) !== 0),
        };
      }
    }
  }

  #find(leadId: number): { part: ExpectedItemsPart; at: number } | undefined {
    const part = this.#parts.find(({ ids, count }) => leadId <= (ids[count - 1] ?? 0));
    if (!part) return undefined;
    let [low, high] = [0, part.count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((part.ids[middle] ?? 0) < leadId) low = middle + 1;
      else high = middle;
    }
    return part.ids[low] === leadId ? { part, at: low } : undefined;
  }
}
