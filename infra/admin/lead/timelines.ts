import { hash } from 'node:crypto';
import type { Command } from 'commander';
import { entryIdOf, presentEntry, presentIdentified } from '../../../shared/leads/timeline.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  type LeadTimeline,
  scanTimelines,
} from '../../../shared/store/maintenance/read-timelines.ts';
import { type LoggedErasure, readErasures } from '../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { getItem } from '../../../shared/store/table/get-item.ts';
import { timelinePartitionKey } from '../../../shared/store/table/primary-keys.ts';
import { countOf } from '../../cli/format.ts';
import { parseId } from '../../cli/options.ts';
import {
  type FileOptions,
  IdSet,
  openRecords,
  type RecordForm,
  withFileOptions,
} from '../../cli/resumable-file.ts';
import { type CommandContext, CommandError, existingOrganization } from '../context.ts';
import { parseTime, readRateOption } from '../options.ts';

interface TimelinesOptions extends FileOptions {
  organization: number;
  /** ISO 8601, UTC. */
  since?: string;
  rate?: number;
}

export function leadTimelinesCommand(lead: Command, context: CommandContext): void {
  const command = lead
    .command('timelines')
    .description('write the timelines of all leads as JSON lines, archived and erased leads too')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option(
      '--since <TIME>',
      'only items at or after this time, and what was imported since; a date (UTC) or a date-time with an offset',
      (text) => new Date(parseTime(text)).toISOString(),
    )
    .addOption(readRateOption())
    .addHelpText('after', timelinesHelp)
    .action((options: TimelinesOptions) => writeTimelines(context, options));
  withFileOptions(command, 'items');
}

const timelinesHelp = `
Each line is an item as lead timeline --json prints it, after its lead's ID and
an ID of its own that never changes. A lead's items are in their order. An erased
lead leaves one line of type erased: remove what you stored of that lead.

--since counts an imported item by its importedAt, because its at is in the past:
else a nightly job would never get it. An item is dated just before it is stored:
begin each run a minute before the last one began.
An item from which an erased person was removed comes again under its ID, as it
reads now, with the time in cleanedAt: --since counts it by that time, --resume adds
it at the end. Replace items by their ID, and remove what you stored of an erased lead.
--resume reads the file once and uses 8 bytes of memory for each of its items. New
items are added at the end; items of leads erased since stay until you remove them.

Cost: a read unit for each 4 KB of leads, and at least one for each lead's timeline,
whatever --since is. A million small leads cost about 1.1 million read units: $0.13,
and 18 minutes at the default rate.
The file contains personal data: only you may read it. The command writes nothing to
the table: infra/policies/read-timelines.json is a policy for a nightly job.

Examples:
  npm run --silent admin -- lead timelines --organization 1 > timelines.jsonl
  npm run admin -- lead timelines --organization 1 --out timelines.jsonl --resume
  npm run admin -- lead timelines --organization 1 --since 2026-11-20T00:00:00Z \\
    --out since-friday.jsonl`;

async function writeTimelines(
  context: CommandContext,
  { organization: organizationId, since = '', rate, ...files }: TimelinesOptions,
): Promise<void> {
  const table = context.pacedTable(rate);
  const organization = await existingOrganization(table, organizationId);
  const form = timelinesForm(table, organizationId);
  const { ids } = form;
  const { write, close } = await openRecords(files, form);
  let [items, leads] = [0, 0];
  try {
    for await (const lines of newLines({ table, organization, since, ids })) {
      if (lines.length > 0) await write(lines.join(''));
      items += lines.length;
      leads += lines.length > 0 ? 1 : 0;
      context.progress(`Reading timelines: ${countOf(items, 'item')} of ${countOf(leads, 'lead')}`);
    }
  } finally {
    await close();
  }
  const written = `${countOf(items, 'item')} of ${countOf(leads, 'lead')} written`;
  const { out: file } = files;
  if (file === undefined) return context.note(`${written}.`);
  context.print({ items, leads, file }, () => {
    const before = ids.size > 0 ? `, which already had ${countOf(ids.size, 'item')}` : '';
    return `${written} to ${file}${before}.`;
  });
}

interface LinesRequest {
  readonly table: Table;
  readonly organization: Organization;
  /** Empty for all items. */
  readonly since: string;
  /** The items that the file already has. */
  readonly ids: IdSet<bigint>;
}

