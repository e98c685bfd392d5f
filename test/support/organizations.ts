import { randomInt } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { beforeAll } from 'vitest';
import type { Scope } from '../../shared/contract/endpoints.ts';
import { apiKeyScopes } from '../../shared/contract/endpoints.ts';
import { limits } from '../../shared/contract/limits.ts';
import type { Settings } from '../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';
import { type CreatedApiKey, createApiKey } from '../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { type CallOptions, type CallReply, call } from './call.ts';
import { sampleSettings } from './settings.ts';
import { table } from './table.ts';

interface KeyOptions {
  readonly type?: 'application' | 'website-form';
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date;
  readonly label?: string;
  readonly createdBy?: number;
}

export interface OrganizationWithoutKeys {
  readonly id: number;
  readonly settings: Settings;
  /** Creates an API key: of an application, with every scope, unless told otherwise. */
  readonly key: (options?: KeyOptions) => Promise<CreatedApiKey>;
}

/** API keys by what they may do: `leads.read`, `leads.write` (and read), and a website form's `leads.capture`. */
type Keys = Readonly<Record<'reader' | 'writer' | 'website', string>>;

/** Requests, each with the key that may send it. */
interface Requests {
  readonly create: (body: unknown) => Promise<CallReply>;
  readonly capture: (body: unknown, idempotencyKey?: string) => Promise<CallReply>;
  readonly get: (leadId: number | string) => Promise<CallReply>;
  readonly update: (leadId: number | string, body: unknown) => Promise<CallReply>;
  readonly note: (leadId: number | string, body: unknown) => Promise<CallReply>;
  readonly list: (query?: NonNullable<CallOptions['query']>) => Promise<CallReply>;
  /** The lead as `get` replies it. */
  readonly read: (leadId: number) => Promise<CallReply['body']>;
}

export interface GivenOrganization extends OrganizationWithoutKeys, Keys, Requests {}

/** Properties of a settings file that replace those of `sampleSettings`; an id and keys are left out. */
export type SettingsChanges = Partial<typeof sampleSettings> | Readonly<Record<string, unknown>>;

/** The organization of `npm run verify -- --write`: tests that are tagged `written` share it. */
const temporary: { readonly id: number; readonly name: string } | undefined = JSON.parse(
  process.env.TEMPORARY_ORGANIZATION ?? 'null',
);
const temporaryKeyMs = 3_600_000;

/** Settings that are not applied yet. @param id of the organization; by default one that no other test uses */
export function newSettings(
  changes: SettingsChanges = {},
  id: number = randomInt(1, limits.idMax),
): Settings {
  return parseSettingsFile(JSON.stringify({ ...sampleSettings, ...changes, id, keys: undefined }))
    .settings;
}

/** An organization of the test's own, with `sampleSettings` unless told otherwise, and with an API key of each kind. */
export async function givenOrganization(
  changes: SettingsChanges = {},
  on: Table = table(),
): Promise<GivenOrganization> {
  const organization = await givenOrganizationWithoutKeys(changes, on);
  const { key } = organization;
  const [reader, writer, website] = await Promise.all([
    key({ scopes: ['leads.read'] }),
    key({ scopes: ['leads.read', 'leads.write'] }),
    key({ type: 'website-form', scopes: ['leads.capture'] }),
  ]);
  const keys = { reader: reader.key, writer: writer.key, website: website.key };
  return { ...organization, ...keys, ...requestsWith(keys) };
}

function requestsWith({ reader, writer, website }: Keys): Requests {
  const get: Requests['get'] = (leadId) => call('get-lead', { apiKey: reader, leadId });
  return {
    create: (body) => call('create-lead', { apiKey: writer, body }),
    capture: (body, idempotencyKey) =>
      call('capture-lead', {
        apiKey: website,
        body,
        headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
      }),
    get,
    update: (leadId, body) => call('update-lead', { apiKey: writer, leadId, body }),
    note: (leadId, body) => call('add-note', { apiKey: writer, leadId, body }),
    list: (query = {}) => call('list-leads', { apiKey: reader, query }),
    read: async (leadId) => (await get(leadId)).body.lead,
  };
}

/** The same for the tests of a file or of a `describe`, which share it. */
export function useOrganization(changes?: SettingsChanges): GivenOrganization {
  const organization = {} as GivenOrganization;
  beforeAll(async () => void Object.assign(organization, await givenOrganization(changes)));
  return organization;
}

/** The same without API keys, for tests that name each item of the organization or choose its id. */
export async function givenOrganizationWithoutKeys(
  changes: SettingsChanges = {},
  on: Table = table(),
  id?: number,
): Promise<OrganizationWithoutKeys> {
  if (temporary && (id ?? Object.keys(changes)[0]) !== undefined)
    throw new Error('A test that needs its own organization cannot be tagged `written`.');
  const settings = temporary
    ? newSettings({ name: temporary.name }, temporary.id)
    : newSettings(changes, id);
  const { id: organizationId } = settings;
  recordOrganization(organizationId);
  await applySettings(on, settings);
  const key = ({
    type = 'application',
    scopes = apiKeyScopes,
    label = scopes.join(' '),
    ...more
  }: KeyOptions = {}) => {
    const { createdBy = settings.users[0]?.id ?? 0 } = more;
    const { expiresAt = temporary && new Date(Date.now() + temporaryKeyMs) } = more;
    const order = { organizationId, type, scopes: [...scopes], label, createdBy, now: new Date() };
    return createApiKey(on, { ...order, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) });
  };
  return { id: organizationId, settings, key };
}

/** For `npm run verify -- --contract`, which removes what the tests create in a deployed table. */
function recordOrganization(id: number): void {
  const { CREATED_ORGANIZATIONS_FILE: file } = process.env;
  if (file) appendFileSync(file, `${id}\n`);
}
