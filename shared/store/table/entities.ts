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

/** The attributes of an item type besides its key and `ttl`: only for the compiler. */
const type = <T extends Item>(): T | undefined => undefined;

interface Entity {
  readonly pk: string;
  readonly sk: string;
  readonly attributes: Item | undefined;
}

/**
 * The table, a row for each item type. Braces stand for a value of the key: `:id` for an ID, `:sorted` for one padded with zeros to ten digits, so
 * that keys sort as IDs do, anything else for a text. The key makers, the recognition of stored keys and the prefixes of the roles follow from
 * it.
 */
export const entities = {
  settings: { pk: 'ORG#{organizationId:id}', sk: 'SETTINGS', attributes: type<SettingsItem>() },
  listing: { pk: 'ORG#{organizationId:id}', sk: 'KEY#{keyId}', attributes: type<KeyListingItem>() },
  /** All in one partition, so that a list of organizations does not read the whole table. */
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
  /** The digest is of the row's values: the same row of any file has the same item. */
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
  /** Before the audit entries, whose keys begin with a year. */
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

/** What a function's role can be limited to. */
export type ItemType = EntityName | keyof typeof indexKeys;

/** The beginning of an item type's partition keys. A role is limited to item types by it (`dynamodb:LeadingKeys`), although all share one table. */
export function prefixOf(itemType: ItemType): string {
  const { pk } = { ...entities, ...indexKeys }[itemType];
  return pk.slice(0, pk.indexOf('#') + 1);
}
