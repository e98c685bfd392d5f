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

/** What an item is by its primary key (the entity chart in `primary-keys.ts`). */
export type ItemKind =
  | { readonly kind: 'settings' | 'usage' | 'directory' | 'turn'; readonly organizationId: number }
  | { readonly kind: 'listing'; readonly organizationId: number; readonly keyId: string }
  | { readonly kind: 'apiKey' }
  | { readonly kind: 'lead' | 'timeline' | 'erasure'; readonly organizationId: number; readonly leadId: number }
  /** `value` as it is compared: E.164, or the e-mail in lower case. */
  | { readonly kind: 'phone' | 'email'; readonly organizationId: number; readonly value: string }
  | { readonly kind: 'importedRow' | 'history'; readonly organizationId: number }
  | { readonly kind: 'idempotency'; readonly keyId: string };

/** An item as messages name it. */
export const named = ({ pk, sk }: PrimaryKey): string => `${pk} / ${sk}`;

/** The kind of an item; undefined for a key that nothing in the service makes: each is made again by its builder, and must be the same. */
export function kindOf(key: PrimaryKey): ItemKind | undefined {
  const type = (Object.keys(prefix) as (keyof typeof prefix)[]).find((name) => key.pk.startsWith(prefix[name]));
  if (!type) return undefined;
  const rest = key.pk.slice(prefix[type].length);
  const [first = '', ...others] = rest.split('#');
  const second = others.join('#');
  const organizationId = idFrom(first);
  const made = (builder: PrimaryKey, kind: ItemKind): ItemKind | undefined =>
    builder.pk === key.pk && builder.sk === key.sk ? kind : undefined;

  if (type === 'apiKey') return made(apiKeyPrimaryKey(rest), { kind: 'apiKey' });
  if (type === 'idempotency') {
    return key.sk === 'RECORD' && /^[0-9a-f]{64}$/.test(second) ? { kind: 'idempotency', keyId: first } : undefined;
  }
  if (key.pk === directoryPartitionKey) {
    const id = idFrom(key.sk.replace(/^0+/, ''));
    return made(directoryPrimaryKey(id), { kind: 'directory', organizationId: id });
  }
  if (type === 'settings') {
    if (!key.sk.startsWith(keyListingPrefix))
      return made(settingsPrimaryKey(organizationId), { kind: 'settings', organizationId });
    const keyId = key.sk.slice(keyListingPrefix.length);
    return made(keyListingPrimaryKey(organizationId, keyId), { kind: 'listing', organizationId, keyId });
  }
  if (type === 'usage') return made(usagePrimaryKey(organizationId), { kind: 'usage', organizationId });
  if (type === 'turn') return made(turnPrimaryKey(organizationId, key.sk), { kind: 'turn', organizationId });
  if (type === 'lead') {
    const leadId = idFrom(key.sk.replace(/^0+/, ''));
    return made(leadPrimaryKey(organizationId, leadId), { kind: 'lead', organizationId, leadId });
  }
  if (type === 'phone') return made(phonePrimaryKey(organizationId, second), { kind: 'phone', organizationId, value: second });
  if (type === 'email') return made(emailPrimaryKey(organizationId, second), { kind: 'email', organizationId, value: second });
  if (type === 'timeline') {
    const leadId = idFrom(second);
    const pk = timelinePartitionKey(organizationId, leadId);
    return made({ pk, sk: key.sk }, { kind: 'timeline', organizationId, leadId });
  }
  if (type === 'importedRow') return made(importedRowPrimaryKey(organizationId, second), { kind: 'importedRow', organizationId });
  if (type === 'history') {
    return made({ pk: historyPartitionKey(organizationId), sk: key.sk }, { kind: 'history', organizationId });
  }
  if (type === 'erasure') {
    const leadId = idFrom(key.sk.replace(/^0+/, ''));
    return made(erasurePrimaryKey(organizationId, leadId), { kind: 'erasure', organizationId, leadId });
  }
  return undefined;
}

/** An id; NaN for any other text, which no builder makes a key of that could be in the table. */
function idFrom(text: string): number {
  const id = Number(text);
  return /^[1-9]\d{0,9}$/.test(text) && id <= limits.idMax ? id : Number.NaN;
}
