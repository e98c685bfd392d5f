import type { Random } from '../../../support/generated/random.ts';
import type { AdministratorCommand, CommandOptions, KeyOrder } from '../administration.ts';
import { markOf } from '../checker/check-answers.ts';
import type { HeldKey, History, ObservedAction } from '../checker/history.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { CallerAnswer } from '../lambda/simulated-api.ts';
import { firstVariant, idIn, type KeyKind, type SettingsVariant } from '../organizations.ts';
import type { OrganizationKeys } from '../prepared-table.ts';

export interface Person {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}

/** What clients need of a service, simulated or real: its answers, its administration, and time. */
export interface ClientService {
  /** Epoch milliseconds. */
  readonly now: number;
  sleep(ms: number): Promise<void>;
  keys(organizationId: number): OrganizationKeys;
  /** Sends a request once. @returns undefined where no answer came */
  request(
    client: string,
    apiKey: HeldKey,
    request: Omit<CallerRequest, 'apiKey'>,
  ): Promise<CallerAnswer | undefined>;
  /** Runs an administrator's command. Never rejects: see the action. */
  administrate<Name extends AdministratorCommand>(
    what: Name,
    organizationId: number,
    options: CommandOptions<Name>,
  ): Promise<ObservedAction>;
  /** What has been written; of a real service only what is there when all is over. */
  readonly history: Pick<History, 'writesOf'>;
}

export type ListQuery = Readonly<Record<string, string | number>>;

export interface ListPage {
  readonly items: readonly { readonly id: number; readonly updatedAt: string }[];
  readonly nextCursor: number | null;
}

/** More than any list of a history has. */
const pagesMax = 200;

/** The pages of a list, up to one that is not answered with 200. @throws Error when there is no end of them */
export async function* pagesOf(
  query: ListQuery,
  ask: (query: ListQuery) => Promise<CallerAnswer | undefined>,
): AsyncGenerator<ListPage, void> {
  let next = query;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await ask(next);
    if (answer?.status !== 200) return;
    const found = JSON.parse(answer.body) as ListPage;
    yield found;
    if (found.nextCursor === null) return;
    next = { ...query, cursor: found.nextCursor };
  }
  throw new Error(`The list ${JSON.stringify(query)} goes on after ${pagesMax} pages.`);
}

/** Creates an API key as an administrator. @returns undefined if the command was not acknowledged */
export async function newKey(
  service: Pick<ClientService, 'administrate'>,
  organizationId: number,
  order: KeyOrder,
): Promise<HeldKey | undefined> {
  const { outcome, result } = await service.administrate('key create', organizationId, order);
  return outcome === 'done' ? (result as HeldKey) : undefined;
}

/** What the clients of one organization know of it. */
export interface SharedKnowledge {
  readonly organizationId: number;
  /** Few, so that several clients speak of the same. The other organization's have the same phones and emails. */
  readonly people: readonly Person[];
  /** Leads that an answer named. */
  readonly leadIds: Set<number>;
  readonly keys: Record<KeyKind, HeldKey>;
  readonly retiredKeys: HeldKey[];
  variant: SettingsVariant;
}

/** People of several scripts and countries. */
const everyone: readonly Person[] = [
  { name: 'Asha', phone: '+919812345670', email: 'asha@example.com' },
  { name: 'Zoë', phone: '+442079460958', email: 'zoë@example.com' },
  { name: 'Ravi', phone: '+919812345671', email: 'ravi@example.com' },
  { name: '李雷 😀', phone: '+8613812345678', email: 'lilei@例子.example' },
  { name: 'John', phone: '+919812345673', email: 'john@example.com' },
  { name: 'محمد', phone: '+966501234567', email: 'm@example.com' },
  { name: "Ana O'Neil", phone: '+12025550123', email: "ana.o'neil@example.com" },
];

/** @param people how many of them there are, at most seven */
export function sharedKnowledge(
  service: ClientService,
  organizationId: number,
  people = everyone.length,
): SharedKnowledge {
  const known = everyone
    .slice(0, people)
    .map((person) => ({ ...person, name: `${person.name} ${markOf(organizationId)}` }));
  const keys = { ...service.keys(organizationId) };
  return {
    organizationId,
    people: known,
    leadIds: new Set(),
    keys,
    retiredKeys: [],
    variant: firstVariant,
  };
}

/** What a client is made of. */
export interface ClientOptions {
  readonly service: ClientService;
  readonly shared: SharedKnowledge;
  readonly name: string;
  readonly random: Random;
  /** Requests that it sends at the most, repeats included. */
  readonly requests: number;
  /** Whether it hardly pauses. */
  readonly isHasty: boolean;
}

/** The longest time that a client waits before it retries. If it is told to wait longer, it gives up, or comes back much later. */
const patienceMs = 5000;
const pausesMs = [0, 1, 20, 300, 3000] as const;
const hastyPausesMs = [0, 1, 5] as const;

