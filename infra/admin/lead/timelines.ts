import { hash } from 'node:crypto';
import type { Lead } from '../../../shared/leads/lead.ts';
import {
  entryIdOf,
  type IdentifiedItem,
  presentEntry,
  presentIdentified,
} from '../../../shared/leads/timeline.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { highestLeadId, scanTimelines } from '../../../shared/store/leads/read-leads.ts';
import { type LoggedErasure, readErasures } from '../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { getItem } from '../../../shared/store/table/get-item.ts';
import { timelinePartitionKey } from '../../../shared/store/table/primary-keys.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import {
  alreadyHad,
  type FileOptions,
  type RecordForm,
  withFileOptions,
  writeRecords,
} from '../../cli/resumable-file.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { parseTime } from '../options.ts';
import { userNamesOf } from './show.ts';

interface TimelinesOptions extends FileOptions {
  /** ISO 8601, UTC. */
  readonly since?: string;
}

export function leadTimelinesCommand(lead: AdminCommand): void {
  const command = lead
    .ofOrganization(
      'timelines',
      'write the timelines of all leads as JSON lines, archived and erased leads too',
    )
    .option(
      '--since <TIME>',
      'only items dated, imported or cleaned at or after this time; a date (UTC) or a date-time with an offset',
      (text) => new Date(parseTime(text)).toISOString(),
    )
    .withReadRate()
    .notes(timelinesHelp)
    .examples(
      '--organization 1 --out timelines.jsonl --resume',
      '--organization 1 --since 2026-11-20T00:00:00Z --out since-friday.jsonl',
    )
    .json('with --out {"items":N,"leads":N,"file":"…"}, else the lines')
    .run(writeTimelines);
  withFileOptions(command, 'items');
}

const timelinesHelp = `
Each line begins with the lead's ID and the item's ID, which never changes; the
rest is as lead timeline --json prints it. An erased lead leaves one line of type
erased: delete everything you stored about that lead.

Begin each run a minute before the last one began, because an item is dated just
before it is stored, and replace items by their ID. --resume appends the items that
FILE lacks, and those cleaned since. Items in the file stay, even of leads erased
since: after a line erased, write the file new. Only you may read the file. What a
nightly job needs is in infra/guides/commands.md, "Timelines".`;

async function writeTimelines(
  context: CommandContext,
  { since = '', ...files }: TimelinesOptions,
): Promise<void> {
  const table = context.pacedTable();
  const organization = await context.organization();
  const form = timelinesForm(table, organization.id);
  let [items, leads] = [0, 0];
  const earlier = await writeRecords(files, form, async (write) => {
    for (const numbers of [form.hashes, form.leads]) numbers.sort();
    const erasures = await readErasures(table, organization.id);
    // If an erasure is not complete, or cleaned very many leads, its entry does not name them. Then every timeline is read.
    const isResumed =
      form.leads.size > 0 && erasures.every(({ cleanedLeadIds }) => cleanedLeadIds !== undefined);
    const leadsAtMost = countOf(await highestLeadId(table, organization.id), 'lead');
    context.note(
      isResumed
        ? `Reading at most ${leadsAtMost}, and the timelines that have more items than the file, or that an erasure cleaned.`
        : `Reading at most ${leadsAtMost}, and at least one read unit for the timeline of each.`,
    );
    // Leads for which the number of items proves nothing, because their items were cleaned or they were created again under an erased ID.
    const uncounted = new Set(
      erasures.flatMap(({ leadId, cleanedLeadIds = [] }) => [leadId, ...cleanedLeadIds]),
    );
    const mayHaveNew = ({ id, version }: Lead) =>
      !isResumed || uncounted.has(id) || form.leads.count(BigInt(id)) !== version;
    for await (const lines of timelineLines(table, organization, since, { erasures, mayHaveNew })) {
      const added = lines.filter((line) => form.hashes.count(form.idOf(line)?.hash ?? 0n) === 0);
      await write(added);
      items += added.length;
      leads += added.length > 0 ? 1 : 0;
      context.progress(`Reading timelines: ${countOf(items, 'item')} of ${countOf(leads, 'lead')}`);
    }
  });
  const written = `${countOf(items, 'item')} of ${countOf(leads, 'lead')} written`;
  const { out: file } = files;
  if (file === undefined) return context.note(`${written}.`);
  const had = alreadyHad(earlier.count, 'item');
  context.print({ items, leads, file }, `${written} to ${file}${had}.`);
}

/**
 * @param since ISO 8601, UTC; empty for all items
 * @param erasures the erasures that have started
 * @param mayHaveNew the leads whose timelines are read
 * @returns the lines, one lead after the other
 */
