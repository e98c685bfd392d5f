import { type AttributeValue, type Item, textSize, typeOf } from './attribute-values.ts';
import { invalidValue, NotModelledError, ValidationError } from './errors.ts';
import type { KeySchemaElement, Request } from './request.ts';

/** The two attributes, both texts, that order items: of a table unique, of an index not. */
export interface KeySchema {
  readonly partition: string;
  readonly sort: string;
}

export interface IndexSchema extends KeySchema {
  readonly name: string;
  /** The attributes that it holds: its keys and those of the table. */
  readonly projects: ReadonlySet<string>;
}

export interface TableSchema extends KeySchema {
  readonly name: string;
  readonly indexes: readonly IndexSchema[];
}

/** The key of an item as texts: equal when the keys are. */
export interface KeyText {
  readonly partition: string;
  readonly sort: string;
}

/** Reads `CreateTable`. */
export function schemaOf({
  TableName = '',
  KeySchema = [],
  AttributeDefinitions = [],
  GlobalSecondaryIndexes = [],
}: Request): TableSchema {
  if (AttributeDefinitions.some(({ AttributeType }) => AttributeType !== 'S'))
    throw new NotModelledError('keys other than texts');
  const table = keysOf(KeySchema);
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: elements, Projection }) => {
    if (Projection.ProjectionType !== 'KEYS_ONLY')
      throw new NotModelledError(`an index that projects ${Projection.ProjectionType}`);
    const keys = keysOf(elements);
    const projects = new Set([...keyNames(table), ...keyNames(keys)]);
    return { ...keys, name: IndexName, projects };
  });
  return { ...table, name: TableName, indexes };
}

function keysOf(elements: readonly KeySchemaElement[]): KeySchema {
  const [partition, sort] = (['HASH', 'RANGE'] as const).map(
    (keyType) => elements.find(({ KeyType }) => KeyType === keyType)?.AttributeName,
  );
  if (partition === undefined || sort === undefined)
    throw new NotModelledError('a table or an index without a sort key');
  return { partition, sort };
}

/** The text of a key attribute; empty where it is not one. */
export const keyTextOf = (value: AttributeValue | undefined): string => value?.S ?? '';

export const keyNames = ({ partition, sort }: KeySchema): [string, string] => [partition, sort];

/** The key attributes of an item, and no others. */
export const keyItem = ({ partition, sort }: KeySchema, item: Item): Item => ({
  [partition]: item[partition] as AttributeValue,
  [sort]: item[sort] as AttributeValue,
});

/** The key that a request names. @throws ValidationError */
export function keyOfRequest(schema: TableSchema, key: Item = {}): KeyText {
  const names = keyNames(schema);
  if (Object.keys(key).length !== 2 || names.some((name) => key[name]?.S === undefined))
    throw new ValidationError('The provided key element does not match the schema');
  return textsOf(schema, key);
}

/** The key that an item carries. @throws ValidationError */
export function keyOfItem(schema: TableSchema, item: Item): KeyText {
  for (const name of keyNames(schema)) {
    const value = item[name];
    if (!value) throw invalidValue(`Missing the key ${name} in the item`);
    if (value.S === undefined) {
      throw invalidValue(`Type mismatch for key ${name} expected: S actual: ${typeOf(value)}`);
    }
  }
  assertIndexKeys(schema, item);
  return textsOf(schema, item);
}

function textsOf(schema: TableSchema, key: Item): KeyText {
  const [partition, sort] = keyNames(schema).map((name) => keyTextOf(key[name]));
  return {
    partition: checkedKey(schema, schema.partition, partition),
    sort: checkedKey(schema, schema.sort, sort),
  };
}

function checkedKey({ partition }: KeySchema, name: string, text = ''): string {
  if (text === '') {
    throw new ValidationError(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  const maxBytes = name === partition ? 2048 : 1024;
  if (text.length * 3 > maxBytes && textSize(text) > maxBytes) {
    throw invalidValue(
      name === partition
        ? 'Size of hashkey has exceeded the maximum size limit of2048 bytes'
        : 'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    );
  }
  return text;
}

/** An attribute that an index is ordered by is a text, or is not there. @throws ValidationError */
export function assertIndexKeys({ indexes }: TableSchema, item: Item): void {
  for (const index of indexes) {
    for (const name of keyNames(index)) {
      const value = item[name];
      if (!value) continue;
      if (value.S === undefined) {
        throw invalidValue(
          `Type mismatch for Index Key ${name} Expected: S Actual: ${typeOf(value)} IndexName: ${index.name}`,
        );
      }
      checkedKey(index, name, value.S);
    }
  }
}
