import { compareText, type Item } from '../attribute-values.ts';
import { NotModelledError, ValidationError } from '../errors.ts';
import { attributesOf, type Condition, holds } from '../expressions/condition.ts';
import { expressionsOf } from '../expressions/expressions.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import type { Reply, Request } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import { compareKeys, type FoundItem, type Table } from '../table.ts';
import { type IndexSchema, keyItem, keyNames, keyOfRequest, keyTextOf } from '../table-schema.ts';
import { capacityOf, unitsOfRead } from '../units.ts';
import { type KeyRange, keyRangeOf } from './key-condition.ts';

const pageBytes = 1024 * 1024;

/** What a page is made of: items in order, and what the request wants of them. */
interface PageRequest {
  readonly table: Table;
  readonly index?: IndexSchema | undefined;
  readonly request: Request;
  readonly filter: Condition | undefined;
  readonly projection: ((item: Item) => Item) | undefined;
  readonly found: Iterable<FoundItem>;
  /** The partition key of a query; a scan has none, and is not throttled. */
  readonly partition?: string;
}

const query: Operation = (dynamodb, request) => {
  assertPage(request);
  const { keyCondition, filter, projection } = expressionsOf(request);
  if (!keyCondition)
    throw new ValidationError(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  const table = dynamodb.table(request.TableName);
  const index = indexOf(table, request);
  const schema = index ?? table.schema;
  if (index) assertProjected(index, request);
  if (filter) refuseKeyFilter(filter, keyNames(schema));
  const range = keyRangeOf(keyCondition, schema);
  const { partition } = range;
  const { now, chooseState } = dynamodb;
  const all = index
    ? table.inIndex(index, partition, now, chooseState ?? (() => 0))
    : table.inPartition(partition, now, request.ConsistentRead ? undefined : chooseState);
  const inRange = all.filter(({ item }) => range.includes(item));
  const ordered = request.ScanIndexForward === false ? inRange.reverse() : inRange;
  const found = ordered.slice(startOf(ordered, { table, index, request, range }));
  return pageOf(dynamodb, { table, index, request, filter, projection, found, partition });
};

/** An index of keys has no other attribute, and DynamoDB does not read it from the table. */
function assertProjected({ name, projects }: IndexSchema, request: Request): void {
  const { ProjectionExpression = '', ExpressionAttributeNames: names = {} } = request;
  const attributes = ProjectionExpression.split(',').flatMap((path) => {
    const [attribute = ''] = path.trim().split(/[.[]/);
    return attribute ? [names[attribute] ?? attribute] : [];
  });
  const missing = attributes.filter((attribute) => !projects.has(attribute));
  if (missing.length > 0)
    throw new ValidationError(
      `One or more parameter values were invalid: Global secondary index ${name} does not project [${missing.join(', ')}]`,
    );
}

function assertPage({ Limit, Select, ProjectionExpression }: Request): void {
  if (Select === 'COUNT' && ProjectionExpression !== undefined) {
    throw new ValidationError(
      'Cannot specify the ProjectionExpression when choosing to get only the Count',
    );
  }
  if (Limit !== undefined && Limit < 1) {
    throw new ValidationError(
      `1 validation error detected: Value '${Limit}' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1`,
    );
  }
}

function indexOf(
  { schema }: Table,
  { IndexName, ConsistentRead }: Request,
): IndexSchema | undefined {
  if (IndexName === undefined) return undefined;
  const index = schema.indexes.find(({ name }) => name === IndexName);
  if (!index)
    throw new ValidationError(`The table does not have the specified index: ${IndexName}`);
  if (ConsistentRead)
    throw new ValidationError('Consistent reads are not supported on global secondary indexes');
  return index;
}

function refuseKeyFilter(filter: Condition, names: readonly string[]): void {
  const name = attributesOf(filter).find((attribute) => names.includes(attribute));
  if (name !== undefined)
    throw new ValidationError(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    );
}

/** The position behind the key at which the page before ended, whether or not an item is under it. */
function startOf(found: readonly FoundItem[], { table, index, request, range }: Start): number {
  const { ExclusiveStartKey: start, ScanIndexForward } = request;
  if (!start) return 0;
  const schema = index ?? table.schema;
  const wanted = new Set([...keyNames(table.schema), ...keyNames(schema)]);
  if (Object.keys(start).length !== wanted.size || [...wanted].some((name) => !start[name])) {
    throw new ValidationError('The provided starting key is invalid');
  }
  const key = keyOfRequest(table.schema, keyItem(table.schema, start));
  if (keyTextOf(start[schema.partition]) !== range.partition || !range.includes(start)) {
    throw new ValidationError(
      'The provided starting key is outside query boundaries based on provided conditions',
    );
  }
  const sort = keyTextOf(start[schema.sort]);
  const sign = ScanIndexForward === false ? -1 : 1;
  const at = found.findIndex((one) => {
    const order = compareText(one.sort, sort) || (index ? compareKeys(one.key, key) : 0);
    return order * sign > 0;
  });
  return at < 0 ? found.length : at;
}

interface Start {
  readonly table: Table;
  readonly index: IndexSchema | undefined;
  readonly request: Request;
  readonly range: KeyRange;
}

/** Reads items until the limit, or until they come to a page's bytes. */
function pageOf(dynamodb: DynamodbModel, page: PageRequest): Reply {
  const { table, index, request, filter, projection, partition } = page;
  const { Limit = Number.POSITIVE_INFINITY, Select } = request;
  const Items: Item[] = [];
  let [bytes, scanned, count] = [0, 0, 0];
  let last: Item | undefined;
  const maxBytes = pageBytes * (dynamodb.options.pageShare ?? 1);
  for (const { item } of page.found) {
    scanned += 1;
    bytes += sizeOf(item);
    if (!filter || holds(filter, item)) {
      count += 1;
      if (Select !== 'COUNT') Items.push(projection ? projection(item) : item);
    }
    if (scanned < Limit && bytes < maxBytes) continue;
    last = { ...keyItem(table.schema, item), ...(index && keyItem(index, item)) };
    break;
  }
  const isConsistent = request.ConsistentRead === true;
  const units = [
    unitsOfRead(bytes, { key: partition ?? '', index: index?.name ?? '', isConsistent }),
  ];
  if (partition !== undefined) dynamodb.take(table, units);
  return {
    ...(Select !== 'COUNT' && { Items }),
    Count: count,
    ScannedCount: scanned,
    ...(last && { LastEvaluatedKey: last }),
    ...capacityOf(request, table, units),
  };
}

const scan: Operation = (dynamodb, request) => {
  assertPage(request);
  const { filter, projection } = expressionsOf(request);
  const table = dynamodb.table(request.TableName);
  const { IndexName, Segment: number = 0, TotalSegments: total = 1, ExclusiveStartKey } = request;
  if (IndexName !== undefined) throw new NotModelledError('scans of an index');
  const after = ExclusiveStartKey && keyOfRequest(table.schema, ExclusiveStartKey);
  const choose = request.ConsistentRead ? undefined : dynamodb.chooseState;
  const found = table.scan({ number, total }, after, dynamodb.now, choose);
  return pageOf(dynamodb, { table, request, filter, projection, found });
};

export const queries: Readonly<Record<string, Operation>> = { Query: query, Scan: scan };
