import { isDeepStrictEqual } from 'node:util';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { explainedBy } from '../../leads/timeline-replay.ts';
import type { Organization } from '../../organization/organization.ts';
import type { RateLimits } from '../../rate-limits.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { kindOf } from '../table/item-kind.ts';
import type { Item } from '../table/items.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  keyListingPrimaryKey,
  keyText,
  leadSortKey,
  leadsPartitionKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { ExpectedItems, ExpectedItemsPart } from './expected-items.ts';
import { inParallel } from './in-parallel.ts';
import { leadIn, leadIssues } from './lead-issues.ts';
import { organizationIssues } from './organization-issues.ts';
import { readUntilStable } from './read-together.ts';
import { lastLeadIdIn, organizationIn, recheckLead } from './recheck.ts';
import { identityOf } from './recheck-identities.ts';
import { futureIssues } from './times.ts';
import { usageIssues } from './usage-issues.ts';

/** What the check keeps of an organization while it reads the rest of the table. */
export interface OrganizationSnapshot {
  readonly organizationId: number;
  /** Undefined if the organization has no settings. */
  readonly userIds: ReadonlySet<number> | undefined;
  readonly expectedItems: ExpectedItems;
  /** The last item among the leads, by sort key; undefined if there is none. */
  readonly lastLead: PrimaryKey | undefined;
}

export interface ViolationReporter {
  report(violations: readonly string[]): void;
  countLeads(leads: number): void;
  /** Registers an API key of an organization. */
  addKey(keyId: string, organizationId: number): void;
}

const keysAtOnce = 8;
const rechecksAtOnce = 8;
/** Ranges of lead ids that are read in parallel. */
const parallelRanges = 4;

/**
 * Reads and checks an organization's settings, usage, API keys and leads.
 * @param limits the limits in force, as far as they are known
 */
export async function readSnapshot(
  own: OrganizationTable,
  limits: Partial<RateLimits>,
  reporter: ViolationReporter,
): Promise<OrganizationSnapshot> {
  const { table, organizationId } = own;
  const [settings, usage, directory] = await readUntilStable(table, [
    settingsPrimaryKey(organizationId),
    usagePrimaryKey(organizationId),
    directoryPrimaryKey(organizationId),
  ]);
  reporter.report(organizationIssues(organizationId, settings, usage, directory));
  reporter.report(
    usageIssues(
      `Organization ${organizationId}`,
      usage ?? {},
      limits.requestsPerOrganizationPerWindow,
    ),
  );
  const organization = organizationIn(settings);
  await checkKeys(own, organization, limits.requestsPerKeyPerWindow, reporter);
  const leads = await readLeads(own, organization, lastLeadIdIn(usage), reporter);
  return {
    organizationId,
    userIds: organization && new Set(organization.userById.keys()),
    ...leads,
  };
}

/** Compares each listed API key with its item. */
async function checkKeys(
  { table, organizationId }: OrganizationTable,
  organization: Organization | undefined,
  limit: number | undefined,
  reporter: ViolationReporter,
): Promise<void> {
  const listed = await listApiKeys(table, organizationId);
  await inParallel(listed, keysAtOnce, async ({ keyId }) => {
    reporter.addKey(keyId, organizationId);
    const listingKey = keyListingPrimaryKey(organizationId, keyId);
    const [before] = await readUntilStable(table, [listingKey]);
    const key = apiKeyPrimaryKey(String(before?.apiKeyHash));
    const [listing, item] = await readUntilStable(table, [listingKey, key]);
    const whose = `API key ${keyId} of organization ${organizationId}`;
    if (listing && item) {
      reporter.report([
        ...keyIssues(whose, listing, item, organization),
        ...usageIssues(whose, item, limit),
      ]);
    }
    if (listing && !item)
      reporter.report([`${whose} is listed, but its item ${keyText(key)} is not there.`]);
  });
}

/** The attributes that a key's item and its listing have in common. */
const sharedAttributes = [
  'organizationId',
  'keyId',
  'type',
  'label',
  'scopes',
  'createdBy',
  'createdAt',
  'expiresAt',
  'revokedAt',
];

