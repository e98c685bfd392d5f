import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import {
  type Item,
  internalServerError,
  keyTextOf,
  type Reply,
  type Request,
  type SimulatedDynamodb,
} from '../../../dynamodb-model/dynamodb-model.ts';
import { createLeadTable } from '../../../support/model-table.ts';
import type { AdministratorCommand, CommandOptions } from '../administration.ts';
import { type ListQuery, pagesOf } from '../clients/client.ts';
import { type Program, readService } from '../lambda/modules.ts';
import { ObservedService } from '../observed-service.ts';
import { firstKeys, firstVariant } from '../organizations.ts';
import { itemsIn, type PreparedTable } from '../prepared-table.ts';
import { fill, itemsOf, lose } from '../restore/restored-table.ts';
import { imported, known, newcomer, prepareCommands } from './command-pairs.ts';
import { leadId, organizationId } from './pair-operations.ts';
import type { Summary } from './report.ts';

/** What reads before it decides. */
interface ReadingOperation {
  readonly name: string;
  /** What a command has begun, its repeat completes. A request writes nothing that it does not tell. */
  readonly isCommand?: true;
  readonly prepare?: (service: ObservedService) => void;
  readonly run: (service: ObservedService) => Promise<Outcome>;
}

interface Outcome {
  /** False for a failure, after which a caller asks again. */
  readonly isKnown: boolean;
  readonly answer: unknown;
}

const ask = (service: ObservedService, endpoint: EndpointName, more: object) =>
  service.request('a client', service.key(organizationId, 'writer'), { endpoint, ...more });

const request = (name: string, endpoint: EndpointName, more: object): ReadingOperation => ({
  name,
  async run(service) {
    const answer = await ask(service, endpoint, more);
    return { isKnown: answer !== undefined && answer.status < 500, answer };
  },
});

const walk = (name: string, query: ListQuery): ReadingOperation => ({
  name: `list ${name}`,
  async run(service) {
    const ids: number[] = [];
    let isKnown = true;
    const page = async (one: ListQuery) => {
      const answer = await ask(service, 'list-leads', { query: one });
      isKnown &&= answer?.status === 200;
      return answer;
    };
    for await (const { items } of pagesOf(query, page)) ids.push(...items.map(({ id }) => id));
    return { isKnown, answer: ids };
  },
});

const command = <Name extends AdministratorCommand>(
  what: Name,
  options: CommandOptions<Name>,
): ReadingOperation => ({
  name: what,
  isCommand: true,
  async run(service) {
    const { outcome, result } = await service.administrate(what, organizationId, options);
    return { isKnown: outcome === 'done', answer: result };
  },
});

const headers = { 'Idempotency-Key': 'known' };
const fields = { city: 'Pune' };
const operations: readonly ReadingOperation[] = [
  request('capture of somebody new', 'capture-lead', { body: newcomer, headers }),
  request('capture of somebody known', 'capture-lead', { body: { ...known, fields }, headers }),
  request('create', 'create-lead', { body: { fields: newcomer } }),
  request('create of somebody known', 'create-lead', { body: { fields: known } }),
  request('update', 'update-lead', { leadId, body: { fields: { phone: imported.phone } } }),
  request('note', 'add-note', { leadId, body: { text: 'Called back.' } }),
  request('get', 'get-lead', { leadId }),
  walk('of all', {}),
  walk('of a stage', { stage_id: 11 }),
  walk('of changes', { updated_since: '2020-01-01T00:00:00Z' }),
  command('import', { rows: [newcomer, imported, { ...known, note: 'Called.' }] }),
  command('import update', { rows: [{ ...known, ...fields }, newcomer] }),
  command('import undo', { rows: [imported] }),
  command('erase', { leadId }),
  command('reassign', { ownerId: 7, newOwnerId: 51 }),
  command('edit', { leadId, row: { phone: imported.phone } }),
  command('key create', firstKeys.reader),
  command('settings apply', { ...firstVariant, epoch: 1 }),
  { ...command('restore finish', { oldName: 'old', keptKeyIds: [] }), prepare: tearTable },
];

/** Makes the table a backup that lacks the timelines, and of which the one before is still there. */
function tearTable({ simulation: { dynamodb, scheduler } }: ObservedService): void {
  createLeadTable(dynamodb, { name: 'old' });
  const table = dynamodb.table('leads');
  fill(dynamodb.table('old'), itemsOf(table), scheduler.now);
  lose(table, (partition) => partition.startsWith('TIMELINE#'), scheduler.now);
}

/** What DynamoDB does not tell, however often it is asked: an item of a batch, or the answer to a read. */
interface Unread {
  readonly name: string;
  readonly operation: string;
}

