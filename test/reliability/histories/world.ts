import type { EndpointName, Scope } from '../../../shared/endpoints.ts';
import type { Settings } from '../../../shared/organization/settings-types.ts';
import { createApiKey } from '../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { type CallOptions, type CallReply, call } from '../../support/call.ts';
import {
  givenOrganizationWithoutKeys,
  newSettings,
  type SettingsChanges,
} from '../../support/organizations.ts';
import { customField, sampleSettings } from '../../support/settings.ts';
import { type TableEnvironment, tableOf } from '../../support/table.ts';
import { Notebook } from './notebook.ts';

/** An API key as its holders know it. `revoking`: from the first word of it to the acknowledgement. */
export interface HeldKey {
  readonly key: string;
  readonly keyId: string;
  state: 'live' | 'revoking' | 'revoked';
}

/** The field `wave`, which the administrator activates and deactivates. */
export interface Wave {
  isActive: boolean;
  isChanging: boolean;
  /** How often it changed: equal before and after a request means that it did not meanwhile. */
  epoch: number;
}

/** One organization and all that the clients of a history share. */
export interface World {
  readonly organizationId: number;
  readonly baseUrl: string;
  /** Before any lead: what the sync jobs of the history ask for changes since (ISO 8601). */
  readonly begunAt: string;
  /** Past the proxy, and through it. */
  readonly table: Table;
  readonly faultyTable: Table;
  readonly notebook: Notebook;
  readonly keys: { website: HeldKey; writer: HeldKey; retired: HeldKey[] };
  readonly wave: Wave;
  settingsVersion: number;
  /** The contested people: several clients speak of the same. */
  readonly people: readonly {
    readonly name: string;
    readonly phone: string;
    readonly email: string;
  }[];
}

/** The settings with the field `wave` active or not; the name makes each application a change. */
export function settingsOf(id: number, isActive: boolean, epoch: number): Settings {
  return newSettings(waveChanges(isActive, epoch), id);
}

const waveChanges = (isActive: boolean, epoch: number): SettingsChanges => ({
  name: `Epoch ${epoch}`,
  fields: [...sampleSettings.fields, customField('wave', 'text', { active: isActive })],
});

/** Of `sampleSettings`. */
export const stageIds = [11, 12, 21] as const;
export const userIds = [7, 8, 9] as const;

export const keyKinds = {
  website: { type: 'website-form', scopes: ['leads.capture'] },
  writer: { type: 'application', scopes: ['leads.read', 'leads.write'] },
} as const satisfies Record<string, { type: string; scopes: readonly Scope[] }>;
export type KeyKind = keyof typeof keyKinds;

export async function mintKey(
  table: Table,
  organizationId: number,
  kind: KeyKind,
): Promise<HeldKey> {
  const { type, scopes } = keyKinds[kind];
  const order = { organizationId, type, scopes, label: kind, createdBy: 7, now: new Date() };
  const { key, keyId } = await createApiKey(table, order);
  return { key, keyId, state: 'live' };
}

/**
 * A new organization.
 * @param environment reaches the table; `faulty` reaches it through the proxy
 */
export async function newWorld(
  environment: TableEnvironment,
  faulty: { readonly baseUrl: string; readonly environment: TableEnvironment },
  peopleCount: number,
): Promise<World> {
  const [table, faultyTable] = [tableOf(environment), tableOf(faulty.environment)];
  const { id: organizationId } = await givenOrganizationWithoutKeys(waveChanges(true, 0), table);
  const [website, writer] = [
    await mintKey(table, organizationId, 'website'),
    await mintKey(table, organizationId, 'writer'),
  ];
  const people = Array.from({ length: peopleCount }, (_, index) => ({
    name: `Person ${index}`,
    phone: `+9198765432${String(index).padStart(2, '0')}`,
    email: `person${index}@example.com`,
  }));
  return {
    organizationId,
    baseUrl: faulty.baseUrl,
    begunAt: new Date().toISOString(),
    table,
    faultyTable,
    notebook: new Notebook(),
    keys: { website, writer, retired: [] },
    wave: { isActive: true, isChanging: false, epoch: 0 },
    settingsVersion: 1,
    people,
  };
}

/** Statuses that any request may meet: no answer, a failure on the service's side, and 401, which is looked at here. */
const always: readonly (number | undefined)[] = [undefined, 500, 401];

/**
 * Sends one request and notes the answer. A key acknowledged as revoked is refused, a live one is not; whatever else the answer
 * must not be is noted as a violation.
 * @param expected the statuses that a right service may give here
 * @returns undefined where no answer came
 */
export async function ask(
  { baseUrl, notebook }: World,
  endpoint: EndpointName,
  apiKey: HeldKey,
  options: Omit<CallOptions, 'apiKey' | 'baseUrl'>,
  expected: readonly number[],
): Promise<CallReply | undefined> {
  const wasRevoked = apiKey.state === 'revoked';
  let answer: CallReply | undefined;
  try {
    answer = await call(endpoint, { ...options, apiKey: apiKey.key, baseUrl });
  } catch (error) {
    // A TypeError is fetch's word for a connection that broke; all else is an answer that openapi.json does not describe.
    if (!(error instanceof TypeError))
      notebook.violations.push(`${endpoint}: ${(error as Error).message}`);
  }
  const status = answer?.status;
  notebook.answered(endpoint, status);
  const said = `${endpoint} answered ${status} ${answer?.body?.error?.code ?? ''}`.trim();
  if (![...always, ...expected].includes(status))
    notebook.violations.push(`${said}, which nothing here explains.`);
  if (wasRevoked && status !== undefined && status !== 401 && status !== 500) {
    notebook.violations.push(`${said} to a key that had been revoked.`);
  }
  if (status === 401 && apiKey.state === 'live') notebook.violations.push(`${said} to a live key.`);
  return answer;
}
