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
import { appender, toStdout } from '../../cli/line-output.ts';
import { type CommandContext, CommandError, existingOrganization, parseId } from '../context.ts';
import { parseTime } from '../parse-time.ts';
import { readRateOption } from '../rate-option.ts';
import {
  createTimelinesFile,
  reopenTimelinesFile,
  type TimelinesFile,
  versionOf,
} from './timelines-file.ts';

interface TimelinesOptions {
  organization: number;
  since?: string;
  out?: string;
  resume?: boolean;
  rate?: number;
}

export function leadTimelinesCommand(lead: Command, context: CommandContext): void {
  lead
    .command('timelines')
    .description('write the timelines of all leads as JSON lines, archived and erased leads too')
    .requiredOption('--organization <ID>', 'organization ID', parseId)
    .option(
      '--since <TIME>',
      'only items at or after this time, and what was imported since; a date (UTC) or a date-time with an offset',
      parseSince,
    )
    .option('--out <FILE>', 'file to write (default: stdout)')
    .option(
      '--resume',
      'add the items that the file does not have yet, whether the file is complete or not',
    )
    .addOption(readRateOption())
    .addHelpText('after', timelinesHelp)
    .action((options: TimelinesOptions, command: Command) =>
      writeTimelines(context, options, command),
    );
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

const parseSince = (text: string): string => new Date(parseTime(text)).toISOString();

async function writeTimelines(
  context: CommandContext,
  { organization: organizationId, since, out, resume = false, rate }: TimelinesOptions,
  command: Command,
): Promise<void> {
  if (resume && out === undefined)
    command.error("error: option '--resume' needs --out <FILE>, the file to continue");
  const table = context.pacedTable(rate);
  const organization = await existingOrganization(table, organizationId);
  if (out === undefined) {
    const { items, leads } = await writeItems(context, {
      table,
      organization,
      since,
      write: toStdout,
    });
    return context.note(`${countOf(items, 'item')} of ${countOf(leads, 'lead')} written.`);
  }
  const file = await (resume
    ? reopenTimelinesFile(out, (items) => assertItemsOf(table, organizationId, items, out))
    : createTimelinesFile(out));
  try {
    const write = await appender(file.handle);
    const { items, leads } = await writeItems(context, { table, organization, since, file, write });
    await file.handle.sync();
    context.print({ items, leads, file: out }, () => {
      const before =
        file.ids.size > 0 ? `, which already had ${countOf(file.ids.size, 'item')}` : '';
      return `${countOf(items, 'item')} of ${countOf(leads, 'lead')} written to ${out}${before}.`;
    });
  } finally {
    await file.handle.close();
  }
}

/** @throws CommandError when the file has the timelines of another organization: an item of a lead that is not erased is nowhere in this one */
async function assertItemsOf(
  table: Table,
  organizationId: number,
  firstItems: TimelinesFile['firstItems'],
  path: string,
): Promise<void> {
  if (firstItems.length === 0) return;
  const erasures = await readErasures(table, organizationId);
  // A lead of the same ID may be erased in this organization: only a lead that is not tells.
  const item = firstItems.find(({ leadId }) => !erasures.has(leadId));
  if (!item) return;
  const pk = timelinePartitionKey(organizationId, item.leadId);
  if (await getItem(table, { pk, sk: entryIdOf(item.id) })) return;
  throw new CommandError(
    `${path} has timelines of another organization: name another file for the timelines of organization ${organizationId}.`,
  );
}

interface TimelinesRequest {
  readonly table: Table;
  readonly organization: Organization;
  readonly since: string | undefined;
  readonly file?: TimelinesFile;
  readonly write: (text: string) => Promise<unknown>;
}

interface Written {
  readonly items: number;
  readonly leads: number;
}

/** Writes the items that the file does not have. */
async function writeItems(context: CommandContext, request: TimelinesRequest): Promise<Written> {
  const { table, organization, since, write } = request;
  let [items, leads] = [0, 0];
  const append = async (lines: readonly string[]): Promise<void> => {
    if (lines.length > 0) await write(lines.join(''));
    items += lines.length;
  };
  const logged = await readErasures(table, organization.id);
  const erased = new Set<string>();
  for await (const timelines of scanTimelines(table, organization.id, since)) {
    for (const timeline of timelines) {
      // A lead that an import created again under its old ID: its erasure came first.
      const erasure = logged.get(timeline.leadId);
      if (erasure) erased.add(erasure.id);
      const lines = [...erasureLines(request, erasure), ...itemLines(request, timeline)];
      await append(lines);
      leads += lines.length > 0 ? 1 : 0;
    }
    context.progress(`Reading timelines: ${countOf(items, 'item')} of ${countOf(leads, 'lead')}`);
  }
  // Read again, because a lead may have been erased meanwhile.
  for (const erasure of (await readErasures(table, organization.id)).values()) {
    if (erased.has(erasure.id)) continue;
    const lines = erasureLines(request, erasure);
    await append(lines);
    leads += lines.length;
  }
  return { items, leads };
}

function itemLines(
  { organization, since = '', file }: TimelinesRequest,
  { leadId, entries }: LeadTimeline,
): string[] {
  const nameOf = (userId: number): string =>
    organization.userById.get(userId)?.name ?? `user ${userId}`;
  return (
    entries
      .flatMap(({ id, entry }) => presentIdentified(leadId, id, presentEntry(entry, nameOf)))
      // A capture that created its lead is two items, of which only one can have been cleaned.
      .filter(({ at, importedAt = at, cleanedAt = importedAt }) => String(cleanedAt) >= since)
      .filter(({ id, cleanedAt }) => !file?.ids.has(leadId, versionOf(id, cleanedAt)))
      .map((item) => `${JSON.stringify(item)}\n`)
  );
}

function erasureLines(
  { since = '', file }: TimelinesRequest,
  erasure: LoggedErasure | undefined,
): string[] {
  if (!erasure || erasure.at < since || file?.ids.has(erasure.leadId, erasure.id)) return [];
  const { leadId, id, at } = erasure;
  return [`${JSON.stringify({ leadId, id, type: 'erased', at })}\n`];
}
