/** A seeded source of randomness (sfc32): the same seed gives the same numbers on any machine. Not for secrets. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    const hash = hashes(seed);
    [this.#a, this.#b, this.#c] = hash;
    for (let round = 0; round < 12; round += 1) this.#next();
  }

  #next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + t) | 0;
    return t >>> 0;
  }

  /** As `Math.random`: at least 0, less than 1. */
  fraction(): number {
    return (this.#next() * 0x200000 + (this.#next() >>> 11)) / 0x20000000000000;
  }

  /** An integer of at least 0 and less than `bound`. */
  below(bound: number): number {
    return bound <= 1 ? 0 : Math.floor(this.fraction() * bound);
  }

  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability;
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('There is nothing to pick from.');
    return values[this.below(values.length)] as T;
  }

  /** The same values in an order of its own. */
  shuffle<T>(values: readonly T[]): T[] {
    const shuffled = [...values];
    for (let at = shuffled.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
    }
    return shuffled;
  }

  fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = this.#next() & 0xff;
  }

  uuid(): string {
    const hex = [this.#next(), this.#next(), this.#next(), this.#next()]
      .map((part) => part.toString(16).padStart(8, '0'))
      .join('');
    const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) & 3);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

/** Three well-mixed numbers of a text (cyrb128). */
function hashes(text: string): [number, number, number] {
  let [h1, h2, h3] = [1779033703, 3144134277, 1013904242];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    h1 = h2 ^ Math.imul(h1 ^ unit, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ unit, 2869860233);
    h3 = h1 ^ Math.imul(h3 ^ unit, 951274213);
  }
  return [
    Math.imul(h1 ^ (h3 >>> 18), 597399067),
    Math.imul(h2 ^ (h1 >>> 22), 2869860233),
    Math.imul(h3 ^ (h2 >>> 17), 951274213),
  ];
}
