import type { Json } from '../json-schema.ts';

/** Who writes a value. What a caller writes may name an optional property with `undefined`: JSON leaves it out. */
export type Side = 'request' | 'response';

const reference = '#/components/schemas/';

/** A JSON schema of the API description as the text of a TypeScript type. @throws Error for a schema that no rule covers */
export function typeText(schema: Json, side: Side): string {
  if (typeof schema.$ref === 'string') return schema.$ref.replace(reference, '');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((one) => JSON.stringify(one)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return union(choices.map((one: Json) => typeText(one, side)));
  if (Array.isArray(schema.type))
    return union(schema.type.map((type) => typeText({ ...schema, type }, side)));
  const ofType = typeof schema.type === 'string' ? byType[schema.type] : undefined;
  if (!ofType) throw new Error(`No TypeScript type is known for ${JSON.stringify(schema)}.`);
  return ofType(schema, side);
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const byType: Readonly<Record<string, (schema: Json, side: Side) => string>> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: arrayText,
  object: objectText,
};

function arrayText({ items, minItems, maxItems }: Json, side: Side): string {
  const item = typeText(items as Json, side);
  if (minItems === 2 && maxItems === 2) return `readonly [${item}, ${item}]`;
  if (minItems === 1) return `readonly [${item}, ...(${item})[]]`;
  return `readonly (${item})[]`;
}

function objectText(schema: Json, side: Side): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  if (properties.length === 0) {
    const values = schema.additionalProperties;
    const value = typeof values === 'object' ? typeText(values as Json, side) : 'unknown';
    return `{ readonly [key: string]: ${value} }`;
  }
  const required = new Set((schema.required ?? []) as readonly string[]);
  const lines = properties.map(([name, property]) => {
    const isOptional = !required.has(name);
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const orUndefined = isOptional && side === 'request' ? ' | undefined' : '';
    return `${comment(property)}readonly ${key}${isOptional ? '?' : ''}: ${typeText(property, side)}${orUndefined};\n`;
  });
  return `{\n${lines.join('')}}`;
}

/** A schema's description as a docblock, or nothing. */
export const comment = ({ description }: Json): string =>
  typeof description === 'string' ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : '';
