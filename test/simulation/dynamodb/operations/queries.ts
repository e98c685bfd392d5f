import type { AttributeValue, Item } from '../attribute-values.ts';
import { Consumed } from '../capacity.ts';
import { ValidationError } from '../errors.ts';
import { holds, readCondition } from '../expressions/condition.ts';
import type { Condition, ParsedCondition } from '../expressions/parsed-condition.ts';
import { projected, readProjection } from '../expressions/projection.ts';
import { resolvedName } from '../expressions/scope.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import { RequestExpressions } from '../placeholders.ts';
import type { Reply, Request } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import { type FoundItem, orderOf, type Table } from '../table.ts';
import {
  type IndexSchema,
  type KeySchema,
  keyItem,
  keyNames,
  keyOfRequest,
  keyTextOf,
} from '../table-schema.ts';
import { type KeyRange, keyRangeOf } from './key-condition.ts';
import { withCapacity } from './single-items.ts';

const pageBytes = 1024 * 1024;

/** What a page is made of: items in order, and what the request wants of them. */
interface PageRequest {
  readonly table: Table;
  readonly index: IndexSchema | undefined;
  readonly request: Request;
  readonly expressions: RequestExpressions;
  readonly filter: Condition | undefined;
  readonly found: Iterable<FoundItem>;
}

const query: Operation = (dynamodb, request) => {
  assertPage(request);
  if (request.KeyConditionExpression === undefined) {
    throw new ValidationError(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  }
  const expressions = new RequestExpressions(request);
  const condition = expressions.read('KeyConditionExpression', readCondition)
    ?.condition as Condition;
  const filter = expressions.read('FilterExpression', readCondition);
  expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const table = dynamodb.table(request.TableName);
  const index = indexOf(table, request);
  const schema = index ?? table.schema;
  if (filter) refuseKeyFilter(filter, keyNames(schema), expressions);
  const range = keyRangeOf(condition, schema, expressions.placeholders);
  const partition = keyTextOf(range.partition);
  const all = index
    ? table.inIndex(index, partition, dynamodb.now, dynamodb.chooseState ?? (() => 0))
    : table.inPartition(
        partition,
        dynamodb.now,
        request.ConsistentRead ? undefined : dynamodb.chooseState,
      );
  const { sort } = schema;
  const isIn = range.sort;
  const inRange =
    isIn && sort ? all.filter(({ item }) => isIn(item[sort.name] as AttributeValue)) : all;
  const ordered = request.ScanIndexForward === false ? inRange.reverse() : inRange;
  const found = ordered.slice(startOf(ordered, { table, index, request, range }));
  return pageOf(
    dynamodb,
    { table, index, request, expressions, filter: filter?.condition, found },
    partition,
  );
};

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

function refuseKeyFilter(
  { attributes }: ParsedCondition,
  names: readonly string[],
  { placeholders }: RequestExpressions,
): void {
  for (const attribute of attributes) {
    const name = resolvedName(attribute, placeholders);
    if (!names.includes(name)) continue;
    throw new ValidationError(
      `Filter Expression can only contain non-primary key attributes: Primary key attribute: ${name}`,
    );
  }
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
  assertWithin(start, schema, range);
  const compare = index
    ? orderOf(index.sort)
    : (one: string, other: string) => table.compareSort(one, other);
  const sort = schema.sort ? keyTextOf(start[schema.sort.name] ?? {}) : '';
  const sign = ScanIndexForward === false ? -1 : 1;
  const at = found.findIndex((one) => {
    const order = compare(one.sort, sort) || (index ? compareKeys(one.key, key, table) : 0);
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

/** @throws ValidationError for a key that the query's own pages could not have ended at */
function assertWithin(start: Item, schema: KeySchema, range: KeyRange): void {
  if (keyTextOf(start[schema.partition.name] ?? {}) !== keyTextOf(range.partition)) {
    throw new ValidationError(
      'The provided starting key is outside query boundaries based on provided conditions',
    );
  }
  if (!range.sort || !schema.sort || range.sort(start[schema.sort.name] ?? {})) return;
  throw new ValidationError('The provided starting key does not match the range key predicate');
}

function compareKeys(one: FoundItem['key'], other: FoundItem['key'], table: Table): number {
  return one.partition === other.partition
    ? table.compareSort(one.sort, other.sort)
    : one.partition < other.partition
      ? -1
      : 1;
}

/** Reads items until the limit, or until they come to a page's bytes. */
function pageOf(dynamodb: DynamodbModel, page: PageRequest, partition: string | undefined): Reply {
  const { table, index, request, filter, expressions } = page;
  const { Limit = Number.POSITIVE_INFINITY, Select, ProjectionExpression } = request;
  const paths =
    ProjectionExpression === undefined
      ? undefined
      : readProjection(ProjectionExpression, expressions.placeholders).paths;
  const Items: Item[] = [];
  let [bytes, scanned, count] = [0, 0, 0];
  let last: Item | undefined;
  const maxBytes = pageBytes * (dynamodb.options.pageShare ?? 1);
  for (const { item } of page.found) {
    scanned += 1;
    bytes += sizeOf(item);
    if (!filter || holds(filter, item, expressions.placeholders)) {
      count += 1;
      if (Select !== 'COUNT')
        Items.push(paths ? projected(item, paths, expressions.placeholders) : item);
    }
    if (scanned < Limit && bytes < maxBytes) continue;
    last = { ...keyItem(table.schema, item), ...(index && keyItem(index, item)) };
    break;
  }
  const consumed = new Consumed(table);
  if (index) consumed.readIndex(index.name, bytes);
  else consumed.read(bytes, request.ConsistentRead === true);
  if (partition !== undefined) {
    dynamodb.refuseThrottled(
      dynamodb.throughput?.takeRead(consumed, partition, index?.name ?? '', dynamodb.now),
    );
  }
  const reply = {
    ...(Select !== 'COUNT' && { Items }),
    Count: count,
    ScannedCount: scanned,
    ...(last && { LastEvaluatedKey: last }),
  };
  return withCapacity(request, reply, consumed);
}

const scan: Operation = (dynamodb, request) => {
  assertPage(request);
  const expressions = new RequestExpressions(request);
  const filter = expressions.read('FilterExpression', readCondition)?.condition;
  expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const table = dynamodb.table(request.TableName);
  if (request.IndexName !== undefined)
    throw new ValidationError('The model does not scan indexes.');
  const { Segment, TotalSegments, ExclusiveStartKey } = request;
  if ((Segment === undefined) !== (TotalSegments === undefined)) {
    const [missing, given] =
      Segment === undefined ? ['Segment', 'TotalSegments'] : ['TotalSegments', 'Segment'];
    throw new ValidationError(
      `The ${missing} parameter is required but was not present in the request when ${given} parameter is present`,
    );
  }
  if ((Segment ?? 0) >= (TotalSegments ?? 1)) {
    throw new ValidationError(
      `The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: ${Segment} is not less than TotalSegments: ${TotalSegments}`,
    );
  }
  const after = ExclusiveStartKey && keyOfRequest(table.schema, ExclusiveStartKey);
  const segment = { number: Segment ?? 0, total: TotalSegments ?? 1 };
  const found = table.scan(
    segment,
    after,
    dynamodb.now,
    request.ConsistentRead ? undefined : dynamodb.chooseState,
  );
  return pageOf(
    dynamodb,
    { table, index: undefined, request, expressions, filter, found },
    undefined,
  );
};

export const queries: Readonly<Record<string, Operation>> = { Query: query, Scan: scan };
