import { type AttributeValue, typeOf } from '../attribute-values.ts';

/** A word, a placeholder or a sign of an expression. */
export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'sign' | 'end';
  readonly text: string;
}

/** What is wrong with an expression, without the name of the parameter that holds it. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** @throws ExpressionError for a value of a type that the operator does not take */
export function assertType(
  operator: string,
  value: AttributeValue,
  types: readonly string[],
): AttributeValue {
  const type = typeOf(value);
  if (type !== undefined && types.includes(type)) return value;
  throw new ExpressionError(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`,
  );
}

/** @throws ExpressionError where two of the attributes are one */
export function assertApart(attributes: readonly string[]): void {
  if (new Set(attributes).size < attributes.length)
    throw new ExpressionError(
      'Two document paths overlap with each other; must remove or rewrite one of these paths',
    );
}

const token =
  /\s+|([A-Za-z_][A-Za-z0-9_]*)|(#[A-Za-z0-9_]+)|(:[A-Za-z0-9_]+)|(<>|<=|>=|[=<>(),.+])/y;

const known = new Map<string, readonly Token[]>();
const knownMax = 2000;

/** Reads each text once: every request repeats the same expressions. @throws ExpressionError for a character that no token begins with */
export function tokensOf(expression: string): readonly Token[] {
  const before = known.get(expression);
  if (before) return before;
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < expression.length; at = token.lastIndex) {
    const found = token.exec(expression);
    if (!found) throw new ExpressionError(`Syntax error; token: "${expression.charAt(at)}"`);
    const [text, word, name, value, sign] = found;
    if (word ?? name ?? value ?? sign) {
      tokens.push({ kind: word ? 'word' : name ? 'name' : value ? 'value' : 'sign', text });
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>' });
  if (known.size >= knownMax) known.clear();
  known.set(expression, tokens);
  return tokens;
}
