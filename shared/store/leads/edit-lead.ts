import { changesBetween } from '../../leads/changes.ts';
import type { Lead } from '../../leads/lead.ts';
import type { FieldChange } from '../../leads/timeline.ts';
import { countReference } from '../organizations/replace-settings.ts';
import type { Table } from '../table/client.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { findLeadByIdentity } from './create-lead.ts';
import { type IdentityHolder, identityOf } from './identities.ts';
import { readLead } from './leads.ts';
import { addToTimeline, readTimeline } from './timeline.ts';
import { changedLeadWrites, writeUpdate } from './update-lead.ts';

/** A lead that an administrator changes. */
export interface EditedLead {
  readonly organizationId: number;
  readonly leadId: number;
  /** Who runs the command, for the timeline. */
  readonly by: string;
  /** Writes nothing, but returns the same result. */
  readonly dryRun?: boolean;
}

export type EditLeadResult =
  | { readonly outcome: 'changed'; readonly changes: readonly FieldChange[] }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'duplicate'; readonly holder: IdentityHolder };

interface Edit {
  /** The changed lead, or the lead itself to leave it as it is. */
  readonly lead: Lead;
  /** Set if the edit refers to an inactive item: if the settings no longer have this version, the edit is decided again. */
  readonly settingsVersion?: number | undefined;
}

/**
 * Changes a lead as the administrator, with an entry on its timeline. Costs one read and one transaction, repeated while other requests
 * write the lead.
 * @param edit called again for each attempt
 * @throws ContentionError, and what `edit` throws
 */
export function editLead(
  table: Table,
  { organizationId, leadId, by, dryRun = false }: EditedLead,
  edit: (before: Lead) => Edit | Promise<Edit>,
): Promise<EditLeadResult> {
  return retryOnConflict<EditLeadResult>(async () => {
    const before = await readLead(table, organizationId, leadId);
    if (!before) return { outcome: 'absent' };
    const { lead: after, settingsVersion } = await edit(before);
    const changes = changesBetween(before, after);
    if (changes.length === 0) return { outcome: 'unchanged' };
    if (dryRun) {
      const holder = await findLeadByIdentity(table, identityOf(after), leadId);
      return holder ? { outcome: 'duplicate', holder } : { outcome: 'changed', changes };
    }
    const entry = { at: after.updatedAt, actorId: null, by, via: 'admin', changes } as const;
    const writes = changedLeadWrites(before, after, { type: 'lead_updated', ...entry });
    if (settingsVersion !== undefined) writes.push(countReference(organizationId, settingsVersion));
    const written = await writeUpdate(table, after, writes);
    if (written.outcome === 'conflict') return conflict;
    return written.outcome === 'duplicate' ? written : { outcome: 'changed', changes };
  });
}

/**
 * Adds a note to a lead's timeline as the administrator, unless an earlier run has added it.
 * @param lastEntries how many entries at the end of the timeline are searched for the note
 * @returns whether the note was missing; undefined if there is no such lead
 */
export async function addMissingNote(
  table: Table,
  { organizationId, leadId, by, dryRun = false }: EditedLead,
  text: string,
  lastEntries: number,
): Promise<boolean | undefined> {
  const entries = (await readTimeline(table, organizationId, leadId)).slice(-lastEntries);
  const note = { type: 'note_added', actorId: null, by, via: 'admin', text } as const;
  if (
    entries.some(
      (entry) => entry.type === note.type && entry.actorId === null && entry.text === text,
    )
  )
    return false;
  if (dryRun) return true;
  const at = await addToTimeline(table, organizationId, leadId, (at) => ({ ...note, at }));
  return at === undefined ? undefined : true;
}
