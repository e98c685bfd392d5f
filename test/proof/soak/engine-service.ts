import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../../infra/cli/table.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { type CallReply, call } from '../../support/call.ts';
import { deployedTimeout, type OwnService, startOwnService } from '../../support/own-service.ts';
import type { Plain } from '../../support/reference/plain.ts';
import { type TableEnvironment, tableOf } from '../../support/table.ts';
import {
  type AdministratorCommand,
  type CommandOptions,
  runCommand,
} from '../simulation/administration.ts';
import {
  type HeldKey,
  newAction,
  newRequest,
  type ObservedAction,
  type ObservedRequest,
  type Write,
} from '../simulation/checker/history.ts';
import type { ClientService } from '../simulation/clients/client.ts';
import type { CallerAnswer } from '../simulation/lambda/simulated-api.ts';
import {
  firstKeys,
  firstVariant,
  type KeyKind,
  organizationIds,
} from '../simulation/organizations.ts';
import type { OrganizationKeys } from '../simulation/prepared-table.ts';

type Request = Parameters<ClientService['request']>[2];

/** The longest that a client of real time pauses: what it waits for is over by then, or takes other attempts. */
const pauseMaxMs = 60;

/**
 * The built functions behind the local gateway, on a table of their own, with two organizations. All requests and administration are
 * observed as in a simulation; what was written is not, except for what lies in the table in the end.
 */
export class EngineService implements ClientService {
  readonly requests: ObservedRequest[] = [];
  readonly actions: ObservedAction[] = [];
  /** Answers that `openapi.json` does not describe. */
  readonly undescribed: string[] = [];
  readonly history = { writesOf: new Map<string, Write[]>() };
  readonly faulty: OwnService;
  /** Past the proxy. */
  readonly table: Table;
  readonly #faultyTable: Table;
  readonly #keys = new Map<number, OrganizationKeys>();

  private constructor(environment: TableEnvironment, faulty: OwnService) {
    this.faulty = faulty;
    this.table = tableOf(environment);
    this.#faultyTable = tableOf(faulty.environment);
  }

  /** @param engine the variables that reach the engine; the table is a new one */
  static async start(engine: TableEnvironment): Promise<EngineService> {
    const environment = { ...engine, LEADS_TABLE: `history-${randomUUID()}` };
    await createTable(environment as unknown as Parameters<typeof createTable>[0]);
    const service = new EngineService(
      environment,
      await startOwnService({ ...environment, ...deployedTimeout }),
    );
    for (const id of organizationIds) await service.#prepare(id);
    return service;
  }

  async #prepare(id: number): Promise<void> {
    const own = { table: this.table, organizationId: id };
    await runCommand(own, 'settings apply', firstVariant);
    const keys: Partial<Record<KeyKind, HeldKey>> = {};
    for (const kind of Object.keys(firstKeys) as KeyKind[]) {
      const order = { ...firstKeys[kind], label: kind };
      keys[kind] = await runCommand(own, 'key create', order);
    }
    this.#keys.set(id, keys as OrganizationKeys);
  }

  get now(): number {
    return Date.now();
  }

  sleep(ms: number): Promise<void> {
    return sleep(Math.min(ms, pauseMaxMs));
  }

  keys(organizationId: number): OrganizationKeys {
    const keys = this.#keys.get(organizationId);
    if (!keys) throw new Error(`There is no organization ${organizationId}.`);
    return keys;
  }

  async request(
    client: string,
    apiKey: HeldKey,
    request: Request,
  ): Promise<CallerAnswer | undefined> {
    const { endpoint, ...options } = request;
    const startedAt = this.now;
    const reply = await this.#reply(request, () =>
      call(endpoint, { ...options, apiKey: apiKey.key, baseUrl: this.faulty.baseUrl }),
    );
    const answer = reply && {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: JSON.stringify(reply.body) ?? '',
    };
    const id = answer?.headers['x-request-id'] ?? 'a request without an answer';
    this.requests.push({
      ...newRequest({ id, client, apiKey, request, startedAt }),
      endedAt: this.now,
      answer,
      answerBody: reply?.body,
    });
    return answer;
  }

  async #reply(
    { endpoint }: Request,
    send: () => Promise<CallReply>,
  ): Promise<CallReply | undefined> {
    try {
      return await send();
    } catch (error) {
      // A TypeError is fetch's word for a connection that broke.
      if (!(error instanceof TypeError))
        this.undescribed.push(`${endpoint}: ${(error as Error).message}`);
      return undefined;
    }
  }

  async administrate<Name extends AdministratorCommand>(
    what: Name,
    organizationId: number,
    options: CommandOptions<Name>,
  ): Promise<ObservedAction> {
    const action = newAction({
      id: `${what} ${this.actions.length}`,
      what,
      organizationId,
      options: options as Plain,
      startedAt: this.now,
    });
    this.actions.push(action);
    try {
      const own = { table: this.#faultyTable, organizationId, isElsewhere: true };
      action.result = await runCommand(own, what, options);
      action.outcome = 'done';
    } catch (error) {
      action.result = error instanceof Error ? `${error.name}: ${error.message}` : error;
      action.outcome = 'failed';
    }
    action.endedAt = this.now;
    return action;
  }

  /** No more faults; `history` gets what lies in the table. */
  async settle(): Promise<void> {
    this.faulty.proxy.rule = undefined;
    const { client, name } = this.table;
    const pages = paginateScan({ client }, { TableName: name, ConsistentRead: true });
    this.history.writesOf.clear();
    for await (const { Items = [] } of pages)
      for (const item of Items) this.history.writesOf.set(`${item.pk} ${item.sk}`, [asFound(item)]);
  }

  /** New functions, which wait for the engine as long as a request may take: without faults, only a machine that stalls delays it. */
  async waitForEngine(): Promise<void> {
    Object.assign(this.faulty.environment, { DYNAMODB_TIMEOUT_MS: '9000' });
    await this.faulty.killFunctions();
  }

  async stop(): Promise<void> {
    const { client, name } = this.table;
    await client.send(new DeleteTableCommand({ TableName: name }));
    client.destroy();
    this.#faultyTable.client.destroy();
    await this.faulty.stop();
  }
}

/** An item as if it had always been so. */
const asFound = (item: Plain): Write => ({
  order: 0,
  evaluatedOrder: 0,
  at: 0,
  pk: String(item.pk),
  sk: String(item.sk),
  before: undefined,
  after: item,
  call: undefined,
  work: undefined,
});