function keyIssues(
  whose: string,
  listing: Item,
  item: Item,
  organization: Organization | undefined,
): string[] {
  const { createdBy, createdAt, revokedAt } = item;
  const isKnown =
    !organization || (typeof createdBy === 'number' && organization.userById.has(createdBy));
  const different = sharedAttributes.filter(
    (name) => !isDeepStrictEqual(listing[name], item[name]),
  );
  return [
    ...(different.length === 0
      ? []
      : [`${whose} is listed with another ${different.join(', ')} than its item has.`]),
    ...(isKnown
      ? []
      : [
          `${whose} was created by user ${JSON.stringify(createdBy)}, whom the organization does not have.`,
        ]),
    ...futureIssues({ createdAt, revokedAt }).map((issue) => `${whose} ${issue}.`),
  ];
}

/** The organization of an API key's item must list the key. */
export async function recheckKeyItem(
  table: Table,
  key: PrimaryKey,
  { organizationId, keyId }: Item,
): Promise<string[]> {
  const isOwned = typeof organizationId === 'number' && typeof keyId === 'string' && keyId !== '';
  if (!isOwned)
    return [`The API key item ${keyText(key)} says neither its organization nor its id.`];
  const [item, listing] = await readUntilStable(table, [
    key,
    keyListingPrimaryKey(organizationId, keyId),
  ]);
  if (!item) return [];
  const says = `The API key item ${keyText(key)} is key ${keyId} of organization ${organizationId}`;
  if (!listing) return [`${says}, which does not list it.`];
  return apiKeyPrimaryKey(String(listing.apiKeyHash)).pk === key.pk
    ? []
    : [`${says}, which lists it under another hash.`];
}

async function readLeads(
  own: OrganizationTable,
  organization: Organization | undefined,
  lastLeadId: number | undefined,
  reporter: ViolationReporter,
): Promise<Pick<OrganizationSnapshot, 'expectedItems' | 'lastLead'>> {
  const isSound = (lead: Lead, item: Item): boolean =>
    leadIssues(lead, item, organization, lastLeadId).length === 0;
  const ranges = rangesOf(lastLeadId ?? 0).map((range) => readRange(own, range, isSound, reporter));
  const read = await Promise.all(ranges);
  return {
    expectedItems: new ExpectedItems(read.map(({ part }) => part)),
    lastLead: read.findLast(({ last }) => last)?.last,
  };
}

async function readRange(
  own: OrganizationTable,
  range: Range,
  isSound: (lead: Lead, item: Item) => boolean,
  reporter: ViolationReporter,
): Promise<{ part: ExpectedItemsPart; last: PrimaryKey | undefined }> {
  const part = new ExpectedItemsPart();
  let last: PrimaryKey | undefined;
  for await (const page of leadPages(own, range)) {
    const suspects: number[] = [];
    for (const item of page) {
      const key = { pk: String(item.pk), sk: String(item.sk) };
      const kind = kindOf(key);
      last = key;
      if (kind?.kind !== 'lead') {
        reporter.report([`The item ${keyText(key)} is of no type that the service knows.`]);
        continue;
      }
      const lead = leadIn(own.organizationId, kind.leadId, item);
      part.add({
        id: lead.id,
        phone: identityOf(lead, 'phone'),
        email: identityOf(lead, 'email'),
        explained: explainedBy(lead),
      });
      if (!isSound(lead, item)) suspects.push(lead.id);
    }
    await inParallel(suspects, rechecksAtOnce, async (leadId) =>
      reporter.report(await recheckLead(own, leadId)),
    );
    reporter.countLeads(page.length);
  }
  return { part, last };
}

interface Range {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Ids are assigned in sequence, so equal ranges have about as many leads. Together they cover every sort key, malformed ones too. */
function rangesOf(lastLeadId: number): Range[] {
  const width = Math.ceil(lastLeadId / parallelRanges) + 1;
  return Array.from({ length: parallelRanges }, (_, index) => ({
    from: index === 0 ? undefined : leadSortKey(index * width),
    // `~` sorts behind every digit and letter.
    to: index === parallelRanges - 1 ? undefined : `${leadSortKey((index + 1) * width - 1)}~`,
  }));
}

/** Eventually consistent, at half the price: what looks wrong is read again. */
async function* leadPages(
  { table, organizationId }: OrganizationTable,
  { from, to }: Range,
): AsyncGenerator<Item[]> {
  const range = [from && 'sk >= :from', to && 'sk <= :to'].filter(Boolean);
  const condition = range.length === 2 ? 'sk BETWEEN :from AND :to' : range[0];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: `pk = :leads AND ${condition}`,
      ExpressionAttributeValues: {
        ':leads': leadsPartitionKey(organizationId),
        ...(from && { ':from': from }),
        ...(to && { ':to': to }),
      },
    },
  );
  for await (const { Items = [] } of pages) yield Items;
}
