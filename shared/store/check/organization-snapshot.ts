import { isDeepStrictEqual } from 'node:util';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Organization } from '../../organization/organization.ts';
import { requestsPerWindowMax } from '../../rate-limits.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import type { Table } from '../table/client.ts';
import { kindOf, named } from '../table/item-kind.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  keyListingPrimaryKey,
  leadSortKey,
  leadsPartitionKey,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { ExpectedItems, ExpectedItemsPart } from './expected-items.ts';
import { inParallel } from './in-parallel.ts';
import { leadIn, leadIssues } from './lead-issues.ts';
import type { Item } from './read-together.ts';
import { identityOf, organizationIn, readUntilStable, recheckLead } from './recheck.ts';

/** What the check keeps of an organization while it reads the rest of the table. */
export interface OrganizationSnapshot {
  readonly organizationId: number;
  /** Undefined when the organization has no settings. */
  readonly userIds: ReadonlySet<number> | undefined;
  readonly expectedItems: ExpectedItems;
  /** The last item among the leads, by sort key; undefined when there is none. */
  readonly lastLead: PrimaryKey | undefined;
}

/** Where findings go. */
export interface ViolationReporter {
  report(violations: readonly string[]): void;
  countLeads(leads: number): void;
  /** An API key of an organization. */
  knowKey(keyId: string, organizationId: number): void;
}

const keysAtOnce = 8;
const rechecksAtOnce = 8;
/** Ranges of lead ids that are read side by side. */
const parallelRanges = 4;

/** Reads an organization's settings, usage, API keys and leads, checks them, and remembers the leads. */
export async function readSnapshot(
  table: Table,
  organizationId: number,
  reporter: ViolationReporter,
): Promise<OrganizationSnapshot> {
  const [settings, usage, directory] = await readUntilStable(table, [
    settingsPrimaryKey(organizationId),
    usagePrimaryKey(organizationId),
    directoryPrimaryKey(organizationId),
  ]);
  reporter.report(organizationIssues(organizationId, settings, usage, directory));
  const organization = organizationIn(settings);
  await checkKeys(table, organizationId, organization, reporter);
  const leads = await readLeads(table, organizationId, organization, usage?.lastLeadId as number | undefined, reporter);
  return { organizationId, userIds: organization && new Set(organization.userById.keys()), ...leads };
}

function organizationIssues(
  id: number,
  settings: Item | undefined,
  usage: Item | undefined,
  directory: Item | undefined,
): string[] {
  const whose = `Organization ${id}`;
  if (!settings) return [`${whose} has items, but its settings ${named(settingsPrimaryKey(id))} are not there.`];
  const own = settings.settings as { id?: unknown; name?: unknown };
  const { used, lastLeadId, windowEndsAt, settingsVersion } = usage ?? {};
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const counters = Object.entries({ used, lastLeadId, windowEndsAt }).filter(([, value]) => usage && !isCount(value));
  return [
    ...(own.id === id ? [] : [`${whose} has the settings of organization ${own.id}.`]),
    ...(directory ? [] : [`${whose} is not in the directory: ${named(directoryPrimaryKey(id))} is not there.`]),
    ...(!directory || directory.name === own.name
      ? []
      : [`${whose} is called ${JSON.stringify(own.name)}, but ${JSON.stringify(directory.name)} in the directory.`]),
    ...(usage ? [] : [`${whose} has no usage item ${named(usagePrimaryKey(id))}.`]),
    ...(!usage || settingsVersion === settings.version
      ? []
      : [`${whose} has settings of version ${settings.version}, but its usage item says ${settingsVersion}.`]),
    ...counters.map(
      ([name, value]) => `${whose} has the ${name} ${JSON.stringify(value)} in its usage item, which must be a count.`,
    ),
    ...overAnyLimit(whose, used),
  ];
}

/**
 * More requests than any deployment may allow. The table does not know the limit in force, and could not be held to it: a limit is an option of
 * the deployment, and one that was lowered leaves windows that rightly have more until they end. Admission itself keeps it, by a condition.
 */
const overAnyLimit = (whose: string, used: unknown): string[] =>
  typeof used === 'number' && used > requestsPerWindowMax
    ? [`${whose} has used ${used} requests of a window; no deployment may allow more than ${requestsPerWindowMax}.`]
    : [];

