import type { EndpointName } from '../../../../shared/contract/endpoints.ts';
import type { Request } from '../../../dynamodb-model/dynamodb-model.ts';
import type { AdministratorCommand, CommandOptions, KeyOrder } from '../administration.ts';
import { markOf } from '../checker/check-answers.ts';
import { checkHistory } from '../checker/check-history.ts';
import type { HeldKey, ObservedAction } from '../checker/history.ts';
import { type Choices, SeededChoices } from '../choices.ts';
import { type ListPage, type ListQuery, newKey, pagesOf } from '../clients/client.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { Program } from '../lambda/modules.ts';
import type { CallInfo, Fault } from '../network.ts';
import { ObservedService, type ObservedServiceOptions } from '../observed-service.ts';
import {
  firstKeys,
  firstVariant,
  type KeyKind,
  type SettingsVariant,
  settingsFile,
} from '../organizations.ts';

/** A short history in which something particular comes together. */
export interface Scenario
  extends Pick<ObservedServiceOptions, 'functions' | 'latencyMaxMs' | 'limits'> {
  /** A sentence. */
  readonly name: string;
  /** Seeds under which it is run, one history each. @default 1 */
  readonly seeds?: number;
  readonly simulation?: Partial<ObservedServiceOptions['simulation']>;
  /** Lists that are walked in the end. @default all leads, and all that ever changed */
  readonly walks?: (organizationId: number) => readonly ListQuery[];
  /** What the checker takes for a violation and this scenario means to happen. */
  readonly means?: RegExp;
  readonly run: (given: Given) => Promise<void>;
}

export interface Answered {
  /** 0 where no answer came. */
  readonly status: number;
  readonly isReplay: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  /** Of the answer's lead; 0 without one. */
  readonly leadId: number;
  /** Of a list's answer. */
  readonly ids: readonly number[];
}

export interface Asking extends Omit<CallerRequest, 'apiKey' | 'endpoint'> {
  /** @default 1 */
  readonly in?: number;
  readonly as?: KeyKind | HeldKey;
}

/** What a scenario works with. */
export class Given {
  readonly issues: string[] = [];
  readonly service: ObservedService;
  readonly steering: Steering;

  constructor(service: ObservedService, steering: Steering) {
    this.service = service;
    this.steering = steering;
  }

  /** A scenario's own expectation; what is expected is a sentence. */
  expect(isSo: boolean, what: string): void {
    if (!isSo) this.issues.push(`Expected: ${what}`);
  }

  /** @param what the value is */
  same(what: string, actual: unknown, expected: unknown): void {
    const [is, shall] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.expect(is === shall, `${what}: ${shall}, not ${is}.`);
  }

  /** Expects that nothing stored has one of the texts, whatever their case. */
  expectGone(...texts: readonly string[]): void {
    const stored = this.stored().toLowerCase();
    for (const text of texts)
      this.expect(!stored.includes(text.toLowerCase()), `nothing tells of ${text}.`);
  }

  /** Expects that requests are taken. */
  async taken(...asked: readonly Promise<Answered>[]): Promise<void> {
    for (const { status } of await Promise.all(asked))
      this.expect(status === 200 || status === 201, `a request is taken, not answered ${status}.`);
  }

  /** Expects that a command is done. @returns its result */
  async done(action: Promise<ObservedAction>): Promise<unknown> {
    const { what, outcome, result } = await action;
    this.expect(outcome === 'done', `${what} is done, not ${outcome}: ${String(result)}.`);
    return result;
  }

  sleep(ms: number): Promise<void> {
    return this.service.sleep(ms);
  }

  async ask(
    endpoint: EndpointName,
    { in: organizationId = 1, as = 'writer', ...request }: Asking = {},
  ): Promise<Answered> {
    const key = typeof as === 'string' ? this.service.key(organizationId, as) : as;
    const answer = await this.service.request('a client', key, { endpoint, ...request });
    const body = JSON.parse(answer?.body ?? '{}');
    return {
      status: answer?.status ?? 0,
      isReplay: answer?.headers['idempotent-replayed'] === 'true',
      body,
      leadId: body.lead?.id ?? 0,
      ids: (endpoint === 'list-leads' ? (body.items ?? []) : []).map(
        ({ id }: { id: number }) => id,
      ),
    };
  }

  /** @param key the header Idempotency-Key */
  capture(body: object, key?: string, asking: Omit<Asking, 'body'> = {}): Promise<Answered> {
    const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
    return this.ask('capture-lead', { as: 'website', ...headers, ...asking, body });
  }

  create(fields: object, more: object = {}, asking: Omit<Asking, 'body'> = {}): Promise<Answered> {
    return this.ask('create-lead', { ...asking, body: { fields, ...more } });
  }

  update(leadId: number, body: object): Promise<Answered> {
    return this.ask('update-lead', { leadId, body });
  }

  note(leadId: number, text = 'Called back.'): Promise<Answered> {
    return this.ask('add-note', { leadId, body: { text } });
  }

  get(leadId: number): Promise<Answered> {
    return this.ask('get-lead', { leadId });
  }

  /** The ids of one page. */
  async list(query: ListQuery, organizationId = 1): Promise<readonly number[]> {
    return (await this.ask('list-leads', { query, in: organizationId })).ids;
  }

