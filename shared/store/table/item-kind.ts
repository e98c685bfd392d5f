import type { ItemType } from '../../endpoints.ts';
import { keysOf } from '../../keys-of.ts';
import { limits } from '../../limits.ts';
import {
  apiKeyPrimaryKey,
  directoryPartitionKey,
  directoryPrimaryKey,
  emailPrimaryKey,
  erasurePrimaryKey,
  historyPartitionKey,
  importedRowPrimaryKey,
  keyListingPrefix,
  keyListingPrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  turnPrimaryKey,
  usagePrimaryKey,
} from './primary-keys.ts';
import { partitionKeyPrefixes as prefix } from './table-definition.ts';

/** What an item is, by its primary key (the entity chart in `primary-keys.ts`). */
export type ItemKind =
  | { readonly kind: 'settings' | 'usage' | 'directory' | 'turn'; readonly organizationId: number }
  | { readonly kind: 'listing'; readonly organizationId: number; readonly keyId: string }
  | { readonly kind: 'apiKey' }
  | {
      readonly kind: 'lead' | 'timeline' | 'erasure';
      readonly organizationId: number;
      readonly leadId: number;
    }
  /** `value` as it is compared: E.164, or the email in lower case. */
  | { readonly kind: 'phone' | 'email'; readonly organizationId: number; readonly value: string }
  | { readonly kind: 'importedRow' | 'history'; readonly organizationId: number }
  | { readonly kind: 'idempotency'; readonly keyId: string };

/** The kind of an item; undefined for a key that the service never makes. */
export function kindOf(key: PrimaryKey): ItemKind | undefined {
  const type = itemTypes.find((name) => key.pk.startsWith(prefix[name]));
  if (!type) return undefined;
  const rest = key.pk.slice(prefix[type].length);
  const [first = '', ...others] = rest.split('#');
  return readers[type]?.({
    key,
    rest,
    organizationId: idFrom(first),
    first,
    second: others.join('#'),
  });
}

const itemTypes = keysOf(prefix);

interface KeyParts {
  readonly key: PrimaryKey;
  /** The partition key behind its prefix. */
  readonly rest: string;
  /** `rest` up to the first `#`, as text and as an id. */
  readonly first: string;
  readonly organizationId: number;
  /** `rest` behind the first `#`. */
  readonly second: string;
}
type KindReader = (parts: KeyParts) => ItemKind | undefined;

/** The kind, if its builder makes this very key from what was read. */
const ifBuilt = (key: PrimaryKey, built: PrimaryKey, kind: ItemKind): ItemKind | undefined =>
  built.pk === key.pk && built.sk === key.sk ? kind : undefined;

/** Entries of indexes are not items. */
const readers: Readonly<Partial<Record<ItemType, KindReader>>> = {
  settings: (parts) =>
    parts.key.pk === directoryPartitionKey ? directoryKind(parts) : settingsKind(parts),
  usage: ({ key, organizationId }) =>
    ifBuilt(key, usagePrimaryKey(organizationId), { kind: 'usage', organizationId }),
  apiKey: ({ key, rest }) => ifBuilt(key, apiKeyPrimaryKey(rest), { kind: 'apiKey' }),
  turn: ({ key, organizationId }) =>
    ifBuilt(key, turnPrimaryKey(organizationId, key.sk), { kind: 'turn', organizationId }),
  lead({ key, organizationId }) {
    const leadId = sortedIdFrom(key.sk);
    return ifBuilt(key, leadPrimaryKey(organizationId, leadId), {
      kind: 'lead',
      organizationId,
      leadId,
    });
  },
  phone: ({ key, organizationId, second: value }) =>
    ifBuilt(key, phonePrimaryKey(organizationId, value), { kind: 'phone', organizationId, value }),
  email: ({ key, organizationId, second: value }) =>
    ifBuilt(key, emailPrimaryKey(organizationId, value), { kind: 'email', organizationId, value }),
  timeline({ key, organizationId, second }) {
    const leadId = idFrom(second);
    const built = { pk: timelinePartitionKey(organizationId, leadId), sk: key.sk };
    return ifBuilt(key, built, { kind: 'timeline', organizationId, leadId });
  },
  idempotency: ({ key, first, second }) =>
    key.sk === 'RECORD' && /^[0-9a-f]{64}$/.test(second)
      ? { kind: 'idempotency', keyId: first }
      : undefined,
  importedRow: ({ key, organizationId, second }) =>
    ifBuilt(key, importedRowPrimaryKey(organizationId, second), {
      kind: 'importedRow',
      organizationId,
    }),
  erasure({ key, organizationId }) {
    const leadId = sortedIdFrom(key.sk);
    return ifBuilt(key, erasurePrimaryKey(organizationId, leadId), {
      kind: 'erasure',
      organizationId,
      leadId,
    });
  },
  history: ({ key, organizationId }) =>
    ifBuilt(
      key,
      { pk: historyPartitionKey(organizationId), sk: key.sk },
      { kind: 'history', organizationId },
    ),
};

function directoryKind({ key }: KeyParts): ItemKind | undefined {
  const organizationId = sortedIdFrom(key.sk);
  return ifBuilt(key, directoryPrimaryKey(organizationId), { kind: 'directory', organizationId });
}

function settingsKind({ key, organizationId }: KeyParts): ItemKind | undefined {
  if (!key.sk.startsWith(keyListingPrefix)) {
    return ifBuilt(key, settingsPrimaryKey(organizationId), { kind: 'settings', organizationId });
  }
  const keyId = key.sk.slice(keyListingPrefix.length);
  return ifBuilt(key, keyListingPrimaryKey(organizationId, keyId), {
    kind: 'listing',
    organizationId,
    keyId,
  });
}

/** An id; NaN for any other text: no stored key is built from it. */
function idFrom(text: string): number {
  const id = Number(text);
  return /^[1-9]\d{0,9}$/.test(text) && id <= limits.idMax ? id : Number.NaN;
}

const sortedIdFrom = (sortKey: string): number => idFrom(sortKey.replace(/^0+/, ''));
