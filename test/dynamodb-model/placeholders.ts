import { assertValue } from './attribute-values.ts';
import { DynamodbError, ValidationError } from './errors.ts';
import type { Placeholders, UsedPlaceholders } from './expressions/scope.ts';
import { ExpressionError } from './expressions/tokens.ts';
import type { ExpressionParameters } from './request.ts';

type ExpressionName = Extract<keyof ExpressionParameters, `${string}Expression`>;
const expressionNames: readonly ExpressionName[] = [
  'ProjectionExpression',
  'FilterExpression',
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
];

/** The placeholders of a request, and which of them its expressions have used so far. */
export class RequestExpressions {
  readonly placeholders: Placeholders;
  readonly #request: ExpressionParameters;
  readonly #used: UsedPlaceholders[] = [];

  /** @throws ValidationError for placeholders that cannot stand for anything */
  constructor(request: ExpressionParameters) {
    this.#request = request;
    const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = request;
    this.placeholders = { names: names ?? {}, values: values ?? {} };
    if (!names && !values) return;
    const given = expressionNames.filter((name) => request[name] !== undefined);
    if (given.length === 0) {
      const what = names ? 'ExpressionAttributeNames' : 'ExpressionAttributeValues';
      throw new ValidationError(`${what} can only be specified when using expressions`);
    }
    if (names) assertNames(names, 'ExpressionAttributeNames', '#');
    if (values) assertNames(values, 'ExpressionAttributeValues', ':');
    for (const name in values) assertGivenValue(name, values);
  }

  /** Reads an expression if it is there. @throws ValidationError naming the parameter */
  read<T extends UsedPlaceholders>(
    name: ExpressionName,
    parse: (expression: string, placeholders: Placeholders) => T,
  ): T | undefined {
    const expression = this.#request[name];
    if (expression === undefined) return undefined;
    try {
      const parsed = parse(expression, this.placeholders);
      this.#used.push(parsed);
      return parsed;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw new ValidationError(`Invalid ${name}: ${error.message}`);
    }
  }

  /** @throws ValidationError when a placeholder is given that no expression uses */
  assertAllUsed(): void {
    const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = this.#request;
    if (names) this.#assertUsed('ExpressionAttributeNames', names, 'names');
    if (values) this.#assertUsed('ExpressionAttributeValues', values, 'values');
  }

  #assertUsed(parameter: string, given: object, kind: keyof UsedPlaceholders): void {
    let unused: string[] | undefined;
    for (const name in given) {
      if (!this.#used.some((used) => used[kind].has(name))) unused = [...(unused ?? []), name];
    }
    if (unused)
      throw new ValidationError(
        `Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`,
      );
  }
}

function assertNames(given: object, parameter: string, sign: string): void {
  let isEmpty = true;
  for (const name in given) {
    isEmpty = false;
    if (name.charAt(0) !== sign || !/^.[0-9a-zA-Z_]+$/.test(name)) {
      throw new ValidationError(`${parameter} contains invalid key: Syntax error; key: "${name}"`);
    }
  }
  if (isEmpty) throw new ValidationError(`${parameter} must not be empty`);
}

function assertGivenValue(
  name: string,
  values: NonNullable<ExpressionParameters['ExpressionAttributeValues']>,
): void {
  try {
    assertValue(values[name] ?? {});
  } catch (error) {
    if (!(error instanceof DynamodbError)) throw error;
    throw new ValidationError(
      `ExpressionAttributeValues contains invalid value: ${error.message} for key ${name}`,
    );
  }
}
