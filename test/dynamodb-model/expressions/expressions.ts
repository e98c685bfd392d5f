import { type AttributeValue, assertValues, type Item, projected } from '../attribute-values.ts';
import { ValidationError } from '../errors.ts';
import type { ExpressionParameters } from '../request.ts';
import { type Condition, readCondition } from './condition.ts';
import { Parser, type Placeholders } from './parser.ts';
import { assertApart, ExpressionError } from './tokens.ts';
import { readUpdate, type Update } from './update.ts';

/** The expressions of a request, with what their placeholders stand for. */
export interface Expressions {
  readonly projection: ((item: Item) => Item) | undefined;
  readonly filter: Condition | undefined;
  readonly update: Update | undefined;
  readonly condition: Condition | undefined;
  readonly keyCondition: Condition | undefined;
}

/** Reads the expressions of a request. @throws ValidationError naming the parameter that is wrong, or a placeholder that is not used */
export function expressionsOf(request: ExpressionParameters): Expressions {
  const placeholders = new RequestPlaceholders(request);
  const read = <T>(
    name: Extract<keyof ExpressionParameters, `${string}Expression`>,
    readFrom: (parser: Parser) => T,
  ): T | undefined => {
    const expression = request[name];
    if (expression === undefined) return undefined;
    try {
      const parser = new Parser(expression, placeholders);
      const found = readFrom(parser);
      if (!parser.isAtEnd) throw parser.unexpected();
      return found;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new ValidationError(`Invalid ${name}: ${error.message}`);
    }
  };
  const expressions = {
    projection: read('ProjectionExpression', readProjection),
    filter: read('FilterExpression', readCondition),
    update: read('UpdateExpression', readUpdate),
    condition: read('ConditionExpression', readCondition),
    keyCondition: read('KeyConditionExpression', readCondition),
  };
  placeholders.assertAllUsed();
  return expressions;
}

function readProjection(parser: Parser): (item: Item) => Item {
  const attributes = [parser.attribute()];
  while (parser.takeSign(',')) attributes.push(parser.attribute());
  assertApart(attributes);
  return (item) => projected(item, attributes);
}

/** The placeholders of a request, and which of them its expressions have used so far. */
class RequestPlaceholders implements Placeholders {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Item;
  readonly #used = new Set<string>();

  /** @throws ValidationError for an empty set of placeholders, or a value that DynamoDB rejects */
  constructor({ ExpressionAttributeNames, ExpressionAttributeValues }: ExpressionParameters) {
    for (const given of [ExpressionAttributeNames, ExpressionAttributeValues])
      if (given && Object.keys(given).length === 0)
        throw new ValidationError('Placeholders must not be empty');
    this.#names = ExpressionAttributeNames ?? {};
    this.#values = ExpressionAttributeValues ?? {};
    assertValues(this.#values);
  }

  name(placeholder: string): string {
    return this.#meaning(this.#names, placeholder);
  }

  value(placeholder: string): AttributeValue {
    return this.#meaning(this.#values, placeholder);
  }

  #meaning<T>(meanings: Readonly<Record<string, T>>, placeholder: string): T {
    this.#used.add(placeholder);
    if (Object.hasOwn(meanings, placeholder)) return meanings[placeholder] as T;
    throw new ExpressionError(`The placeholder ${placeholder} is used and not defined`);
  }

  assertAllUsed(): void {
    const unused = Object.keys({ ...this.#names, ...this.#values }).filter(
      (placeholder) => !this.#used.has(placeholder),
    );
    if (unused.length > 0)
      throw new ValidationError(`No expression uses the placeholders ${unused.join(', ')}`);
  }
}
