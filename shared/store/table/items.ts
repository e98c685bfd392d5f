import type { Scope } from '../../contract/endpoints.ts';
import type { IdempotencyRecord } from '../../leads/idempotency.ts';
import type { Lead } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { ApiKeyType } from '../../organization/api-key.ts';
import type { SettingsAsStored } from '../../organization/organization.ts';

/** An item of any type, or one whose attributes have not been checked. */
export type Item = Readonly<Record<string, unknown>>;

/*
 * The attributes of the item types in `entities.ts`. These are type aliases because an alias, unlike an interface, is assignable to `Item`.
 */

export type SettingsItem = {
  readonly settings: SettingsAsStored;
  /** Grows by one with each apply, by more after a restore. */
  readonly version: number;
  /** Set for an intermediate version: the last applied version. */
  readonly appliedVersion?: number;
  /** ISO 8601, UTC. */
  readonly appliedAt: string;
  /**
   * Grows with each new API key, and with each imported lead that refers to an inactive item, so that no such item is removed meanwhile
   * (`countReference`).
   */
  readonly keysCreated: number;
};

export type DirectoryItem = { readonly name: string };

export type UsageItem = TokenBucketItem & {
  readonly settingsVersion: number;
  readonly lastLeadId: number;
};

export type TokenBucketItem = {
  readonly used: number;
  /** Epoch milliseconds. */
  readonly windowEndsAt: number;
};

/** The attributes that an API key's item and its listing share. */
type ApiKeyAttributes = {
  readonly organizationId: number;
  readonly keyId: string;
  readonly type: ApiKeyType;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly createdBy: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** ISO 8601, UTC. */
  readonly revokedAt?: string;
};
export type ApiKeyItem = ApiKeyAttributes & TokenBucketItem;
export type KeyListingItem = ApiKeyAttributes & { readonly apiKeyHash: string };

export type RotationItem = { readonly turns: number };

export type LeadItem = Omit<Lead, 'id' | 'organizationId'> & { readonly sk: string };

export type Stored<T extends Item> = T & { readonly pk: string; readonly sk: string };

export type LeadIndexEntry = Pick<LeadItem, 'sk' | 'updatedAt'>;

/** The item of a phone or email: names the lead that has it. */
export type IdentityItem = { readonly leadId: number };

export type TimelineEntryAttributes = Alias<TimelineEntry>;
export type TimelineEntryItem = Stored<TimelineEntryAttributes>;

/** Turns an interface, or a union of interfaces, into aliases. */
type Alias<T> = T extends unknown ? { readonly [Name in keyof T]: T[Name] } : never;

export type IdempotencyItem = Alias<IdempotencyRecord>;

export type ImportedRowItem = {
  readonly organizationId: number;
  readonly leadId: number;
  /** Digest of the values that the import read from the row. */
  readonly readDigest: string;
};

/** Exists while a lead is being erased. */
export type ErasureItem = {
  readonly organizationId: number;
  readonly leadId: number;
  readonly phones: readonly string[];
  readonly emails: readonly string[];
  /** Set by the undo of an import, which has no audit entry to complete: the sort key of the timeline's last entry. */
  readonly endId?: string;
  /** The final versions of the erasure's audit entries, by sort key. They are written when the erasure completes. */
  readonly auditEntries: Readonly<Record<string, AuditEntryItem>>;
};

export type AuditEntryItem = {
  /** ISO 8601, UTC. For a long command, when it started. */
  readonly at: string;
  /** When a long command ended; absent until then. */
  readonly endedAt?: string;
  /** AWS identity, or the user of the machine. */
  readonly who: string;
  /** The command, such as `organization apply`. */
  readonly what: string;
  /** The state of a long command. */
  readonly state?: 'started' | 'finished';
  /** The leads that the command names. */
  readonly leadIds?: readonly number[];
  /** For a change of settings: the versions before and after. */
  readonly versionBefore?: number;
  readonly versionAfter?: number;
  /** Marks an intermediate version, which nobody applied: it is written while items of the settings are removed. */
  readonly isBetween?: true;
  /** The erased lead. Written in the same transaction as the erasure. */
  readonly erasedLeadId?: number;
  /**
   * Of a complete erasure: the other leads from whose timelines it removed the person, at most 1,001. Absent for an erasure by a restore,
   * which also copies entries that were cleaned before.
   */
  readonly cleanedLeadIds?: readonly number[];
  /** The ID of the table that a restore has finished. Another table may later have the same name. */
  readonly restoredTableId?: string;
};

export type KeptSettingsItem = {
  readonly organizationId: number;
  readonly version: number;
  readonly settings: SettingsAsStored;
};
