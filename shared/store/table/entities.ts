import type {
  ApiKeyItem,
  AuditEntryItem,
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
  TimelineEntryAttributes,
  UsageItem,
} from './items.ts';

/** The attributes of an item type besides its key and `ttl`. Only for the compiler. */
const type = <T extends Item>(): T | undefined => undefined;

interface Entity {
  readonly pk: string;
  readonly sk: string;
  readonly attributes: Item | undefined;
}

/**
 * The table, with a row for each item type. Braces mark a value in the key: `:id` is an ID, `:sorted` an ID padded with zeros to ten
 * digits, so that keys sort like IDs, and anything else a text. Key makers, the parsing of stored keys and the roles' prefixes are derived
 * from it.
 */
export const entities = {
  settings: { pk: 'ORG#{organizationId:id}', sk: 'SETTINGS', attributes: type<SettingsItem>() },
  listing: { pk: 'ORG#{organizationId:id}', sk: 'KEY#{keyId}', attributes: type<KeyListingItem>() },
  /** All organizations are in one partition, so that listing them does not read the whole table. */
  directory: {
    pk: 'ORG#DIRECTORY',
    sk: '{organizationId:sorted}',
    attributes: type<DirectoryItem>(),
  },
  usage: { pk: 'USAGE#{organizationId:id}', sk: 'USAGE', attributes: type<UsageItem>() },
  apiKey: { pk: 'KEY#{apiKeyHash}', sk: 'KEY', attributes: type<ApiKeyItem>() },
  turn: { pk: 'TURN#{organizationId:id}', sk: '{ruleDigest}', attributes: type<RotationItem>() },
  lead: { pk: 'LEADS#{organizationId:id}', sk: '{leadId:sorted}', attributes: type<LeadItem>() },
  /** The phone in E.164. */
  phone: {
    pk: 'PHONE#{organizationId:id}#{value}',
    sk: 'UNIQUE',
    attributes: type<IdentityItem>(),
  },
  /** The email as `leads/identity.ts` compares it. */
  email: {
    pk: 'EMAIL#{organizationId:id}#{value}',
    sk: 'UNIQUE',
    attributes: type<IdentityItem>(),
  },
  timeline: {
    pk: 'TIMELINE#{organizationId:id}#{leadId:id}',
    sk: '{entryId}',
    attributes: type<TimelineEntryAttributes>(),
  },
  idempotency: {
    pk: 'IDEMPOTENCY#{keyId}#{digest}',
    sk: 'RECORD',
    attributes: type<IdempotencyItem>(),
  },
  /** The digest covers the row's values, so the same row has the same item, whatever its file. */
  importedRow: {
    pk: 'IMPORTED#{organizationId:id}#{digest}',
    sk: 'ROW',
    attributes: type<ImportedRowItem>(),
  },
  erasure: {
    pk: 'ERASURE#{organizationId:id}',
    sk: '{leadId:sorted}',
    attributes: type<ErasureItem>(),
  },
  /** These keys do not mix with audit entries, whose keys begin with a year. */
  keptSettings: {
    pk: 'HISTORY#{organizationId:id}',
    sk: 'VERSION#{version:sorted}',
    attributes: type<KeptSettingsItem>(),
  },
  auditEntry: {
    pk: 'HISTORY#{organizationId:id}',
    sk: '{entryId}',
    attributes: type<AuditEntryItem>(),
  },
} as const satisfies Record<string, Entity>;

export type EntityName = keyof typeof entities;

/** The partition keys of the indexes (`table-definition.ts`), which are attributes of a lead. */
export const indexKeys = {
  stageIndex: { pk: 'STAGE#{organizationId:id}#{stageId:id}' },
  ownerIndex: { pk: 'OWNER#{organizationId:id}#{userId:id}' },
  sourceIndex: { pk: 'SOURCE#{organizationId:id}#{sourceId:id}' },
  updateIndex: { pk: 'UPDATED#{organizationId:id}' },
} as const;

/** The units to which a function's role can be limited. */
export type ItemType = EntityName | keyof typeof indexKeys;

/**
 * The prefix of an item type's partition keys. It limits a role to item types (`dynamodb:LeadingKeys`), although all types share one table.
 */
export function prefixOf(itemType: ItemType): string {
  const { pk } = { ...entities, ...indexKeys }[itemType];
  return pk.slice(0, pk.indexOf('#') + 1);
}
