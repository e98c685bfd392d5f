import { randomInt } from 'node:crypto';
import type { Scope } from '../../shared/endpoints.ts';
import { apiKeyScopes } from '../../shared/organization/api-key.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';
import type { Settings } from '../../shared/organization/settings-types.ts';
import { createApiKey } from '../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../shared/store/organizations/apply-settings.ts';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { sampleSettings } from './organization.ts';
import { service } from './service.ts';

let opened: Table | undefined;

/** The table of the running service, for what only an administrator or a check reads. */
export function table(): Table {
  Object.assign(process.env, service().environment);
  opened ??= openTable();
  return opened;
}

export interface GivenOrganization {
  readonly id: number;
  readonly settings: Settings;
  /** API keys by what they may do: `leads.read`, `leads.write` (and read), and a website form's `leads.capture`. */
  readonly reader: string;
  readonly writer: string;
  readonly website: string;
  /** Mints a further key. */
  readonly key: (options?: {
    scopes?: readonly Scope[];
    expiresAt?: Date;
    label?: string;
    createdBy?: number;
  }) => Promise<{ key: string; keyId: string }>;
}

/** An organization of the test's own, like `sampleSettings` unless told otherwise, with a key of each kind. */
export async function givenOrganization(
  different: Partial<typeof sampleSettings> | Record<string, unknown> = {},
  on: Table = table(),
): Promise<GivenOrganization> {
  const id = randomInt(1, 2_147_483_647);
  const { settings } = parseSettingsFile(JSON.stringify({ ...sampleSettings, ...different, id, keys: undefined }));
  await applySettings(on, settings);
  const createdBy = settings.users[0]?.id ?? 0;
  const mint = (type: 'application' | 'website-form', scopes: readonly Scope[], more: object = {}) =>
    createApiKey(on, {
      organizationId: id,
      type,
      scopes: [...scopes],
      label: scopes.join(' '),
      createdBy,
      now: new Date(),
      ...more,
    });
  const [reader, writer, website] = await Promise.all([
    mint('application', ['leads.read']),
    mint('application', ['leads.read', 'leads.write']),
    mint('website-form', ['leads.capture']),
  ]);
  return {
    id,
    settings,
    reader: reader.key,
    writer: writer.key,
    website: website.key,
    key: ({ scopes = apiKeyScopes, expiresAt, ...more } = {}) =>
      mint('application', scopes, { ...more, expiresAt: expiresAt?.toISOString() }),
  };
}

const phonesMax = 100_000_000;
const firstPhone = randomInt(0, phonesMax);
let people = 0;

/** Fields of a person whom nobody else in the test run is. */
export function person(): { name: string; phone: string; email: string } {
  people += 1;
  const digits = String((firstPhone + people) % phonesMax).padStart(8, '0');
  return { name: `Person ${people}`, phone: `+9198${digits}`, email: `person${people}.${digits}@example.com` };
}
