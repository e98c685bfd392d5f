import { createHash } from 'node:crypto';
import { partitionKeyPrefixes as prefix } from './table-definition.ts';

/**
 * The entity chart: what lies where. No other file spells a key.
 *
 * | item                  | pk                                  | sk                         | made by             |
 * |-----------------------|-------------------------------------|----------------------------|---------------------|
 * | organization settings | ORG#<organization>                  | SETTINGS                   | organizations.ts    |
 * | organization's name   | ORG#DIRECTORY                       | <organization, 10 digits>  | organizations.ts    |
 * | API key listing       | ORG#<organization>                  | KEY#<key id>               | api-keys.ts         |
 * | organization usage    | USAGE#<organization>                | USAGE                      | admission.ts        |
 * | API key               | KEY#<sha256 of the API key>         | KEY                        | api-keys.ts         |
 * | owner's turn          | TURN#<organization>                 | <digest of the rule>       | turns.ts            |
 * | lead                  | LEADS#<organization>                | <lead id, 10 digits>       | leads.ts            |
 * | unique phone          | PHONE#<organization>#<E.164>        | UNIQUE                     | identities.ts       |
 * | unique e-mail         | EMAIL#<organization>#<lower case>   | UNIQUE                     | identities.ts       |
 * | timeline item         | TIMELINE#<organization>#<lead id>   | <time>#<random>            | timeline.ts         |
 * | idempotency record    | IDEMPOTENCY#<key id>#<sha256>       | RECORD                     | idempotency.ts      |
 * | imported row          | IMPORTED#<organization>#<digest>    | ROW                        | import-leads.ts     |
 * | erasure under way     | ERASURE#<organization>              | <lead id, 10 digits>       | erase-lead.ts       |
 * | administrator's deed  | HISTORY#<organization>              | <time>#<random>            | history.ts          |
 * | settings before       | HISTORY#<organization>              | VERSION#<10 digits>        | history.ts          |
 *
 * | index         | partition key attribute and value             | sort key             |
 * |---------------|-----------------------------------------------|----------------------|
 * | leadsByStage  | stageKey   STAGE#<organization>#<stage id>    | sk (lead id)         |
 * | leadsByOwner  | ownerKey   OWNER#<organization>#<user id>     | sk (lead id)         |
 * | leadsBySource | sourceKey  SOURCE#<organization>#<source id>  | sk (lead id)         |
 * | leadsByUpdate | updateKey  UPDATED#<organization>             | updatedAt            |
 */
export interface PrimaryKey {
  readonly pk: string;
  readonly sk: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const settingsPrimaryKey = (organizationId: number): PrimaryKey => ({
  pk: `${prefix.settings}${organizationId}`,
  sk: 'SETTINGS',
});

/** Ten digits hold every id (0 < id <= 2147483647) and sort as numbers do. */
const sortableId = (id: number): string => String(id).padStart(10, '0');

/** Every organization has an item here, so that they can be listed without reading the table. */
export const directoryPartitionKey = `${prefix.settings}DIRECTORY`;
export const directoryPrimaryKey = (organizationId: number): PrimaryKey => ({
  pk: directoryPartitionKey,
  sk: sortableId(organizationId),
});

export const keyListingPrefix = 'KEY#';
export const keyListingPrimaryKey = (organizationId: number, keyId: string): PrimaryKey => ({
  pk: `${prefix.settings}${organizationId}`,
  sk: `${keyListingPrefix}${keyId}`,
});

export const usagePrimaryKey = (organizationId: number): PrimaryKey => ({ pk: `${prefix.usage}${organizationId}`, sk: 'USAGE' });

export const apiKeyPrimaryKey = (apiKeyHash: string): PrimaryKey => ({ pk: `${prefix.apiKey}${apiKeyHash}`, sk: 'KEY' });

export const turnPrimaryKey = (organizationId: number, ruleDigest: string): PrimaryKey => ({
  pk: `${prefix.turn}${organizationId}`,
  sk: ruleDigest,
});

export const leadSortKey = sortableId;
export const leadsPartitionKey = (organizationId: number): string => `${prefix.lead}${organizationId}`;
export const leadPrimaryKey = (organizationId: number, leadId: number): PrimaryKey => ({
  pk: leadsPartitionKey(organizationId),
  sk: leadSortKey(leadId),
});

/** @param phone in E.164 */
export const phonePrimaryKey = (organizationId: number, phone: string): PrimaryKey => ({
  pk: `${prefix.phone}${organizationId}#${phone}`,
  sk: 'UNIQUE',
});

/** @param comparableEmail as `identity.ts` compares it */
export const emailPrimaryKey = (organizationId: number, comparableEmail: string): PrimaryKey => ({
  pk: `${prefix.email}${organizationId}#${comparableEmail}`,
  sk: 'UNIQUE',
});

export const timelinePartitionKey = (organizationId: number, leadId: number): string =>
  `${prefix.timeline}${organizationId}#${leadId}`;

/** The idempotency key is hashed because it is the caller's text: it may hold personal data, and 200 characters of any script. */
export const idempotencyPrimaryKey = (keyId: string, idempotencyKey: string): PrimaryKey => ({
  pk: `${prefix.idempotency}${keyId}#${sha256(idempotencyKey)}`,
  sk: 'RECORD',
});

/** @param digest of what the row says: the same row of any file is the same item */
export const importedRowPrimaryKey = (organizationId: number, digest: string): PrimaryKey => ({
  pk: `${prefix.importedRow}${organizationId}#${digest}`,
  sk: 'ROW',
});

export const erasurePrimaryKey = (organizationId: number, leadId: number): PrimaryKey => ({
  pk: `${prefix.erasure}${organizationId}`,
  sk: sortableId(leadId),
});

export const historyPartitionKey = (organizationId: number): string => `${prefix.history}${organizationId}`;
export const settingsVersionPrimaryKey = (organizationId: number, version: number): PrimaryKey => ({
  pk: historyPartitionKey(organizationId),
  sk: `VERSION#${sortableId(version)}`,
});

export const stageIndexKey = (organizationId: number, stageId: number): string =>
  `${prefix.stageIndex}${organizationId}#${stageId}`;
export const ownerIndexKey = (organizationId: number, userId: number): string =>
  `${prefix.ownerIndex}${organizationId}#${userId}`;
export const sourceIndexKey = (organizationId: number, sourceId: number): string =>
  `${prefix.sourceIndex}${organizationId}#${sourceId}`;
export const updateIndexKey = (organizationId: number): string => `${prefix.updateIndex}${organizationId}`;
