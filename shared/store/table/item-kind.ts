import { keysOf } from '../../base/maps.ts';
import { limits } from '../../contract/limits.ts';
import { directoryPartitionKey, keyListingPrefix, type PrimaryKey } from './primary-keys.ts';
import { partitionKeyPrefixes as prefix } from './table-definition.ts';

/** What an item is, by its primary key (design, section 2). */
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

/** What stands in a key: an id, an id of ten digits that sorts as numbers do, or any text. */
const id = (name: string): string => `(?<${name}>[1-9]\\d{0,9})`;
const sortableId = (name: string): string => `(?<${name}>\\d{10})`;
const text = (name: string): string => `(?<${name}>.*)`;
const organization = id('organizationId');
const anyText = '.*';

/** The partition key and the sort key of each kind, as `primary-keys.ts` makes them. */
const forms: Readonly<Record<ItemKind['kind'], readonly [pk: string, sk: string]>> = {
  settings: [`${prefix.settings}${organization}`, 'SETTINGS'],
  directory: [directoryPartitionKey, sortableId('organizationId')],
  listing: [`${prefix.settings}${organization}`, `${keyListingPrefix}${text('keyId')}`],
  usage: [`${prefix.usage}${organization}`, 'USAGE'],
  apiKey: [`${prefix.apiKey}${anyText}`, 'KEY'],
  turn: [`${prefix.turn}${organization}`, anyText],
  lead: [`${prefix.lead}${organization}`, sortableId('leadId')],
  phone: [`${prefix.phone}${organization}#${text('value')}`, 'UNIQUE'],
  email: [`${prefix.email}${organization}#${text('value')}`, 'UNIQUE'],
  timeline: [`${prefix.timeline}${organization}#${id('leadId')}`, anyText],
  idempotency: [`${prefix.idempotency}(?<keyId>[^#]*)#[0-9a-f]{64}`, 'RECORD'],
  importedRow: [`${prefix.importedRow}${organization}#${anyText}`, 'ROW'],
  erasure: [`${prefix.erasure}${organization}`, sortableId('leadId')],
  history: [`${prefix.history}${organization}`, anyText],
};

const whole = (form: string): RegExp => new RegExp(`^${form}$`, 's');
const patterns = keysOf(forms).map((kind) => {
  const [pk, sk] = forms[kind];
  return { kind, pk: whole(pk), sk: whole(sk) };
});

const isId = (value: number): boolean => value >= 1 && value <= limits.idMax;

/** The kind of an item; undefined for a key that the service never makes. */
export function kindOf(key: PrimaryKey): ItemKind | undefined {
  for (const { kind, pk, sk } of patterns) {
    const ofPk = pk.exec(key.pk);
    const ofSk = ofPk && sk.exec(key.sk);
    if (!ofSk) continue;
    const { organizationId, leadId, ...texts } = { ...ofPk.groups, ...ofSk.groups };
    const ids = {
      ...(organizationId !== undefined && { organizationId: Number(organizationId) }),
      ...(leadId !== undefined && { leadId: Number(leadId) }),
    };
    return Object.values(ids).every(isId) ? ({ kind, ...texts, ...ids } as ItemKind) : undefined;
  }
  return undefined;
}
