import type { Context } from 'hono';
import { parseDateTime } from '../../../../shared/base/dates.ts';
import { limits } from '../../../../shared/contract/limits.ts';
import { hasEmailForm } from '../../../../shared/leads/field-values.ts';
import type { LeadFilter } from '../../../../shared/leads/filters.ts';
import { comparableEmail, readPhone, storedPhone } from '../../../../shared/leads/identity.ts';
import type { Lead } from '../../../../shared/leads/lead.ts';
import {
  type ListParameters,
  leadMatcher,
  leadQuery,
} from '../../../../shared/leads/lead-query.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { findLeadByIdentity } from '../../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../../shared/store/leads/leads.ts';
import { countLeads } from '../../../../shared/store/leads/read-leads.ts';
import { listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { CommandError } from '../../../cli/command.ts';
import { digitsMin, digitsOf, emailCharactersMin, isInName, isPartIn } from '../../lead/find.ts';
import { idIn } from '../desk.ts';

/** The filters in the address, by their names there. */
const listNames = ['stage', 'owner', 'source', 'pipeline'] as const;

export interface LeadSearch {
  readonly text: string;
  readonly parameters: ListParameters;
  /** Only archived leads, instead of only live ones. */
  readonly isArchived: boolean;
  /** Whether to search for a part of a text, even if it is a whole phone, email or ID. */
  readonly isOn: boolean;
}

const pageSize = 50;

/** Reads the search from an address. @throws CommandError if a filter names nothing, because a typo must not look like an empty list */
export function searchIn({ req }: Context, organization: Organization): LeadSearch {
  const lists = {
    stage: organization.stageById,
    owner: organization.userById,
    source: organization.sourceById,
    pipeline: organization.pipelineById,
  };
  const ids = listNames.map((name) => {
    const text = req.query(name) ?? '';
    const id = idIn(text);
    if (text !== '' && (id === undefined || !lists[name].has(id)))
      throw new CommandError(`The organization has no ${name} ${text}: choose another.`);
    return [`${name}_id`, id];
  });
  const since = req.query('since') ?? '';
  const updatedSince = parseDateTime(since) ?? parseDateTime(`${since}T00:00Z`);
  if (since !== '' && updatedSince === undefined)
    throw new CommandError('Changed since must be a date, such as 2026-01-31: correct it.');
  const after = Number(req.query('after') ?? '');
  const isOn = Number.isSafeInteger(after) && after > 0;
  return {
    text: (req.query('q') ?? '').trim(),
    parameters: {
      ...Object.fromEntries(ids),
      limit: pageSize,
      ...(updatedSince !== undefined && { updated_since: updatedSince }),
      ...(isOn && { cursor: Math.min(after, fromTheNewest) }),
    },
    isArchived: !['', 'no', 'false', '0'].includes(req.query('archived') ?? ''),
    isOn,
  };
}

/** The value of `after` with which a search by a part begins. */
export const fromTheNewest = limits.idMax + 1;

export interface FoundPage {
  readonly leads: readonly Lead[];
  /** The value of `after` for the next page; null if no lead follows. */
  readonly next: number | null;
  /** Whether leads were looked up by phone, email or ID, without reading others. */
  readonly isByKey: boolean;
}

/**
 * One page of leads, newest first. A phone, an email or an ID is looked up by its key. A part of a name, a phone or an email reads at most what
 * a page of a list may read.
 */
export async function findLeads(
  table: Table,
  organization: Organization,
  search: LeadSearch,
): Promise<FoundPage> {
  const { text, parameters, isArchived, isOn } = search;
  const byKey = text === '' || isOn ? undefined : await leadsByKey(table, organization, text);
  if (byKey) return { leads: byKey.filter(leadMatcher(parameters)), next: null, isByKey: true };
  const filter = text === '' ? undefined : partFilter(text);
  const live = leadQuery(organization, parameters, filter);
  const isOfList = leadMatcher(parameters, filter);
  // Reads the leads themselves, because archived leads are in no index.
  const archived = {
    ...live,
    ...{ stageIds: undefined, ownerId: undefined, sourceId: undefined, updatedSince: undefined },
    matches: (lead: Lead) => lead.archivedAt !== undefined && isOfList(lead),
  };
  const { leads, nextCursor } = await listLeads(table, isArchived ? archived : live);
  return { leads, next: nextCursor, isByKey: false };
}

/** The leads that a whole phone, email or ID names; undefined for any other text, and for an ID that no lead has. */
async function leadsByKey(
  table: Table,
  { id: organizationId }: Organization,
  text: string,
): Promise<Lead[] | undefined> {
  const leadId = idIn(text);
  const phones = new Set([storedPhone(text), readPhone(text).phone]);
  const identities = [...phones].flatMap((phone) => (phone === undefined ? [] : [{ phone }]));
  const email = hasEmailForm(text) ? [{ email: text }] : [];
  const holders = await Promise.all(
    [...identities, ...email].map((one) =>
      findLeadByIdentity(table, { organizationId, phone: undefined, email: undefined, ...one }),
    ),
  );
  const ids = new Set([leadId, ...holders.map((holder) => holder?.leadId)]);
  const leads = await Promise.all(
    [...ids].map((id) => (id === undefined ? undefined : readLead(table, organizationId, id))),
  );
  const found = leads.filter((lead) => lead !== undefined);
  return found.length > 0 || holders.length > 0 ? found : undefined;
}

/** Matches leads whose name, phone or email contains the text, in any spelling. */
function partFilter(text: string): LeadFilter {
  const isNamed = isInName(text);
  const email = comparableEmail(text);
  const isInEmail = email.length < emailCharactersMin ? undefined : isPartIn(email, '');
  const isNumber = /^[\d\s()+./-]+$/.test(text) && digitsOf(text).length >= digitsMin;
  const isInPhone = isNumber ? isPartIn(undefined, text) : undefined;
  return (fields) =>
    isNamed(fields.name) ||
    isInPhone?.(fields.phone) === true ||
    isInEmail?.(fields.email) === true;
}

/** How many live leads match the filters; undefined for a search by text or among archived leads, which has no index. */
export async function countFound(
  table: Table,
  organization: Organization,
  { text, parameters, isArchived }: LeadSearch,
): Promise<number | undefined> {
  if (text !== '' || isArchived) return undefined;
  const { stageIds, ownerId, sourceId, updatedSince } = leadQuery(organization, parameters);
  const own = { table, organizationId: organization.id };
  return countLeads(own, { stageIds, ownerId, sourceId, updatedSince });
}