/** Sends requests as the guide for integrators tells a client to. */
export abstract class Client {
  protected readonly options: ClientOptions;
  protected readonly random: Random;
  protected readonly shared: SharedKnowledge;
  #left: number;

  constructor(options: ClientOptions) {
    this.options = options;
    this.random = options.random;
    this.shared = options.shared;
    this.#left = options.requests;
  }

  /** Sends requests, one after the other, until it has sent all. */
  abstract run(): Promise<void>;

  /** When all is well again: what is left to do, and what the client can say was not as promised. */
  async finish(): Promise<readonly string[]> {
    return [];
  }

  /** Does something again and again, with pauses. */
  protected async repeat(act: () => Promise<unknown>): Promise<void> {
    while (!this.isDone) {
      await act();
      await this.pause();
    }
  }

  protected get isDone(): boolean {
    return this.#left <= 0;
  }

  /** The id that an item of the settings has in this organization. */
  protected own(id: number): number {
    return idIn(this.shared.organizationId, id);
  }

  /** A pause between two things that a client does. */
  protected pause(): Promise<void> {
    const { random, service, isHasty } = this.options;
    return service.sleep(random.fraction() * random.pick(isHasty ? hastyPausesMs : pausesMs));
  }

  /** Mostly the key that is in use, seldom one that was retired. */
  protected key(kind: KeyKind): HeldKey {
    const { retiredKeys, keys } = this.shared;
    const isRetired = retiredKeys.length > 0 && this.random.chance(0.15);
    return isRetired ? this.random.pick(retiredKeys) : keys[kind];
  }

  /** Sends a request once. */
  protected async once(
    apiKey: HeldKey,
    request: Omit<CallerRequest, 'apiKey'>,
  ): Promise<CallerAnswer | undefined> {
    this.#left -= 1;
    const answer = await this.options.service.request(this.options.name, apiKey, request);
    const named =
      answer && answer.status < 300 ? /"lead":\{"id":(\d+)/.exec(answer.body)?.[1] : undefined;
    if (named) this.shared.leadIds.add(Number(named));
    return answer;
  }

  /** Sends it again on no answer, 409, 429, 500 and 503, as long as the client may send. @returns the last answer */
  protected async untilAnswered(
    apiKey: HeldKey,
    request: Omit<CallerRequest, 'apiKey'>,
  ): Promise<CallerAnswer | undefined> {
    const { random, service } = this.options;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.once(apiKey, request);
      const isOpen =
        !answer ||
        answer.status === 429 ||
        answer.status >= 500 ||
        answer.body.includes('"IDEMPOTENCY_IN_PROGRESS"');
      if (!isOpen || this.isDone) return answer;
      const toldMs = 1000 * Number(answer?.headers['retry-after'] ?? 0);
      if (toldMs > patienceMs && !random.chance(0.2)) return answer;
      await service.sleep(
        Math.max(toldMs, random.fraction() * Math.min(patienceMs, 100 * 2 ** attempt)),
      );
    }
  }

  /** A lead of the organization, or (seldom) one that is not there. */
  protected leadId(): number {
    const known = [...this.shared.leadIds];
    const isKnown = known.length > 0 && !this.random.chance(0.05);
    return isKnown ? this.random.pick(known) : this.random.between(1, 40);
  }
}

/** As a person may type or copy it: with separators, in digits of another script, between direction marks, and nationally in India. */
export function spelled(random: Random, phone: string): string {
  const national = phone.slice(3);
  const inIndia = phone.startsWith('+91')
    ? [national, `0${national.slice(0, 5)} ${national.slice(5)}`]
    : [];
  return random.pick([
    phone,
    phone,
    `${phone.slice(0, 3)} ${national}`,
    `00${phone.slice(1, 3)}-${national}`,
    inDigits(phone, '０').replace('+', '＋'),
    inDigits(phone, '०'),
    `\u202a${phone}\u202c`,
    ...inIndia,
  ]);
}

const inDigits = (text: string, zero: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(zero.charCodeAt(0) + Number(digit)));

/** As a person may type or copy it: in capitals, with characters that nobody sees, with wide letters, with letters and marks apart. */
export function copied(random: Random, email: string): string {
  return random.pick([
    email.toUpperCase(),
    `\u200b${email}`,
    email.replace('@', '\u00ad@'),
    email.replaceAll('e', 'ｅ'),
    email.normalize('NFD'),
    ...Array(8).fill(email),
  ]);
}

/** Values of fields that leads may or may not have. */
export function randomFields(random: Random, name: string): Record<string, string | number> {
  return {
    ...(random.chance(0.4) && { city: `${random.pick(['Pune', 'São Paulo'])} ${name}` }),
    ...(random.chance(0.2) && { wave: name }),
    ...(random.chance(0.2) && { budget: random.between(1, 9) * 100 }),
    ...(random.chance(0.25) && { course: random.pick(['mba', 'design']) }),
  };
}
