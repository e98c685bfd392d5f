import type { Item } from '../attribute-values.ts';
import { compareText } from '../attribute-values.ts';
import { Consumed, capacityOf } from '../capacity.ts';
import { NotModelledError, ValidationError } from '../errors.ts';
import {
  type Condition,
  holds,
  type ParsedCondition,
  readCondition,
} from '../expressions/condition.ts';
import { type Projection, projected, readProjection } from '../expressions/projection.ts';
import { type Placeholders, resolvedName } from '../expressions/scope.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import { RequestExpressions } from '../placeholders.ts';
import type { Reply, Request } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import { compareKeys, type FoundItem, type Table } from '../table.ts';
import { type IndexSchema, keyItem, keyNames, keyOfRequest, keyTextOf } from '../table-schema.ts';
import { type KeyRange, keyRangeOf } from './key-condition.ts';

const pageBytes = 1024 * 1024;

/** What a page is made of: items in order, and what the request wants of them. */
interface PageRequest {
  readonly table: Table;
  readonly index: IndexSchema | undefined;
  readonly request: Request;
  readonly placeholders: Placeholders;
  readonly filter: Condition | undefined;
  readonly projection: Projection | undefined;
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
  const projection = expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const table = dynamodb.table(request.TableName);
  const index = indexOf(table, request);
  const schema = index ?? table.schema;
  const { placeholders } = expressions;
  if (filter) refuseKeyFilter(filter, keyNames(schema), placeholders);
  const range = keyRangeOf(condition, schema, placeholders);
  const all = index
    ? table.inIndex(index, range.partition, dynamodb.now, dynamodb.chooseState ?? (() => 0))
    : table.inPartition(
        range.partition,
        dynamodb.now,
        request.ConsistentRead ? undefined : dynamodb.chooseState,
      );
  const inRange = all.filter(({ item }) => range.includes(item));
  const ordered = request.ScanIndexForward === false ? inRange.reverse() : inRange;
  const found = ordered.slice(startOf(ordered, { table, index, request, range }));
  return pageOf(
    dynamodb,
    { table, index, request, placeholders, filter: filter?.condition, projection, found },
    range.partition,
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
  placeholders: Placeholders,
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
function pageOf(dynamodb: DynamodbModel, page: PageRequest, partition: string | undefined): Reply {
  const { table, index, request, filter, projection, placeholders } = page;
  const { Limit = Number.POSITIVE_INFINITY, Select } = request;
  const Items: Item[] = [];
  let [bytes, scanned, count] = [0, 0, 0];
  let last: Item | undefined;
  const maxBytes = pageBytes * (dynamodb.options.pageShare ?? 1);
  for (const { item } of page.found) {
    scanned += 1;
    bytes += sizeOf(item);
    if (!filter || holds(filter, item, placeholders)) {
      count += 1;
      if (Select !== 'COUNT')
        Items.push(projection ? projected(item, projection.attributes) : item);
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
  return {
    ...(Select !== 'COUNT' && { Items }),
    Count: count,
    ScannedCount: scanned,
    ...(last && { LastEvaluatedKey: last }),
    ...capacityOf(request, consumed),
  };
}

const scan: Operation = (dynamodb, request) => {
  assertPage(request);
  const expressions = new RequestExpressions(request);
  const filter = expressions.read('FilterExpression', readCondition)?.condition;
  const projection = expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const table = dynamodb.table(request.TableName);
  const { IndexName, Segment, TotalSegments, ExclusiveStartKey } = request;
  if (IndexName !== undefined) throw new NotModelledError('scans of an index');
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
    {
      ...{ table, index: undefined, request, placeholders: expressions.placeholders },
      ...{ filter, projection, found },
    },
    undefined,
  );
};

export const queries: Readonly<Record<string, Operation>> = { Query: query, Scan: scan };
