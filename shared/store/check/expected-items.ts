import { crc32 } from 'node:zlib';
import type { Lead } from '../../leads/lead.ts';
import { type Explained, explainedBy, explainedParts } from '../../leads/timeline-replay.ts';
import type { Item } from '../table/items.ts';
import { isCapture, isStoredDateTime, recordLifetimeMs } from './item-issues.ts';
import { type IdentityKind, identityOf } from './lead-issues.ts';

/** What other items must say of a lead, as CRC-32; 0 for an identity that the lead does not have, or whose item was found. */
type Expected = Record<IdentityKind | keyof Explained, number> & { hasTimeline: boolean };

/** As a 32-bit integer, which takes no memory of its own. */
const digestOf = (value: string | undefined): number =>
  value === undefined ? 0 : crc32(value) | 0;

const captureDigest = (leadId: number, keyId: unknown, at: string): number =>
  digestOf(`${leadId} ${keyId} ${at}`);

/**
 * An organization's leads as they were read, and which of their items have been found since. Keeps digests, about 130 bytes for each lead,
 * whatever the lead's size: a wrong value goes unnoticed once in four thousand million.
 */
export class ExpectedItems {
  readonly #byLead = new Map<number, Expected>();
  readonly #captures = new Set<number>();

  add(lead: Lead): void {
    const { version, createdAt, updatedAt, archivedAt, valuesDigest } = explainedBy(lead);
    this.#byLead.set(lead.id, {
      phone: digestOf(identityOf(lead, 'phone')),
      email: digestOf(identityOf(lead, 'email')),
      version: digestOf(version),
      createdAt: digestOf(createdAt),
      updatedAt: digestOf(updatedAt),
      archivedAt: digestOf(archivedAt),
      valuesDigest: digestOf(valuesDigest),
      hasTimeline: false,
    });
  }

  has(leadId: unknown): boolean {
    return typeof leadId === 'number' && this.#byLead.has(leadId);
  }

  /** Marks the item of this phone or email as found. @returns whether the lead has it, and its item was not found before */
  markIdentity(kind: IdentityKind, leadId: unknown, value: string): boolean {
    const expected = typeof leadId === 'number' ? this.#byLead.get(leadId) : undefined;
    if (!expected || expected[kind] !== digestOf(value)) return false;
    expected[kind] = 0;
    return true;
  }

  /** Marks a lead's timeline as found. @returns whether it explains the lead, as far as it says */
  markTimeline(leadId: number, timeline: Explained): boolean {
    const expected = this.#byLead.get(leadId);
    if (!expected) return false;
    expected.hasTimeline = true;
    return explainedParts.every(
      (part) => timeline[part] === undefined || expected[part] === digestOf(timeline[part]),
    );
  }

  /** Remembers the captures that an idempotency record may still tell of. */
  addCapture(leadId: number, entry: Item): void {
    const { at, keyId } = entry;
    if (isCapture(entry) && isStoredDateTime(at) && Date.parse(at) > Date.now() - recordLifetimeMs)
      this.#captures.add(captureDigest(leadId, keyId, at));
  }

  hasCapture(leadId: number, keyId: string, at: string): boolean {
    return this.#captures.has(captureDigest(leadId, keyId, at));
  }

  /** The leads with an item that was not found. */
  *incomplete(): Generator<number> {
    for (const [leadId, { phone, email, hasTimeline }] of this.#byLead)
      if (phone !== 0 || email !== 0 || !hasTimeline) yield leadId;
  }
}
