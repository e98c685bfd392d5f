import { hash } from 'node:crypto';
import {
  entryIdOf,
  type IdentifiedItem,
  presentEntry,
  presentIdentified,
} from '../../../shared/leads/timeline.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { scanTimelines } from '../../../shared/store/leads/read-leads.ts';
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
    form.hashes.sort();
    for await (const lines of timelineLines(table, organization, since)) {
      const added = lines.filter((line) => !form.hashes.has(form.idOf(line)));
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

/** @param since ISO 8601, UTC; empty for all items @returns the lines of one lead after the other */
async function* timelineLines(
  table: Table,
  organization: Organization,
  since: string,
): AsyncGenerator<string[]> {
  const erasures = await readErasures(table, organization.id);
  const written = new Set<string>();
  for await (const timelines of scanTimelines(table, organization.id, since || undefined)) {
    for (const { leadId, entries } of timelines) {
      const items = entries.flatMap(({ id, entry }) =>
        presentIdentified(leadId, id, presentEntry(entry, userNamesOf(organization))),
      );
      // A lead that an import created again under its old ID: its erasure came first.
      const erasure = erasures.get(leadId);
      if (erasure) written.add(erasure.id);
      yield linesSince(since, erasure ? [erasedItem(erasure), ...items] : items);
    }
  }
  // Read again, because a lead may have been erased meanwhile.
  for (const erasure of (await readErasures(table, organization.id)).values())
    if (!written.has(erasure.id)) yield linesSince(since, [erasedItem(erasure)]);
}

type TimelinesItem = Omit<IdentifiedItem, 'actor'>;

const erasedItem = ({ leadId, id, at }: LoggedErasure): TimelinesItem => ({
  leadId,
  id,
  type: 'erased',
  at,
});

/** A capture that created its lead is two items. Only one of them can have been cleaned. */
const linesSince = (since: string, items: readonly TimelinesItem[]): string[] =>
  items
    .filter(({ at, importedAt = at, cleanedAt = importedAt }) => cleanedAt >= since)
    .map((item) => `${JSON.stringify(item)}\n`);

/**
 * How a line begins: the IDs of the lead and of the item, and the time when it was cleaned, if it was. An item that was cleaned again is
 * another record.
 */
const idsPattern =
  /^\{"leadId":(\d{1,10}),"id":"([^"\\]{1,100})",(?:"type":"[a-z_]{1,20}","at":"[^"\\]{1,40}","cleanedAt":"[^"\\]{1,40}")?/;
/** Of the hashes of ten million items, two have the same first 64 bits with a probability of 1 in 370,000. */
const hashOf = (text: string): bigint => hash('sha256', text, 'buffer').readBigUInt64LE();
/** So many leads identify a file's organization, even if most of them have been erased since. */
const firstLeadsMax = 100;

/** How timelines recognize their items in a file. */
export function timelinesForm(
  table: Table,
  organizationId: number,
): RecordForm<bigint> & { readonly hashes: Hashes } {
  const firstItems = new Map<number, string>();
  const hashes = new Hashes();
  return {
    hashes,
    heading: '',
    onRecord: (hash) => hashes.add(hash),
    idOf: (start) => {
      const [begins, digits, id] = idsPattern.exec(start) ?? [];
      if (begins === undefined || id === undefined) return undefined;
      const leadId = Number(digits);
      if (firstItems.size < firstLeadsMax && !firstItems.has(leadId)) firstItems.set(leadId, id);
      return hashOf(begins);
    },
    nounOfRecord: 'timeline item',
    assertOwn: async (path) => {
      // An erased lead of this organization may have the same ID: only a lead that is not erased decides.
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

/** Hashes of the items that a file has, in 8 bytes each: a file may have millions. A `Set` needs several times the memory, and is full at 16.7 million. */
export class Hashes {
  #hashes = new BigUint64Array(1024);
  #size = 0;

  add(hash: bigint): void {
    if (this.#size === this.#hashes.length) {
      const full = this.#hashes;
      this.#hashes = new BigUint64Array(2 * this.#size);
      this.#hashes.set(full);
    }
    this.#hashes[this.#size] = hash;
    this.#size += 1;
  }

  /** After the last `add`, and before the first `has`. */
  sort(): void {
    this.#hashes.subarray(0, this.#size).sort();
  }

  has(hash: bigint | undefined): boolean {
    if (hash === undefined) return false;
    let [from, to] = [0, this.#size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#hashes[middle] ?? hash) < hash) from = middle + 1;
      else to = middle;
    }
    return from < this.#size && this.#hashes[from] === hash;
  }
}
