import { isDeepStrictEqual } from 'node:util';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { type Lead, ownerIdOf } from '../../../shared/leads/lead.ts';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import { leadFrom } from '../../../shared/store/leads/leads.ts';
import { readTimeline } from '../../../shared/store/leads/timeline.ts';
import { readSettings } from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { leadsPartitionKey } from '../../../shared/store/table/primary-keys.ts';
import type { FaultyService } from '../../support/faults/faulty-service.ts';
import { type FaultRule, faultSchedule, seededRandom } from '../../support/faults/rules.ts';
import { administratorCommands } from './administrator.ts';
import { judge, type StoredLead } from './judge.ts';
import type { Notebook } from './notebook.ts';
import { readerCommands, walk } from './reader.ts';
import { drawTurns, pick, type Turns, type WeightedCommands } from './turn.ts';
import { newWorld, stageIds, userIds, type World } from './world.ts';
import { writerCommands } from './writer.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Reaches the table past the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  readonly faulty: FaultyService;
  /** Clients that act at once, and how often each does at the most. */
  readonly clients: number;
  readonly turns: number;
}

export interface HistoryResult {
  readonly world: World;
  readonly notebook: Notebook;
  readonly leads: number;
  /** Faults that were injected, by kind or error, deaths apart. */
  readonly faults: ReadonlyMap<string, number>;
  /** Deaths of the functions, by the DynamoDB call in the middle of which they died. */
  readonly deaths: ReadonlyMap<string, number>;
  readonly dynamodbCalls: number;
  readonly violations: readonly string[];
}

/** Shares of DynamoDB calls that fail; a history has one of them. */
const faultShares = [0.02, 0.05, 0.1, 0.2];
const deathShare = 0.002;
/** How long indexes do not see what was written; a history has one of them. */
const indexLagsMs = [0, 100, 1500];
const peopleCount = 5;
const weighted: WeightedCommands = [...writerCommands, ...readerCommands, ...administratorCommands];

/**
 * Lets several clients act on one new organization at once, under faults, and judges what they were told and what lies in the table.
 * What is asked and how calls fail follow from the seed; the order in which the clients' calls meet is the machine's.
 */
export async function runHistory({
  seed,
  environment,
  faulty,
  clients,
  turns,
}: HistoryOptions): Promise<HistoryResult> {
  const { proxy } = faulty;
  const from = proxy.calls.length;
  const deaths = new Map<string, number>();
  const world = await newWorld(environment, faulty, peopleCount);
  proxy.rule = withDeaths(seed, faulty, deaths);
  proxy.indexLagMs = pick(seededRandom(seed + 2), indexLagsMs);
  const act = (drawn: Turns, number: number) =>
    fc.asyncModelRun(() => ({ model: world.notebook, real: { world, number, turns: 0 } }), drawn);
  await Promise.all(drawTurns(weighted, seed, clients, turns).map(act));
  proxy.rule = undefined;
  const lagging =
    proxy.indexLagMs > 0
      ? proxy.calls.slice(from).filter(({ index }) => index !== undefined).length
      : 0;
  proxy.indexLagMs = 0;
  for (const settle of world.notebook.unsettled) await settle();

  const calls = proxy.calls.slice(from);
  const faults = countBy(calls.flatMap(({ fault }) => fault ?? []));
  const died = [...deaths.values()].reduce((sum, count) => sum + count, 0);
  if (died > 0) faults.set('cut', (faults.get('cut') ?? 0) - died);
  if (lagging > 0) faults.set('index lag', lagging);
  const { leads, violations } = await verdictOn(world);
  world.faultyTable.client.destroy();
  return {
    world,
    notebook: world.notebook,
    leads,
    faults,
    deaths,
    dynamodbCalls: calls.length,
    violations,
  };
}

/** Judges a history by its notebook and by what lies in the table now. */
export async function verdictOn(
  world: World,
): Promise<{ leads: number; violations: readonly string[] }> {
  const { table, organizationId, notebook, wave, settingsVersion } = world;
  const [stored, check, settings] = [
    await storedLeads(table, organizationId),
    await checkTable(table, { organizationId }),
    await readSettings(table, organizationId),
  ];
  const lists = await listFaults(world, stored);
  const violations = [
    ...notebook.violations,
    ...check.violations,
    ...judge(notebook, stored),
    ...lists,
  ];
  if (settings?.version !== settingsVersion || settings.settings.name !== `Epoch ${wave.epoch}`) {
    violations.push(
      `The settings are not those of epoch ${wave.epoch}, version ${settingsVersion}.`,
    );
  }
  return { leads: stored.length, violations };
}

/** Each list, asked of the functions that served the history, is the table's own leads: what an index did not show yet, it shows now. */
async function listFaults(world: World, stored: readonly StoredLead[]): Promise<string[]> {
  const leads = stored.map(({ lead }) => lead).filter(({ archivedAt }) => archivedAt === undefined);
  const lists: [Readonly<Record<string, string | number>>, (lead: Lead) => boolean][] = [
    [{ updated_since: world.begunAt }, () => true],
    ...stageIds.map((id): (typeof lists)[number] => [
      { stage_id: id },
      ({ stageId }) => stageId === id,
    ]),
    ...userIds.map((id): (typeof lists)[number] => [
      { owner_id: id },
      (lead) => ownerIdOf(lead) === id,
    ]),
  ];
  const faults: string[] = [];
  for (const [query, matches] of lists) {
    const shown = await walk(world, query);
    const expected = leads.filter(matches).map(({ id }) => id);
    if (
      shown &&
      isDeepStrictEqual(
        shown,
        expected.sort((one, other) => other - one),
      )
    )
      continue;
    faults.push(
      `list-leads by ${JSON.stringify(query)} shows ${shown?.join(', ')}; in the table are ${expected.join(', ')}.`,
    );
  }
  return faults;
}

/** The schedule of the seed; now and then all functions die at a call, just before it or just after it was applied. */
function withDeaths(seed: number, faulty: FaultyService, deaths: Map<string, number>): FaultRule {
  const random = seededRandom(seed + 1);
  const schedule = faultSchedule(seed, faultShares[Math.floor(random() * faultShares.length)] ?? 0);
  return (call) => {
    if (random() >= deathShare) return schedule(call);
    const applied = random() < 0.5;
    deaths.set(call.site, (deaths.get(call.site) ?? 0) + 1);
    return { kind: 'cut', applied, before: () => faulty.killFunctions() };
  };
}

async function storedLeads(table: Table, organizationId: number): Promise<StoredLead[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads',
      ExpressionAttributeValues: { ':leads': leadsPartitionKey(organizationId) },
      ConsistentRead: true,
    },
  );
  const stored: StoredLead[] = [];
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const lead = leadFrom(organizationId, item);
      stored.push({ lead, timeline: await readTimeline(table, organizationId, lead.id) });
    }
  }
  return stored;
}

const countBy = (names: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
