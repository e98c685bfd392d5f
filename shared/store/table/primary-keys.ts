import { hash } from 'node:crypto';
import type {
  ApiKeyItem,
  DirectoryItem,
  ErasureItem,
  IdempotencyItem,
  IdentityItem,
  ImportedRowItem,
  Item,
  KeptSettingsItem,
  KeyListingItem,
  LeadItem,
  RotationItem,
  SettingsItem,
  UsageItem,
} from './items.ts';
import { partitionKeyPrefixes as prefix } from './table-definition.ts';

/** Where an item is stored, and its type in `items.ts` (design, section 2). Only this file spells a key. */
export interface PrimaryKey<T extends Item = Item> {
  readonly pk: string;
  readonly sk: string;
  /** Only for the compiler: the type of the item under this key. */
  readonly [itemType]?: T;
}
declare const itemType: unique symbol;

/** Of an item, only its key. */
export const keyOf = ({ pk, sk }: PrimaryKey): PrimaryKey => ({ pk, sk });

/** A key as messages name it. */
export const keyText = ({ pk, sk }: PrimaryKey): string => `${pk} / ${sk}`;

export class ItemsByKey {
  readonly #items = new Map<string, Item>();

  add(item: Item): void {
    this.#items.set(keyText({ pk: String(item.pk), sk: String(item.sk) }), item);
  }

  get<T extends Item>(key: PrimaryKey<T>): T | undefined {
    return this.#items.get(keyText(key)) as T | undefined;
  }
}

const primaryKey = <T extends Item>(pk: string, sk: string): PrimaryKey<T> => ({ pk, sk });

export const settingsPrimaryKey = (organizationId: number): PrimaryKey<SettingsItem> =>
  primaryKey(`${prefix.settings}${organizationId}`, 'SETTINGS');

/** Every id (0 < id <= 2147483647) fits into ten digits; padded ids sort as numbers do. */
const sortableId = (id: number): string => String(id).padStart(10, '0');

/** Every organization has an item in this partition, so that a list of organizations does not read the whole table. */
export const directoryPartitionKey = `${prefix.settings}DIRECTORY`;
export const directoryPrimaryKey = (organizationId: number): PrimaryKey<DirectoryItem> =>
  primaryKey(directoryPartitionKey, sortableId(organizationId));

export const keyListingPrefix = 'KEY#';
export const keyListingPrimaryKey = (
  organizationId: number,
  keyId: string,
): PrimaryKey<KeyListingItem> =>
  primaryKey(`${prefix.settings}${organizationId}`, `${keyListingPrefix}${keyId}`);

export const usagePrimaryKey = (organizationId: number): PrimaryKey<UsageItem> =>
  primaryKey(`${prefix.usage}${organizationId}`, 'USAGE');

export const apiKeyPrimaryKey = (apiKeyHash: string): PrimaryKey<ApiKeyItem> =>
  primaryKey(`${prefix.apiKey}${apiKeyHash}`, 'KEY');

export const turnPrimaryKey = (
  organizationId: number,
  ruleDigest: string,
): PrimaryKey<RotationItem> => primaryKey(`${prefix.turn}${organizationId}`, ruleDigest);

export const leadSortKey = sortableId;
export const leadsPartitionKey = (organizationId: number): string =>
  `${prefix.lead}${organizationId}`;
export const leadPrimaryKey = (organizationId: number, leadId: number): PrimaryKey<LeadItem> =>
  primaryKey(leadsPartitionKey(organizationId), leadSortKey(leadId));

/** @param phone in E.164 */
export const phonePrimaryKey = (organizationId: number, phone: string): PrimaryKey<IdentityItem> =>
  primaryKey(`${prefix.phone}${organizationId}#${phone}`, 'UNIQUE');

/** @param comparableEmail as `leads/identity.ts` returns it */
export const emailPrimaryKey = (
  organizationId: number,
  comparableEmail: string,
): PrimaryKey<IdentityItem> =>
  primaryKey(`${prefix.email}${organizationId}#${comparableEmail}`, 'UNIQUE');

export const timelinePartitionKey = (organizationId: number, leadId: number): string =>
  `${prefix.timeline}${organizationId}#${leadId}`;

/** The idempotency key is hashed: it is the caller's text, with up to 200 characters of any script, and may contain personal data. */
export const idempotencyPrimaryKey = (
  keyId: string,
  idempotencyKey: string,
): PrimaryKey<IdempotencyItem> =>
  primaryKey(`${prefix.idempotency}${keyId}#${hash('sha256', idempotencyKey)}`, 'RECORD');

/** @param digest of the row's values: the same row of any file has the same item */
export const importedRowPrimaryKey = (
  organizationId: number,
  digest: string,
): PrimaryKey<ImportedRowItem> =>
  primaryKey(`${prefix.importedRow}${organizationId}#${digest}`, 'ROW');

export const erasurePrimaryKey = (
  organizationId: number,
  leadId: number,
): PrimaryKey<ErasureItem> => primaryKey(`${prefix.erasure}${organizationId}`, sortableId(leadId));

export const historyPartitionKey = (organizationId: number): string =>
  `${prefix.history}${organizationId}`;
export const settingsVersionPrimaryKey = (
  organizationId: number,
  version: number,
): PrimaryKey<KeptSettingsItem> =>
  primaryKey(historyPartitionKey(organizationId), `VERSION#${sortableId(version)}`);

export const stageIndexKey = (organizationId: number, stageId: number): string =>
  `${prefix.stageIndex}${organizationId}#${stageId}`;
export const ownerIndexKey = (organizationId: number, userId: number): string =>
  `${prefix.ownerIndex}${organizationId}#${userId}`;
export const sourceIndexKey = (organizationId: number, sourceId: number): string =>
  `${prefix.sourceIndex}${organizationId}#${sourceId}`;
export const updateIndexKey = (organizationId: number): string =>
  `${prefix.updateIndex}${organizationId}`;
