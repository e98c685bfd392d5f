import type { EndpointName } from '../../../shared/endpoints.ts';
import type { Request } from '../../dynamodb-model/dynamodb-model.ts';
import type { AdministratorProcess, ImportPace, LeadRow } from '../administration.ts';
import { markOf } from '../checker/check-answers.ts';
import { checkHistory } from '../checker/check-history.ts';
import type { AdministratorCommand, HeldKey, ObservedAction } from '../checker/history.ts';
import { type Choices, SeededChoices } from '../choices.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { ServicePrograms } from '../lambda/given-service.ts';
import type { CallInfo, Fault } from '../network.ts';
import { ObservedService, type ObservedServiceOptions } from '../observed-service.ts';
import type { KeyKind } from '../organizations.ts';
import { furtherViolations } from './further-checks.ts';

/** A short history in which something particular comes together. */
export interface Scenario {
  /** A sentence. */
  readonly name: string;
  /** Seeds under which it is run, one history each. @default 1 */
  readonly seeds?: number;
  readonly simulation?: Partial<ObservedServiceOptions['simulation']>;
  /** The longest that a call travels. */
  readonly latencyMaxMs?: number;
  readonly functions?: ObservedServiceOptions['functions'];
  readonly limits?: ObservedServiceOptions['limits'];
  /** Lists that are walked in the end. @default all leads, and all that ever changed */
  readonly walks?: (organizationId: number) => readonly Readonly<Record<string, string | number>>[];
  /** What the checker takes for a violation and this scenario means to happen. */
  readonly means?: RegExp;
  readonly run: (given: Given) => Promise<void>;
}

export interface Answered {
  /** 0 where no answer came. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Of the answer's lead; 0 without one. */
  readonly leadId: number;
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
  readonly bundles: ServicePrograms;

  constructor(service: ObservedService, steering: Steering, bundles: ServicePrograms) {
    this.service = service;
    this.steering = steering;
    this.bundles = bundles;
  }

  /** A scenario's own expectation; what is expected is a sentence. */
  expect(isSo: boolean, what: string): void {
    if (!isSo) this.issues.push(`Expected: ${what}`);
  }

  sleep(ms: number): Promise<void> {
    return this.service.simulation.scheduler.sleep(ms);
  }

  async ask(
    endpoint: EndpointName,
    { in: organizationId = 1, as = 'writer', ...request }: Asking = {},
  ): Promise<Answered> {
    const key = typeof as === 'string' ? this.service.key(organizationId, as) : as;
    const answer = await this.service.request('a client', key, { endpoint, ...request });
    const body = JSON.parse(answer?.body ?? '{}') as { lead?: { id?: number } };
    return {
      status: answer?.status ?? 0,
      headers: answer?.headers ?? {},
      body,
      leadId: body.lead?.id ?? 0,
    };
  }

  /** @param key the header Idempotency-Key */
  capture(body: object, key?: string, asking: Omit<Asking, 'body'> = {}): Promise<Answered> {
    const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
    return this.ask('capture-lead', { as: 'website', ...headers, ...asking, body });
  }

  update(leadId: number, body: object, asking: Omit<Asking, 'body'> = {}): Promise<Answered> {
    return this.ask('update-lead', { ...asking, leadId, body });
  }

  note(leadId: number, text = 'Called back.'): Promise<Answered> {
    return this.ask('add-note', { leadId, body: { text } });
  }

  /** The ids of one page. */
  async list(
    query: Readonly<Record<string, string | number>>,
    organizationId = 1,
  ): Promise<readonly number[]> {
    const { body } = await this.ask('list-leads', { query, in: organizationId });
    return ((body.items ?? []) as readonly { id: number }[]).map(({ id }) => id);
  }

  administrate(
    what: AdministratorCommand,
    command: (administrator: AdministratorProcess) => Promise<unknown>,
    { in: organizationId = 1, ...options }: { readonly in?: number; readonly leadId?: number } = {},
  ): Promise<ObservedAction> {
    return this.service.administrate(what, organizationId, options, command);
  }

  importRows(rows: readonly LeadRow[], pace: ImportPace = {}): Promise<ObservedAction> {
    return this.service.administrate('import', 1, { rows }, (administrator) =>
      administrator.importRows(1, rows, pace),
    );
  }

  erase(leadId: number, organizationId = 1): Promise<ObservedAction> {
    return this.administrate(
      'erase',
      (administrator) => administrator.erase(organizationId, leadId),
      {
        in: organizationId,
        leadId,
      },
    );
  }

  /** Everything stored, as one text. */
  stored(): string {
    return [...this.service.simulation.dynamodb.table('leads').all()]
      .map(({ current }) => JSON.stringify(current))
      .join('\n');
  }
}

/** What goes wrong, as a scenario goes on. */
export class Steering {
  faultOf: ((call: CallInfo) => Fault) | undefined;
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

/** As `person`, for the endpoint that creates a lead. */
export const personFields = (number: number, organizationId = 1) => ({
  fields: person(number, organizationId),
});

const ordinaryWalks = (): readonly Readonly<Record<string, string | number>>[] => [
  {},
  { updated_since: '2020-01-01T00:00:00Z' },
];

/** Runs a scenario once. @returns a sentence for each violation */
export async function runScenario(
  scenario: Scenario,
  seed: string,
  bundles: ServicePrograms,
): Promise<Outcome> {
  const steering = new Steering();
  const { simulation, functions, limits, latencyMaxMs, means, walks = ordinaryWalks } = scenario;
  const service = await ObservedService.start({
    versions: [bundles],
    simulation: {
      ...simulation,
      seed,
      choices: steered(seed, steering),
      faultOf: (call) => steering.faultOf?.(call) ?? 'none',
    },
    ...(functions && { functions }),
    ...(limits && { limits }),
    ...(latencyMaxMs !== undefined && { latencyMaxMs }),
  });
  watchRequests(service, steering);
  const given = new Given(service, steering, bundles);
  try {
    await service.run(() => scenario.run(given));
    const found = await checkHistory(service, { walks, hasCheck: true });
    const violations = [...given.issues, ...found, ...furtherViolations(service.history)];
    return {
      faults: service.recorder.faults,
      violations: violations.filter((violation) => !means?.test(violation)),
    };
  } catch (error) {
    return {
      faults: service.recorder.faults,
      violations: [`The history broke off: ${String(error)}`],
    };
  }
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
