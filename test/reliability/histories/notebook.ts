import type { EndpointName } from '../../../shared/endpoints.ts';
import type { FieldValue } from '../../../shared/leads/lead.ts';

/** What a client may conclude from the answers to one request: it took effect, it did not, or nobody said. */
export type Verdict = 'done' | 'refused' | 'unknown';

/** One effect that was asked for, by a marker that stands in this effect and in no other. */
export interface Claim {
  readonly kind: 'capture' | 'create' | 'update' | 'note';
  readonly marker: string;
  /** What the request said of the fields that the judge follows. */
  readonly submitted: Readonly<Record<string, FieldValue | null>>;
  verdict: Verdict;
  /** The lead that an answer named. */
  leadId: number | undefined;
}

interface ArchiveCount {
  archive: number;
  restore: number;
  /** Acknowledged archives and restores. */
  done: number;
}

/** All that the clients of one history were told, against which the table is judged. */
export class Notebook {
  readonly claims: Claim[] = [];
  /** What an answer alone shows to be wrong. */
  readonly violations: string[] = [];
  /** `endpoint status` to how many such answers; status `none` where no answer came. */
  readonly answers = new Map<string, number>();
  /** Leads that an answer named as made. */
  readonly leadIds: number[] = [];
  readonly archiving = new Map<number, ArchiveCount>();
  /** By lead, the latest `updatedAt` that was acknowledged: no read may show less. */
  readonly updatedAt = new Map<number, string>();
  /** What is left to ask again when all is well. */
  readonly unsettled: (() => Promise<void>)[] = [];
  /** Unknown outcomes that a later answer to the same client settled. */
  settled = 0;

  claim(kind: Claim['kind'], marker: string, submitted: Claim['submitted'] = {}): Claim {
    const claim: Claim = { kind, marker, submitted, verdict: 'refused', leadId: undefined };
    this.claims.push(claim);
    return claim;
  }

  answered(endpoint: EndpointName, status: number | undefined): void {
    const name = `${endpoint} ${status ?? 'none'}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
  }

  made(leadId: number): void {
    if (!this.leadIds.includes(leadId)) this.leadIds.push(leadId);
  }

  saw(leadId: number, updatedAt: string): void {
    if (updatedAt > (this.updatedAt.get(leadId) ?? '')) this.updatedAt.set(leadId, updatedAt);
  }

  archivingOf(leadId: number): ArchiveCount {
    const count = this.archiving.get(leadId) ?? { archive: 0, restore: 0, done: 0 };
    this.archiving.set(leadId, count);
    return count;
  }
}

/** What a status says about a write. */
export function verdictOf(status: number | undefined): Verdict {
  if (status === undefined || status === 500) return 'unknown';
  return status < 300 ? 'done' : 'refused';
}

/** Several answers to the same request: done by one is done, and what one left open stays open. */
export function together(before: Verdict, next: Verdict): Verdict {
  if (before === 'done' || next === 'done') return 'done';
  return before === 'unknown' || next === 'unknown' ? 'unknown' : 'refused';
}
