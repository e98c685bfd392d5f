import type { Lead } from '../../leads/lead.ts';
import {
  type Explained,
  explainedBy,
  TimelineReplay,
  unexplainedParts,
} from '../../leads/timeline-replay.ts';
import type { Organization } from '../../organization/organization.ts';
import type { Item, Stored, TimelineEntryItem } from '../table/items.ts';
import {
  emailPrimaryKey,
  type ItemKind,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import {
  capturedAt,
  entryIssues,
  isCapture,
  isExpired,
  itemIssues,
  recordedLead,
  recordIssues,
  recordLifetimeMs,
} from './item-issues.ts';
import { type IdentityKind, identityOf, leadIn, leadIssues } from './lead-issues.ts';
import { organizationIn } from './look-at-organization.ts';

/** A sentence about what is wrong with an item. A lead's key includes its timeline. */
export type Issue = readonly [key: PrimaryKey, sentence: string];

const identityKinds = ['phone', 'email'] as const;
const identityKey = { phone: phonePrimaryKey, email: emailPrimaryKey };

/** The keys of the items of a lead's phone and email. */
export const identityKeysIn = (lead: Lead): PrimaryKey[] =>
  identityKinds.flatMap((kind) => {
    const value = identityOf(lead, kind);
    return value === undefined ? [] : identityKey[kind](lead.organizationId, value);
  });

/** A lead's values. A phone or email is removed once its item is found. */
type KeptLead<Kept> = Record<IdentityKind | keyof Explained, Kept> & { hasTimeline: boolean };

/**
 * The rules for an organization's leads and the items that must match them. Pass the leads first, then all other items in any order, and
 * each timeline as a whole.
 */
export class LeadRules<Kept extends string | number | undefined> {
  readonly #organizationId: number;
  readonly #organization: Organization | undefined;
  readonly #lastLeadId: number | undefined;
  readonly #keep: (value: string | undefined) => Kept;
  readonly #leads = new Map<number, KeptLead<Kept>>();
  readonly #captures = new Set<Kept>();
  readonly #erasing = new Set<unknown>();
  /** The leads that identity items name without having the phone or email. */
  readonly #wrongHolders = new Map<string, unknown>();

  /**
   * @param settings the item of the organization's settings; without it, references to settings are not checked
   * @param keep the form in which values are compared: unchanged, or as a digest if nobody reads the sentences
   */
  constructor(
    organizationId: number,
    { settings, usage }: Readonly<Record<'settings' | 'usage', Item | undefined>>,
    keep: (value: string | undefined) => Kept,
  ) {
    this.#organizationId = organizationId;
    this.#organization = organizationIn(settings);
    this.#lastLeadId = typeof usage?.lastLeadId === 'number' ? usage.lastLeadId : undefined;
    this.#keep = keep;
  }

  /** Checks an item by itself, and against its lead. @param kind any kind except a timeline entry */
  *item(item: Stored<Item>, kind: ItemKind): Generator<Issue> {
    for (const issue of itemIssues(item, kind, item)) yield [item, issue];
    if (kind.kind === 'lead') yield* this.#addLead(item, kind.leadId);
    if (kind.kind === 'erasure') this.#erasing.add(kind.leadId);
    if (kind.kind === 'phone' || kind.kind === 'email') yield* this.#identity(item, kind);
    if (kind.kind === 'importedRow') yield* this.#importedRow(item);
    if (kind.kind === 'idempotency') yield* this.#record(item, kind.keyId);
  }

  *#addLead(item: Stored<Item>, leadId: number): Generator<Issue> {
    const lead = leadIn(this.#organizationId, leadId, item);
    for (const issue of leadIssues(lead, item, this.#organization, this.#lastLeadId))
      yield [item, issue];
    const explained = explainedBy(lead);
    this.#leads.set(leadId, {
      phone: this.#keep(identityOf(lead, 'phone')),
      email: this.#keep(identityOf(lead, 'email')),
      version: this.#keep(explained.version),
      createdAt: this.#keep(explained.createdAt),
      updatedAt: this.#keep(explained.updatedAt),
      archivedAt: this.#keep(explained.archivedAt),
      valuesDigest: this.#keep(explained.valuesDigest),
      hasTimeline: false,
    });
  }

  /** Checks that the lead that an identity item names exists, and has the phone or email. */
  *#identity(
    item: Stored<Item>,
    { kind, value }: { readonly kind: IdentityKind; readonly value: string },
  ): Generator<Issue> {
    const { leadId } = item;
    const lead = this.#kept(leadId);
    if (lead && lead[kind] === this.#keep(value)) {
      lead[kind] = this.#keep(undefined);
      return;
    }
    this.#wrongHolders.set(keyText(item), leadId);
    const names = `The item ${keyText(item)} names`;
    const ofLead = `${names} lead ${leadId} of organization ${this.#organizationId}`;
    if (typeof leadId !== 'number') yield [item, `${names} no lead.`];
    else if (!lead) yield [item, `${ofLead}, which is not there.`];
    else yield [item, `${ofLead}, whose ${kind} is ${lead[kind] ?? 'missing'}.`];
  }

  /** Checks that the lead of an imported row exists. An erasure, which is reported separately, deletes the row too. */
  *#importedRow(row: Stored<Item>): Generator<Issue> {
    const { leadId } = row;
    if (this.#kept(leadId) || this.#erasing.has(leadId)) return;
    const became = `became lead ${leadId} of organization ${this.#organizationId}`;
    yield [row, `The imported row ${keyText(row)} ${became}, which is not there.`];
  }

  /** Checks that the lead of an idempotency record exists, and has the capture on its timeline, because both are written together. */
  *#record(record: Stored<Item>, keyId: string): Generator<Issue> {
    const says = `The idempotency record ${keyText(record)}`;
    const issues = [...recordIssues(record)];
    for (const issue of issues) yield [record, `${says} ${issue}.`];
    const leadId = recordedLead(record);
    if (typeof leadId !== 'number') return yield [record, `${says} names no lead.`];
    const names = `${says} names lead ${leadId} of organization ${this.#organizationId}`;
    if (!this.#leads.has(leadId)) {
      if (!this.#erasing.has(leadId)) yield [record, `${names}, which is not there.`];
      return;
    }
    if (issues.length > 0 || isExpired(record)) return;
    const at = capturedAt(record);
    if (!this.#captures.has(this.#capture(leadId, keyId, at)))
      yield [
        record,
        `${names}, whose timeline has no capture by key ${keyId} at ${at}: delete the record, or look for the enquiry in a backup.`,
      ];
  }

  #capture(leadId: number, keyId: unknown, at: string): Kept {
    return this.#keep(`${leadId} ${keyId} ${at}`);
  }

  /** Checks an entry by itself, and remembers a capture that may have an idempotency record. */
  *entry(leadId: number, entry: Stored<Item>): Generator<Issue> {
    const [at = ''] = entry.sk.split('#');
    if (isCapture(entry) && Date.parse(at) > Date.now() - recordLifetimeMs)
      this.#captures.add(this.#capture(leadId, entry.keyId, at));
    if (!this.#leads.has(leadId)) return;
    for (const issue of entryIssues(entry, this.#organization))
      yield [this.#keyOf(leadId), `The timeline entry ${keyText(entry)} ${issue}.`];
  }

  /** Checks that the lead of a timeline exists, has exactly one opening entry, and agrees with the timeline. */
  *timeline(leadId: number, timeline: TimelineReplay<TimelineEntryItem>): Generator<Issue> {
    const organizationId = this.#organizationId;
    const [key, pk] = [this.#keyOf(leadId), timelinePartitionKey(organizationId, leadId)];
    const lead = this.#leads.get(leadId);
    if (!lead) {
      // The erasure is reported separately, and removes the timeline.
      const has = `has entries, but organization ${organizationId} has no lead ${leadId}.`;
      if (!this.#erasing.has(leadId)) yield [key, `The timeline ${pk} ${has}`];
      return;
    }
    lead.hasTimeline = true;
    const { openings, explained } = timeline;
    if (openings.length !== 1) {
      const keys = openings.map(({ sk }) => sk).join(', ') || 'lead_created or captured_new';
      const has = `has ${openings.length} opening entries (${keys}) on its timeline ${pk}.`;
      return yield [key, `${this.#nameOf(leadId)} ${has}`];
    }
    for (const part of unexplainedParts(lead, explained, this.#keep))
      yield [key, `${this.#nameOf(leadId)} ${unexplained[part](lead, explained)}.`];
  }

  /** Reports what only shows after all items: a phone or email without its item, and a lead without a timeline. */
  *missing(): Generator<Issue> {
    for (const [leadId, lead] of this.#leads) {
      if (!lead.hasTimeline) yield* this.timeline(leadId, new TimelineReplay());
      for (const kind of identityKinds) {
        if (lead[kind] === this.#keep(undefined)) continue;
        const name = keyText(identityKey[kind](this.#organizationId, String(lead[kind])));
        const holder = this.#wrongHolders.get(name);
        const names = holder === undefined ? 'names no lead' : `names lead ${holder}`;
        const is = this.#wrongHolders.has(name) ? names : 'is not there';
        const has = `has the ${kind} ${lead[kind]}, but the item ${name} ${is}.`;
        yield [this.#keyOf(leadId), `${this.#nameOf(leadId)} ${has}`];
      }
    }
  }

  #kept(leadId: unknown): KeptLead<Kept> | undefined {
    return typeof leadId === 'number' ? this.#leads.get(leadId) : undefined;
  }

  #keyOf(leadId: number): PrimaryKey {
    return leadPrimaryKey(this.#organizationId, leadId);
  }

  #nameOf(leadId: number): string {
    return `Lead ${leadId} of organization ${this.#organizationId}`;
  }
}

const isMissing = 'an entry is missing, or the lead was changed without one';
type Values = Readonly<Record<keyof Explained, unknown>>;
/** What to report about a part of a lead that its timeline does not explain. */
const unexplained: Readonly<Record<keyof Explained, (lead: Values, timeline: Values) => string>> = {
  version: (lead, timeline) =>
    `has the version ${lead.version}, but its timeline ends at version ${timeline.version}: ${isMissing}`,
  createdAt: (lead, timeline) =>
    `was created at ${lead.createdAt}, but its timeline begins at ${timeline.createdAt}`,
  updatedAt: (lead, timeline) =>
    `was updated at ${lead.updatedAt}, but by its timeline at ${timeline.updatedAt}: ${isMissing}`,
  archivedAt: (lead, timeline) =>
    `${archived(lead)}, but by its timeline it ${archived(timeline)}: npm run admin -- lead archive or restore sets it right`,
  valuesDigest: () =>
    'has a stage, pipeline or field that its timeline does not explain: it was changed without an entry. Compare it with a backup',
};
const archived = ({ archivedAt }: Values): string =>
  archivedAt === '' ? 'is not archived' : `is archived since ${archivedAt}`;