/** Each listed API key against its item. */
async function checkKeys(
  table: Table,
  organizationId: number,
  organization: Organization | undefined,
  reporter: ViolationReporter,
): Promise<void> {
  const listed = await listApiKeys(table, organizationId);
  await inParallel(listed, keysAtOnce, async ({ keyId }) => {
    reporter.knowKey(keyId, organizationId);
    const listingKey = keyListingPrimaryKey(organizationId, keyId);
    const [before] = await readUntilStable(table, [listingKey]);
    const key = apiKeyPrimaryKey(String(before?.apiKeyHash));
    const [listing, item] = await readUntilStable(table, [listingKey, key]);
    if (listing)
      reporter.report(keyIssues(`API key ${keyId} of organization ${organizationId}`, key, listing, item, organization));
  });
}

/** What a key's item and its listing both say. */
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
  key: PrimaryKey,
  listing: Item,
  item: Item | undefined,
  organization: Organization | undefined,
): string[] {
  if (!item) return [`${whose} is listed, but its item ${named(key)} is not there.`];
  const different = sharedAttributes.filter((name) => !isDeepStrictEqual(listing[name], item[name]));
  return [
    ...(different.length === 0 ? [] : [`${whose} is listed with another ${different.join(', ')} than its item has.`]),
    ...(!organization || organization.userById.has(item.createdBy as number)
      ? []
      : [`${whose} was created by user ${JSON.stringify(item.createdBy)}, whom the organization does not have.`]),
    ...overAnyLimit(whose, item.used),
  ];
}

/** An API key's item, met in the table: its organization must list it. */
export async function recheckKeyItem(table: Table, key: PrimaryKey, { organizationId, keyId }: Item): Promise<string[]> {
  const isNamed = typeof organizationId === 'number' && typeof keyId === 'string' && keyId !== '';
  if (!isNamed) return [`The API key item ${named(key)} says neither its organization nor its id.`];
  const [item, listing] = await readUntilStable(table, [key, keyListingPrimaryKey(organizationId, keyId)]);
  if (!item) return [];
  const says = `The API key item ${named(key)} is key ${keyId} of organization ${organizationId}`;
  if (!listing) return [`${says}, which does not list it.`];
  return apiKeyPrimaryKey(String(listing.apiKeyHash)).pk === key.pk ? [] : [`${says}, which lists it under another hash.`];
}

async function readLeads(
  table: Table,
  organizationId: number,
  organization: Organization | undefined,
  lastLeadId: number | undefined,
  reporter: ViolationReporter,
): Promise<Pick<OrganizationSnapshot, 'expectedItems' | 'lastLead'>> {
  const parts = await Promise.all(
    rangesOf(lastLeadId ?? 0).map(async (range) => {
      const part = new ExpectedItemsPart();
      let last: PrimaryKey | undefined;
      for await (const page of leadPages(table, organizationId, range)) {
        const suspects: number[] = [];
        for (const item of page) {
          const key = { pk: String(item.pk), sk: String(item.sk) };
          const kind = kindOf(key);
          last = key;
          if (kind?.kind !== 'lead') {
            reporter.report([`The item ${named(key)} is of no type that the service knows.`]);
            continue;
          }
          const lead = leadIn(organizationId, kind.leadId, item);
          part.add({ id: lead.id, phone: identityOf(lead, 'phone'), email: identityOf(lead, 'email') });
          if (leadIssues(lead, item, organization, lastLeadId).length > 0) suspects.push(lead.id);
        }
        await inParallel(suspects, rechecksAtOnce, async (leadId) =>
          reporter.report(await recheckLead(table, organizationId, leadId)),
        );
        reporter.countLeads(page.length);
      }
      return { part, last };
    }),
  );
  return { expectedItems: new ExpectedItems(parts.map(({ part }) => part)), lastLead: parts.findLast(({ last }) => last)?.last };
}

interface Range {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Ids are given in sequence, so equal ranges hold about as many leads. Together they hold every sort key, malformed ones too. */
function rangesOf(lastLeadId: number): Range[] {
  const width = Math.ceil(lastLeadId / parallelRanges) + 1;
  return Array.from({ length: parallelRanges }, (_, index) => ({
    from: index === 0 ? undefined : leadSortKey(index * width),
    // `~` sorts behind every digit and letter.
    to: index === parallelRanges - 1 ? undefined : `${leadSortKey((index + 1) * width - 1)}~`,
  }));
}

/** Eventually consistent, at half the price: what looks wrong is read again. */
async function* leadPages(table: Table, organizationId: number, { from, to }: Range): AsyncGenerator<Item[]> {
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