  /** The ids of all pages, one after the other. @param between runs after the first one */
  async walk(query: ListQuery, between: () => Promise<void>): Promise<readonly number[]> {
    const { service } = this;
    const pages: ListPage[] = [];
    const ask = (one: ListQuery) =>
      service.request('a client', service.key(1, 'writer'), { endpoint: 'list-leads', query: one });
    for await (const page of pagesOf(query, ask)) if (pages.push(page) === 1) await between();
    return pages.flatMap(({ items }) => items.map(({ id }) => id));
  }

  administrate<Name extends AdministratorCommand>(
    name: Name,
    options: CommandOptions<Name>,
    organizationId = 1,
  ): Promise<ObservedAction> {
    return this.service.administrate(name, organizationId, options);
  }

  erase(leadId: number): Promise<ObservedAction> {
    return this.administrate('erase', { leadId });
  }

  /** @param file settings that no variant has */
  applyFile(file: object): Promise<ObservedAction> {
    return this.administrate('settings apply', { file });
  }

  /** Applies a variant of the first settings. */
  apply(variant: Partial<SettingsVariant>, organizationId = 1): Promise<ObservedAction> {
    return this.administrate('settings apply', { ...firstVariant, ...variant }, organizationId);
  }

  async newKey(order: Partial<KeyOrder> = firstKeys.reader): Promise<HeldKey> {
    const key = await newKey(this.service, 1, { type: 'application', ...order });
    if (!key) throw new Error('A key was not made.');
    return key;
  }

  /** The settings of organization 1 as they are now, as text. */
  settings(): string {
    const writes = this.service.history.writesOf.get('ORG#1 SETTINGS');
    return JSON.stringify(writes?.at(-1)?.after?.settings);
  }

  /** Everything stored, a line for each item. */
  stored(): string {
    return [...this.service.simulation.dynamodb.table('leads').all()]
      .map(({ current }) => JSON.stringify(current))
      .join('\n');
  }
}

/** What goes wrong, as a scenario goes on. */
export class Steering {
  faultOf: ((call: CallInfo) => Fault) | undefined;
  /** By how many milliseconds an answer is late. */
  latenessOf: ((call: CallInfo) => number) | undefined;
  /** Which of several states of an item, named by its key, a read shows, 0 the newest; undefined leaves it to the seed. */
  stateOf: ((request: Request, states: number, item: string) => number | undefined) | undefined;
  /** Whether every batch leaves as many keys unread as it can. */
  leavesKeys = false;
  request: Request = {};

  /** The next calls of an operation meet these faults, in order. */
  next(operation: string, ...faults: readonly Fault[]): void {
    const left = [...faults];
    this.faultOf = (call) => (call.operation === operation ? (left.shift() ?? 'none') : 'none');
  }
}

/** A name, a phone and an email that no other person has. */
export const person = (number: number, organizationId = 1) => ({
  name: `Asha Rao ${number} ${markOf(organizationId)}`,
  phone: `+9198${String(number).padStart(8, '0')}`,
  email: `asha${number}@example.com`,
});

/** The settings file that organization 1 begins with. */
export const firstFile = () => settingsFile(1, firstVariant);

const ordinaryWalks = (): readonly ListQuery[] => [{}, { updated_since: '2020-01-01T00:00:00Z' }];

/** Runs a scenario once. @returns a sentence for each violation */
export async function runScenario(
  { name: _, seeds: _seeds, run, simulation, means, walks = ordinaryWalks, ...options }: Scenario,
  seed: string,
  code: Program,
): Promise<Outcome> {
  const steering = new Steering();
  const service = await ObservedService.start({
    ...options,
    versions: [code],
    simulation: {
      ...simulation,
      seed,
      choices: steered(seed, steering),
      faultOf: (call) => steering.faultOf?.(call) ?? 'none',
      latenessOf: (call) => steering.latenessOf?.(call) ?? 0,
    },
  });
  watchRequests(service, steering);
  const given = new Given(service, steering);
  let violations: readonly string[];
  try {
    await service.run(() => run(given));
    const { issues } = given;
    violations = issues.length > 0 ? issues : await checkHistory(service, { walks, means });
  } catch (error) {
    violations = [`The history broke off: ${String(error)}`];
  }
  return { faults: service.recorder.faults, violations };
}

export interface Outcome {
  readonly faults: number;
  readonly violations: readonly string[];
}

function steered(seed: string, steering: Steering): Choices {
  const seeded = new SeededChoices(seed);
  return {
    choose(options, what, otherChance) {
      if (steering.leavesKeys && what === 'keys left unprocessed') return options - 1;
      const state = what.startsWith('state of')
        ? steering.stateOf?.(steering.request, options, what)
        : undefined;
      return state === undefined
        ? seeded.choose(options, what, otherChance)
        : Math.min(options - 1, state);
    },
  };
}

/** Notes which request is being executed, since a choice does not say. */
function watchRequests({ simulation: { dynamodb } }: ObservedService, steering: Steering): void {
  const execute = dynamodb.execute.bind(dynamodb);
  dynamodb.execute = function* (name, request) {
    steering.request = request;
    return yield* execute(name, request);
  };
}