async function* timelineLines(
  table: Table,
  organization: Organization,
  since: string,
  { erasures, mayHaveNew }: ReadTimelines,
): AsyncGenerator<string[]> {
  const erasureOf = lastErasures(erasures);
  const written = new Set<string>();
  const pages = scanTimelines(table, organization.id, since || undefined, mayHaveNew);
  for await (const timelines of pages) {
    for (const { leadId, entries } of timelines) {
      const items = entries.flatMap(({ id, entry }) =>
        presentIdentified(leadId, id, presentEntry(entry, userNamesOf(organization))),
      );
      // If an import created a lead again under its old ID, the erasure comes before it.
      const erasure = erasureOf.get(leadId);
      if (erasure) written.add(erasure.id);
      yield linesSince(since, erasure ? [erasedItem(erasure), ...items] : items);
    }
  }
  // Read again, because a lead may have been erased meanwhile.
  for (const erasure of lastErasures(await readErasures(table, organization.id)).values())
    if (!written.has(erasure.id)) yield linesSince(since, [erasedItem(erasure)]);
}

interface ReadTimelines {
  readonly erasures: readonly LoggedErasure[];
  readonly mayHaveNew: (lead: Lead) => boolean;
}

/** The last erasure by lead. */
const lastErasures = (erasures: readonly LoggedErasure[]) =>
  new Map(erasures.map((erasure) => [erasure.leadId, erasure]));

type TimelinesItem = Omit<IdentifiedItem, 'actor'>;

const erasedItem = ({ leadId, id, at }: LoggedErasure): TimelinesItem => ({
  leadId,
  id,
  type: 'erased',
  at,
});

/** A capture that created its lead is two items, only one of which can have been cleaned. */
const linesSince = (since: string, items: readonly TimelinesItem[]): string[] =>
  items
    .filter(({ at, importedAt = at, cleanedAt = importedAt }) => cleanedAt >= since)
    .map((item) => `${JSON.stringify(item)}\n`);

/**
 * The beginning of a line: the IDs of the lead and the item and, if it was cleaned, the time of that. An item that is cleaned again is a
 * new record.
 */
const idsPattern =
  /^\{"leadId":(\d{1,10}),"id":"([^"\\]{1,100})",(?:"type":"[a-z_]{1,20}","at":"[^"\\]{1,40}","cleanedAt":"[^"\\]{1,40}")?/;
/** Among ten million items, two hashes share their first 64 bits with a probability of 1 in 370,000. */
const hashOf = (text: string): bigint => hash('sha256', text, 'buffer').readBigUInt64LE();
/** How many leads identify a file's organization, even if most of them have been erased since. */
const firstLeadsMax = 100;

/** A timeline item in a file. */
interface FileItem {
  readonly leadId: number;
  readonly id: string;
  readonly hash: bigint;
}

/** How timelines recognize their items in a file. */
interface TimelinesForm extends RecordForm<FileItem> {
  readonly hashes: Numbers;
  /** The lead of each entry, because a lead's version says how many entries its timeline has. */
  readonly leads: Numbers;
}

export function timelinesForm(table: Table, organizationId: number): TimelinesForm {
  const firstItems = new Map<number, string>();
  const [hashes, leads] = [new Numbers(), new Numbers()];
  return {
    hashes,
    leads,
    heading: '',
    onRecord: ({ leadId, id, hash }) => {
      hashes.add(hash);
      // An entry can be two items, of which the last one has the entry's ID.
      if (entryIdOf(id) === id) leads.add(BigInt(leadId));
    },
    idOf: (start) => {
      const [begins, digits, id] = idsPattern.exec(start) ?? [];
      if (begins === undefined || id === undefined) return undefined;
      const leadId = Number(digits);
      if (firstItems.size < firstLeadsMax && !firstItems.has(leadId)) firstItems.set(leadId, id);
      return { leadId, id, hash: hashOf(begins) };
    },
    nounOfRecord: 'timeline item',
    assertOwn: async (path) => {
      // An erased lead of this organization may have the same ID, so only leads that are not erased decide.
      const erasures = await readErasures(table, organizationId);
      const erased = new Set(erasures.map(({ leadId }) => leadId));
      const [leadId, id] = [...firstItems].find(([leadId]) => !erased.has(leadId)) ?? [];
      if (leadId === undefined || id === undefined) return;
      const pk = timelinePartitionKey(organizationId, leadId);
      if (await getItem(table, { pk, sk: entryIdOf(id) })) return;
      throw new CommandError(
        `${path} has timelines of another organization: name another file for the timelines of organization ${organizationId}.`,
      );
    },
  };
}

/**
 * The numbers of a file's items, in 8 bytes each, because a file may have millions. A `Map` would need several times the memory, and is
 * full at 16.7 million.
 */
export class Numbers {
  #numbers = new BigUint64Array(1024);
  size = 0;

  add(number: bigint): void {
    if (this.size === this.#numbers.length) {
      const full = this.#numbers;
      this.#numbers = new BigUint64Array(2 * this.size);
      this.#numbers.set(full);
    }
    this.#numbers[this.size] = number;
    this.size += 1;
  }

  /** Call it after the last `add` and before the first `count`. */
  sort(): void {
    this.#numbers.subarray(0, this.size).sort();
  }

  /** How often the number was added. */
  count(number: bigint): number {
    return this.#firstFrom(number + 1n) - this.#firstFrom(number);
  }

  /** The position of the first number that is not lower. */
  #firstFrom(number: bigint): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#numbers[middle] ?? number) < number) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