/** The lines that the file does not have, lead by lead. */
async function* newLines(request: LinesRequest): AsyncGenerator<string[]> {
  const { table, organization, since } = request;
  const erasures = await readErasures(table, organization.id);
  const written = new Set<string>();
  for await (const timelines of scanTimelines(table, organization.id, since || undefined)) {
    for (const timeline of timelines) {
      // A lead that an import created again under its old ID: its erasure came first.
      const erasure = erasures.get(timeline.leadId);
      if (erasure) written.add(erasure.id);
      yield linesOf(request, timeline, erasure);
    }
  }
  // Read again, because a lead may have been erased meanwhile.
  for (const erasure of (await readErasures(table, organization.id)).values()) {
    const { leadId } = erasure;
    if (!written.has(erasure.id)) yield linesOf(request, { leadId, entries: [] }, erasure);
  }
}

interface Line extends ItemVersion {
  readonly type: string;
  readonly at: string;
  readonly importedAt?: unknown;
}

function linesOf(
  { organization, since, ids }: LinesRequest,
  { leadId, entries }: LeadTimeline,
  erasure: LoggedErasure | undefined,
): string[] {
  const nameOf = (userId: number): string =>
    organization.userById.get(userId)?.name ?? `user ${userId}`;
  const items: Line[] = [
    ...(erasure ? [{ leadId, id: erasure.id, type: 'erased', at: erasure.at }] : []),
    ...entries.flatMap(({ id, entry }) =>
      presentIdentified(leadId, id, presentEntry(entry, nameOf)),
    ),
  ];
  return (
    items
      // A capture that created its lead is two items, of which only one can have been cleaned.
      .filter(({ at, importedAt = at, cleanedAt = importedAt }) => String(cleanedAt) >= since)
      .filter((item) => !ids.has(versionHash(item)))
      .map((item) => `${JSON.stringify(item)}\n`)
  );
}

interface ItemVersion {
  readonly leadId: number;
  readonly id: string;
  /** An item that was cleaned again is another version. */
  readonly cleanedAt?: unknown;
}

/** The first 64 bits of a hash. Of ten million items, two have the same ones with a probability of 1 in 370,000. */
function versionHash({ leadId, id, cleanedAt }: ItemVersion): bigint {
  const version = cleanedAt === undefined ? id : `${id} ${cleanedAt}`;
  return hash('sha256', `${leadId} ${version}`, 'buffer').readBigUInt64LE();
}

/** A line begins with the IDs of the lead and of the item; the time when it was cleaned follows its own. */
const idsPattern =
  /^\{"leadId":(\d{1,10}),"id":"([^"\\]{1,100})",(?:"type":"[a-z_]{1,20}","at":"[^"\\]{1,40}","cleanedAt":"([^"\\]{1,40})")?/;
/** As many leads tell the organization of a file, even if most of them are erased since. */
const firstLeadsMax = 100;

/** How timelines recognize their items in a file. Memory: 8 bytes for each item in the file. */
export function timelinesForm(table: Table, organizationId: number): RecordForm<bigint> {
  const firstItems = new Map<number, string>();
  return {
    heading: '',
    isQuoted: false,
    begins: '{"leadId":',
    idOf: (start) => {
      const [, digits, id, cleanedAt] = idsPattern.exec(start) ?? [];
      if (digits === undefined || id === undefined) return undefined;
      const leadId = Number(digits);
      if (firstItems.size < firstLeadsMax && !firstItems.has(leadId)) firstItems.set(leadId, id);
      return versionHash({ leadId, id, cleanedAt });
    },
    ids: new IdSet(BigUint64Array),
    foreignError: (path, record) =>
      new CommandError(
        `Line ${record} of ${path} is not a timeline item: name a file that lead timelines wrote, or start a new file.`,
      ),
    assertOwn: async (path) => {
      if (firstItems.size === 0) return;
      // A lead of the same ID may be erased in this organization: only a lead that is not tells.
      const erasures = await readErasures(table, organizationId);
      const [leadId, id] = [...firstItems].find(([leadId]) => !erasures.has(leadId)) ?? [];
      if (leadId === undefined || id === undefined) return;
      const pk = timelinePartitionKey(organizationId, leadId);
      if (await getItem(table, { pk, sk: entryIdOf(id) })) return;
      throw new CommandError(
        `${path} has timelines of another organization: name another file for the timelines of organization ${organizationId}.`,
      );
    },
  };
}
