import { type AttributeValue, type Item, textSize, typeOf } from './attribute-values.ts';
import { invalidValue, ValidationError } from './errors.ts';
import type { Request } from './request.ts';

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

/** The attributes that order items: of a table unique, of an index not. */
export interface KeySchema {
  readonly partition: KeyAttribute;
  readonly sort: KeyAttribute | undefined;
}

export interface IndexSchema extends KeySchema {
  readonly name: string;
  readonly projects: 'ALL' | ReadonlySet<string>;
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
  const keysOf = (elements: NonNullable<Request['KeySchema']>): KeySchema => {
    const [partition, sort] = (['HASH', 'RANGE'] as const).map((keyType) => {
      const name = elements.find(({ KeyType }) => KeyType === keyType)?.AttributeName;
      const type = AttributeDefinitions.find(
        ({ AttributeName }) => AttributeName === name,
      )?.AttributeType;
      return name === undefined || type === undefined ? undefined : { name, type };
    });
    if (!partition)
      throw invalidValue(
        'No Hash Key specified in schema. All Dynamo DB tables must have exactly one hash key',
      );
    return { partition, sort };
  };
  const table = keysOf(KeySchema);
  const tableKeys = [table.partition, table.sort].flatMap((key) => (key ? [key.name] : []));
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: elements, Projection }) => {
    const keys = keysOf(elements);
    const own = [keys.partition.name, ...(keys.sort ? [keys.sort.name] : [])];
    const projects =
      Projection.ProjectionType === 'ALL'
        ? ('ALL' as const)
        : new Set([...tableKeys, ...own, ...(Projection.NonKeyAttributes ?? [])]);
    return { ...keys, name: IndexName, projects };
  });
  return { ...table, name: TableName, indexes };
}

export const keyTextOf = (value: AttributeValue): string =>
  value.S ?? value.N ?? (value.B ? Buffer.from(value.B).toString('base64') : '');

export const keyNames = ({ partition, sort }: KeySchema): string[] =>
  sort ? [partition.name, sort.name] : [partition.name];

/** The key attributes of an item, and no others. */
export function keyItem(
  { partition, sort }: KeySchema,
  item: Item,
): Record<string, AttributeValue> {
  const key: Record<string, AttributeValue> = {
    [partition.name]: item[partition.name] as AttributeValue,
  };
  if (sort) key[sort.name] = item[sort.name] as AttributeValue;
  return key;
}

/** The key that a request names. @throws ValidationError */
export function keyOfRequest(schema: TableSchema, key: Item = {}): KeyText {
  const names = keyNames(schema);
  if (Object.keys(key).length !== names.length) throw mismatch();
  for (const attribute of [schema.partition, schema.sort]) {
    if (attribute && key[attribute.name]?.[attribute.type] === undefined) throw mismatch();
  }
  return textsOf(schema, key);
}

const mismatch = (): ValidationError =>
  new ValidationError('The provided key element does not match the schema');

/** The key that an item carries. @throws ValidationError */
export function keyOfItem(schema: TableSchema, item: Item): KeyText {
  for (const attribute of [schema.partition, schema.sort]) {
    if (!attribute) continue;
    const value = item[attribute.name];
    if (!value) throw invalidValue(`Missing the key ${attribute.name} in the item`);
    if (value[attribute.type] === undefined) {
      throw invalidValue(
        `Type mismatch for key ${attribute.name} expected: ${attribute.type} actual: ${typeOf(value)}`,
      );
    }
  }
  assertIndexKeys(schema, item);
  return textsOf(schema, item);
}

function textsOf(schema: TableSchema, key: Item): KeyText {
  const partition = checkedKey(
    schema.partition,
    key,
    2048,
    'Size of hashkey has exceeded the maximum size limit of2048 bytes',
  );
  const { sort } = schema;
  if (!sort) return { partition, sort: '' };
  return {
    partition,
    sort: checkedKey(
      sort,
      key,
      1024,
      'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    ),
  };
}

function checkedKey({ name }: KeyAttribute, key: Item, maxBytes: number, tooLong: string): string {
  const text = keyTextOf(key[name] as AttributeValue);
  if (text === '') {
    throw new ValidationError(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  if (text.length * 3 > maxBytes && textSize(text) > maxBytes) throw invalidValue(tooLong);
  return text;
}

/** An attribute that an index is ordered by has the index's type, or is not there. @throws ValidationError */
export function assertIndexKeys({ indexes }: TableSchema, item: Item): void {
  for (const index of indexes) {
    for (const attribute of [index.partition, index.sort]) {
      const value = attribute && item[attribute.name];
      if (!attribute || !value) continue;
      if (value[attribute.type] === undefined) {
        throw invalidValue(
          `Type mismatch for Index Key ${attribute.name} Expected: ${attribute.type} Actual: ${typeOf(value)} IndexName: ${index.name}`,
        );
      }
      if (keyTextOf(value) === '') {
        throw new ValidationError(
          `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${index.name}, IndexKey: ${attribute.name}`,
        );
      }
      assertKeySize(attribute === index.partition, keyTextOf(value));
    }
  }
}

function assertKeySize(isPartition: boolean, text: string): void {
  const bytes = textSize(text);
  if (isPartition && bytes > 2048)
    throw invalidValue('Size of hashkey has exceeded the maximum size limit of2048 bytes');
  if (!isPartition && bytes > 1024) {
    throw invalidValue(
      'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    );
  }
}