/**
 * Runs each operation, and makes each of its reads fail in turn for longer than it retries: a key of a batch stays unprocessed, or a
 * response never arrives. It must then have the same result as without the fault, or fail. A failed request writes nothing, and a repeated
 * command completes the work.
 */
export async function exploreUnread(
  report: (line: string) => void,
  { code }: { readonly code?: Program } = {},
): Promise<Summary> {
  const program = code ?? (await readService());
  const prepared = await prepareCommands(program);
  const totals = { histories: 0, faults: 0, violations: 0 };
  for (const operation of operations) {
    const whole = await runOnce(program, prepared, operation);
    for (const unread of whole.reads.values()) {
      const { outcome, table, again } = await runOnce(program, prepared, operation, unread);
      totals.histories += 1;
      totals.faults += 1;
      const isSame = outcome.isKnown
        ? table === whole.table && told(outcome) === told(whole.outcome)
        : operation.isCommand
          ? again === whole.table
          : table === whole.before;
      if (isSame) continue;
      totals.violations += 1;
      report(
        `${operation.name}, without ${unread.operation} ${unread.name}: ${told(outcome)} instead of ${told(whole.outcome)}`,
      );
    }
  }
  return totals;
}

async function runOnce(
  program: Program,
  prepared: PreparedTable,
  { run, prepare }: ReadingOperation,
  unread?: Unread,
) {
  const service = await ObservedService.start(
    { versions: [program], simulation: { seed: 'unread' } },
    prepared,
  );
  prepare?.(service);
  const before = contentOf(service);
  const reads = new Map<string, Unread>();
  const { dynamodb } = service.simulation;
  const heal = withhold(dynamodb, unread, (read) => void reads.set(read.name, read));
  const outcome = await service.run(() => run(service));
  heal();
  await service.settle();
  const table = contentOf(service);
  if (!outcome.isKnown) await service.run(() => run(service));
  const again = contentOf(service);
  return { before, reads, outcome, table, again };
}

/** @param onRead told of each read @returns ends it */
function withhold(
  dynamodb: SimulatedDynamodb,
  unread: Unread | undefined,
  onRead: (read: Unread) => void,
): () => void {
  const execute = dynamodb.execute.bind(dynamodb);
  dynamodb.execute = function* (operation, request) {
    const keys = operation === 'BatchGetItem' ? batchKeysOf(request) : [];
    const others = /^(GetItem|Query|Scan)$/.test(operation) ? [JSON.stringify(request)] : [];
    for (const name of [...keys.map(nameOf), ...others]) onRead({ name, operation });
    if (others.some((name) => name === unread?.name)) throw internalServerError();
    const reply = yield* execute(operation, request);
    return keys.some((key) => nameOf(key) === unread?.name)
      ? withoutKey(reply, request, unread?.name ?? '')
      : reply;
  };
  return () => {
    dynamodb.execute = execute;
  };
}

const nameOf = ({ pk = {}, sk = {} }: Item): string => `${keyTextOf(pk)} ${keyTextOf(sk)}`;

const batchKeysOf = ({ RequestItems = {} }: Request): readonly Item[] =>
  Object.values(RequestItems).flatMap((items) => ('Keys' in items ? items.Keys : []));

/** The reply to a batch that left a key unprocessed. */
function withoutKey(reply: Reply, { RequestItems = {} }: Request, name: string): Reply {
  const [[table = '', wanted] = []] = Object.entries(RequestItems);
  const { Responses = {}, UnprocessedKeys = {} } = reply as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  const items = (Responses[table] ?? []) as readonly Item[];
  const before = (UnprocessedKeys[table] ?? { ...wanted, Keys: [] }) as { Keys: readonly Item[] };
  const left = batchKeysOf({ RequestItems }).filter((key) => nameOf(key) === name);
  return {
    ...reply,
    Responses: { [table]: items.filter((item) => nameOf(item) !== name) },
    UnprocessedKeys: { [table]: { ...before, Keys: [...before.Keys, ...left] } },
  } as Reply;
}

/** Without what a retry, a later time or a repeat changes: tokens, times, and IDs made at random. */
const told = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
    .replaceAll(/\b[0-9a-f]{8,}(-[0-9a-f]+)*\b/g, 'an id')
    .replaceAll(/\b1[78]\d{8,11}\b/g, 'a moment');

function contentOf({ simulation }: ObservedService): string {
  const items = itemsIn(simulation)
    .filter(({ key }) => !/^(KEY|USAGE|HISTORY|TURN|ORG)#/.test(key.partition))
    .map(({ item }) => told(item));
  return items.sort().join('\n');
}
