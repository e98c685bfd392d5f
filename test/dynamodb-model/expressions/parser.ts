import { NotModelledError } from '../errors.ts';
import { reservedWords } from './reserved-words.ts';
import { ExpressionError, type Token, tokensOf } from './tokens.ts';

/** A document path as the expression writes it: names and `#` placeholders. */
export type Path = readonly string[];

/** What expressions may hold, and the model does not have. */
const notModelled =
  /(?<![#:.\w])(?:(?:NOT|IN|DELETE)\b|(?:size|attribute_type|list_append|contains)\s*\()|[[-]|\(\s*\(/i;

/** The cursor that all grammars share. Words of the language are read in any case; reserved words are refused as names. */
export class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  /** Placeholders in the expression, each once. */
  readonly names = new Set<string>();
  readonly values = new Set<string>();
  /** Attributes that its paths begin with, as they are written. */
  readonly attributes = new Set<string>();

  constructor(expression: string) {
    if (expression === '') throw new ExpressionError('The expression can not be empty;');
    const [unknown] = notModelled.exec(expression) ?? [];
    if (unknown) throw new NotModelledError(`"${unknown}" in an expression`);
    this.#tokens = tokensOf(expression);
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  get isAtEnd(): boolean {
    return this.next.kind === 'end';
  }

  take(): string {
    const { kind, text } = this.next;
    if (kind !== 'end') this.#at += 1;
    return text;
  }

  takeWord(word: string): boolean {
    const isIt = this.next.kind === 'word' && this.next.text.toUpperCase() === word;
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
    return new ExpressionError(`Syntax error; token: "${this.next.text}"`);
  }

  /** The name of a function, if one begins here, and its opening parenthesis. */
  takeFunction(): string | undefined {
    if (this.next.kind !== 'word' || this.#tokens[this.#at + 1]?.text !== '(') return undefined;
    const name = this.take();
    this.take();
    return name;
  }

  value(): string {
    if (this.next.kind !== 'value') throw this.unexpected();
    const name = this.take();
    this.values.add(name);
    return name;
  }

  path(): Path {
    const attribute = this.#name();
    this.attributes.add(attribute);
    const path = [attribute];
    while (this.takeSign('.')) path.push(this.#name());
    return path;
  }

  /** A path that is one attribute. */
  attribute(): string {
    const [attribute = '', ...inner] = this.path();
    if (inner.length > 0) throw new NotModelledError('nested paths here');
    return attribute;
  }

  #name(): string {
    const { kind, text } = this.next;
    if (kind === 'name') this.names.add(text);
    else if (kind !== 'word') throw this.unexpected();
    else if (reservedWords.has(text.toUpperCase())) {
      throw new ExpressionError(`Attribute name is a reserved keyword; reserved keyword: ${text}`);
    }
    return this.take();
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
