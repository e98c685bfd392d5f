/** A word, a placeholder, a number or a sign of an expression, and where it begins. */
export interface Token {
  readonly kind: 'word' | 'name' | 'value' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** What is wrong with an expression, without the name of the parameter that holds it. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

const token =
  /\s+|([A-Za-z_][A-Za-z0-9_]*)|(#[A-Za-z0-9_]+)|(:[A-Za-z0-9_]+)|(\d+)|(<>|<=|>=|[=<>()[\],.+-])/y;

/** @throws ExpressionError for a character that no token begins with */
export function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < expression.length; at = token.lastIndex) {
    const found = token.exec(expression);
    if (!found) throw syntaxError(expression, { kind: 'sign', text: expression.charAt(at), at });
    const [text, word, name, value, number, sign] = found;
    if (word ?? name ?? value ?? number ?? sign) {
      const kind = word ? 'word' : name ? 'name' : value ? 'value' : number ? 'number' : 'sign';
      tokens.push({ kind, text, at });
    }
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: expression.length });
  return tokens;
}

/** DynamoDB shows the token with its neighbours. */
export function syntaxError(expression: string, { text, at }: Token): ExpressionError {
  const before = /\S*\s*$/.exec(expression.slice(0, at))?.[0] ?? '';
  const after = /^\s*\S*/.exec(expression.slice(at + text.length))?.[0] ?? '';
  const near = text === '<EOF>' ? before.trimEnd() : `${before}${text}${after}`.trim();
  return new ExpressionError(`Syntax error; token: "${text}", near: "${near}"`);
}
