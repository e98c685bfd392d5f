import { reservedWords } from './reserved-words.ts';
import { ExpressionError, syntaxError, type Token, tokensOf } from './tokens.ts';

/** A document path as the expression writes it: names, `#` placeholders, and positions in lists. */
export type Path = readonly (string | number)[];

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'function'; readonly name: string; readonly operands: readonly Operand[] };

/** The cursor that all grammars share. Words of the language are read in any case; reserved words are refused as names. */
export class Parser {
  readonly #expression: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  /** Placeholders in the expression, each once. */
  readonly names = new Set<string>();
  readonly values = new Set<string>();
  /** Attributes that its paths begin with, as they are written. */
  readonly attributes = new Set<string>();

  constructor(expression: string) {
    if (expression === '') throw new ExpressionError('The expression can not be empty;');
    this.#expression = expression;
    this.#tokens = tokensOf(expression);
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  get isAtEnd(): boolean {
    return this.next.kind === 'end';
  }

  #peek(ahead: number): Token | undefined {
    return this.#tokens[this.#at + ahead];
  }

  take(): Token {
    const { next } = this;
    if (next.kind !== 'end') this.#at += 1;
    return next;
  }

  isWord(...words: readonly string[]): boolean {
    return this.next.kind === 'word' && words.includes(this.next.text.toUpperCase());
  }

  takeWord(word: string): boolean {
    const isIt = this.isWord(word);
    if (isIt) this.#at += 1;
    return isIt;
  }

  takeSign(sign: string): boolean {
    const isIt = this.next.kind === 'sign' && this.next.text === sign;
    if (isIt) this.#at += 1;
    return isIt;
  }

  expectSign(sign: string): void {
    if (!this.takeSign(sign)) throw this.unexpected();
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) throw this.unexpected();
  }

  expectEnd(): void {
    if (!this.isAtEnd) throw this.unexpected();
  }

  unexpected(): ExpressionError {
    return syntaxError(this.#expression, this.next);
  }

  get isFunction(): boolean {
    const after = this.#peek(1);
    return this.next.kind === 'word' && after?.kind === 'sign' && after.text === '(';
  }

  operand(): Operand {
    if (this.next.kind === 'value') {
      const { text } = this.take();
      this.values.add(text);
      return { kind: 'value', name: text };
    }
    return this.isFunction ? this.call() : { kind: 'path', path: this.path() };
  }

  call(): Operand & { kind: 'function' } {
    const name = this.take().text;
    this.expectSign('(');
    const operands = [this.operand()];
    while (this.takeSign(',')) operands.push(this.operand());
    this.expectSign(')');
    return { kind: 'function', name, operands };
  }

  path(): Path {
    const attribute = this.#name();
    this.attributes.add(attribute);
    const path: (string | number)[] = [attribute];
    for (;;) {
      if (this.takeSign('.')) path.push(this.#name());
      else if (this.takeSign('[')) {
        if (this.next.kind !== 'number') throw this.unexpected();
        path.push(Number(this.take().text));
        this.expectSign(']');
      } else return path;
    }
  }

  #name(): string {
    const { kind, text } = this.next;
    if (kind === 'name') this.names.add(text);
    else if (kind !== 'word') throw this.unexpected();
    else if (reservedWords.has(text.toUpperCase())) {
      throw new ExpressionError(`Attribute name is a reserved keyword; reserved keyword: ${text}`);
    }
    this.take();
    return text;
  }
}

/** Parses each text once: the same expressions come again with every request. */
export function cached<T>(parse: (expression: string) => T): (expression: string) => T {
  const known = new Map<string, T>();
  return (expression) => {
    const before = known.get(expression);
    if (before !== undefined) return before;
    const parsed = parse(expression);
    if (known.size >= cachedMax) known.clear();
    known.set(expression, parsed);
    return parsed;
  };
}
const cachedMax = 2000;
