import type { AttributeValue } from '../attribute-values.ts';
import { NotModelledError } from '../errors.ts';
import { reservedWords } from './reserved-words.ts';
import { ExpressionError, type Token, tokensOf } from './tokens.ts';

/** A document path: the name of an attribute, then names inside it. */
export type Path = readonly string[];

/** What the placeholders of a request stand for. @throws ExpressionError for one that is not defined */
export interface Placeholders {
  name(placeholder: string): string;
  value(placeholder: string): AttributeValue;
}

/** What expressions may hold, and the model does not have. */
const notModelled =
  /(?<![#:.\w])(?:(?:NOT|IN|DELETE)\b|(?:size|attribute_type|list_append|contains)\s*\()|[[-]|\(\s*\(/i;

/** The cursor that all grammars share. Words of the language are read in any case; reserved words are refused as names. */
export class Parser {
  readonly #tokens: readonly Token[];
  readonly #placeholders: Placeholders;
  #at = 0;

  constructor(expression: string, placeholders: Placeholders) {
    if (expression === '') throw new ExpressionError('The expression can not be empty;');
    const [unknown] = notModelled.exec(expression) ?? [];
    if (unknown) throw new NotModelledError(`"${unknown}" in an expression`);
    this.#tokens = tokensOf(expression);
    this.#placeholders = placeholders;
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

  value(): AttributeValue {
    if (this.next.kind !== 'value') throw this.unexpected();
    return this.#placeholders.value(this.take());
  }

  path(): Path {
    const path = [this.#name()];
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
    if (kind !== 'name' && kind !== 'word') throw this.unexpected();
    if (kind === 'word' && reservedWords.has(text.toUpperCase()))
      throw new ExpressionError(`Attribute name is a reserved keyword; reserved keyword: ${text}`);
    this.take();
    return kind === 'name' ? this.#placeholders.name(text) : text;
  }
}
