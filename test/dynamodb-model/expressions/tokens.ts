/** A word, a placeholder or a sign of an expression. */
export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'sign' | 'end';
  readonly text: string;
}

/** What is wrong with an expression, without the name of the parameter that holds it. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const token =
  /\s+|([A-Za-z_][A-Za-z0-9_]*)|(#[A-Za-z0-9_]+)|(:[A-Za-z0-9_]+)|(<>|<=|>=|[=<>(),.+])/y;

/** @throws ExpressionError for a character that no token begins with */
export function tokensOf(expression: string): Token[] {
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
  return tokens;
}
