import type { Context } from 'hono';
import { html } from 'hono/html';
import { isStorableText } from '../../../../shared/base/json.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { limits } from '../../../../shared/contract/limits.ts';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { updatedLead } from '../../../../shared/leads/update.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import {
  addMissingNote,
  type EditLeadResult,
  editLead,
} from '../../../../shared/store/leads/edit-lead.ts';
import { readLead } from '../../../../shared/store/leads/leads.ts';
import { readTimeline } from '../../../../shared/store/leads/timeline.ts';
import { listApiKeys } from '../../../../shared/store/organizations/api-keys.ts';
import { countOf } from '../../../cli/format.ts';
import { audited } from '../../context.ts';
import { dossierOf } from '../../lead/show.ts';
import { tableForOneWrite } from '../../one-write.ts';
import { type Desk, type Form, leadAt, type View } from '../desk.ts';
import {
  copyable,
  doButton,
  type Html,
  jsonFile,
  notice,
  page,
  readOnlyNote,
  timeText,
} from '../layout.ts';
import {
  isSameTyped,
  leadForm,
  openedIn,
  type Refusals,
  type Typed,
  typedIn,
  typedOf,
} from './lead-form.ts';
import { timelineStory } from './timeline.ts';
import { labelOf, shownValue, valueIn } from './values.ts';

/** One lead: its fields, its timeline, and what can be done with it. */
export const leadView: View = {
  path: '/o/:organization/leads/:lead',
  get: async (context, desk) => {
    const { organization, lead } = await leadAt(context, desk);
    if (context.req.query('file') === 'dossier') {
      const dossier = await dossierOf(desk.pacedTable, organization, lead);
      return jsonFile(context, `lead-${lead.id}.json`, dossier);
    }
    return leadPage(context, desk, { organization, lead, said: saidBefore(context) });
  },
  post: async (context, desk, form) => {
    const { organization, lead } = await leadAt(context, desk);
    const what = form.text(':do');
    if (what === 'note') return addNote(context, desk, { organization, lead }, form.text('note'));
    if (what === 'archive' || what === 'restore') {
      const archived = what === 'archive';
      const by = { archived, who: await desk.who() };
      await setArchived(desk.table, organization.id, lead.id, by);
      return context.redirect(`${context.req.path}?done=${what}d`, 303);
    }
    return edit(context, desk, { organization, lead }, form);
  },
};

const said: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  same: 'Nothing was changed.',
  noted: 'The note was added.',
  archived: 'Archived: the API does not return the lead. Its phone and email stay taken.',
  restored: 'Restored: the API returns the lead again.',
};
const saidBefore = ({ req }: Context): string | undefined => said[req.query('done') ?? ''];

interface Shown {
  readonly organization: Organization;
  readonly lead: Lead;
  readonly said?: string | undefined;
  /** The typed values that were refused, with the reasons. */
  readonly refused?: { readonly typed: Typed; readonly opened: Typed; readonly refusals: Refusals };
  /** A note that was refused. */
  readonly note?: { readonly text: string; readonly refusal: string };
}

async function leadPage(context: Context, desk: Desk, shown: Shown): Promise<Response> {
  const { organization, lead, refused, note } = shown;
  const entries = await readTimeline(desk.table, organization.id, lead.id);
  const keys = await listApiKeys(desk.table, organization.id);
  const keyLabels = new Map(keys.map(({ keyId, label }) => [keyId, label]));
  const values = typedOf(organization, lead);
  const form = leadForm({
    organization,
    lead,
    ...(refused ?? { typed: values, opened: values, refusals: new Map() }),
  });
  const isWhole = context.req.query('timeline') === 'whole';
  const status = refused || note ? 422 : 200;
  return page(context, { title: `${lead.fields.name}`, organization, status }, [
    html`<p>Lead ${lead.id}, created ${timeText(lead.createdAt)}, changed ${timeText(lead.updatedAt)}.${lead.archivedAt && html` <span class="badge">archived ${timeText(lead.archivedAt)}</span>`}</p>`,
    notice(shown.said),
    readOnlyNote(desk),
    html`<div class="columns"><div>${desk.isReadOnly ? valueList(organization, lead) : form}</div>
<div>${!desk.isReadOnly && noteForm(note)}
<h2>Timeline</h2>${timelineStory(organization, entries, keyLabels, isWhole)}
${actions(desk, organization, lead)}</div></div>`,
  ]);
}

/** The values without inputs. */
const valueList = (organization: Organization, lead: Lead): Html =>
  html`<dl>${['stage', 'pipeline', ...organization.fields.map(({ key }) => key)].map((key) => {
    const value = shownValue(organization, key, valueIn(lead, key));
    return (
      value !== '' &&
      html`<dt><bdi>${labelOf(organization, key)}</bdi></dt><dd class="text" dir="auto">${value}</dd>`
    );
  })}</dl>`;

const noteForm = (note: Shown['note']): Html =>
  html`<form method="post"><h2><label for="note">Note</label></h2>
<textarea id="note" name="note" rows="3"${note && html` aria-invalid="true" aria-describedby="refused-note"`}>
${note?.text}</textarea>${note && html`<p class="bad" id="refused-note" data-refused="note">${note.refusal}</p>`}
<p>${doButton('note', 'Add the note')}</p></form>`;

function actions({ isReadOnly, commandEnd }: Desk, { id }: Organization, lead: Lead): Html {
  const erase = `npm run admin -- lead erase --organization ${id} --lead ${lead.id}${commandEnd} --dry-run`;
  const isArchived = lead.archivedAt !== undefined;
  return html`<h2>More</h2>
${!isReadOnly && html`<form method="post"><p>${isArchived ? doButton('restore', 'Restore the lead') : doButton('archive', 'Archive the lead')} ${isArchived ? 'The API returns it again.' : 'The API no longer returns it; its phone and email stay taken.'}</p></form>`}
<p><a href="?file=dossier" download>Download the dossier</a>: everything that is stored of this person. It reads the whole table, which can take minutes.</p>
<p>To erase the person, run this, read what it says, and run it again without <code>--dry-run</code>:</p>${copyable(erase)}`;
}

type OfLead = Pick<Shown, 'organization' | 'lead'>;

/** Runs an edit with the audit entry of `lead edit`. @param isDone whether the lead was changed */
async function auditedEdit<T>(
  { table, who }: Desk,
  { organization, lead }: OfLead,
  run: () => Promise<T>,
  isDone: (result: T) => boolean,
): Promise<T> {
  const own = { table, organizationId: organization.id };
  const action = { who: await who(), what: `lead edit ${lead.id}`, leadIds: [lead.id] };
  return audited(own, action, run, (result) => countOf(isDone(result) ? 1 : 0, 'lead'));
}

async function addNote(context: Context, desk: Desk, of: OfLead, text: string): Promise<Response> {
  const { organization, lead } = of;
  const isText =
    text.trim() !== '' && isStorableText(text) && [...text].length <= limits.noteMaxChars;
  if (!isText) {
    const refusal = `must be a text of 1 to ${limits.noteMaxChars} characters, without U+0000.`;
    return leadPage(context, desk, { ...of, note: { text, refusal } });
  }
  const by = { organizationId: organization.id, leadId: lead.id, by: await desk.who() };
  await auditedEdit(desk, of, () => addMissingNote(desk.table, by, text.trim(), 1), Boolean);
  return context.redirect(`${context.req.path}?done=noted`, 303);
}

/**
 * Applies the values that were typed since the form was opened. Refuses each field that others have changed meanwhile, unless its new value
 * equals the typed one.
 */
async function edit(context: Context, desk: Desk, of: OfLead, form: Form): Promise<Response> {
  const { organization } = of;
  const typed = typedIn(organization, form);
  const opened = openedIn(typed, form);
  const changed = [...typed.keys()].filter(
    (key) => !opened.has(key) || !isSameTyped(typed.get(key), opened.get(key)),
  );
  if (changed.length === 0) return context.redirect(`${context.req.path}?done=same`, 303);
  const refusals = await auditedEdit(
    desk,
    of,
    () => changeLead(desk, of, { typed, opened, changed }),
    ({ size }) => size === 0,
  );
  if (refusals.size === 0) return context.redirect(`${context.req.path}?done=saved`, 303);
  const lead = (await readLead(desk.table, organization.id, of.lead.id)) ?? of.lead;
  const now = typedOf(organization, lead);
  // All other inputs show the lead's current values. If a refused value is sent again, it is compared with these.
  const shown = new Map([...now, ...changed.map((key) => [key, typed.get(key) ?? []] as const)]);
  return leadPage(context, desk, {
    organization,
    lead,
    refused: { typed: shown, opened: now, refusals },
  });
}

interface Changes {
  readonly typed: Typed;
  readonly opened: Typed;
  readonly changed: readonly string[];
}

/** Thrown if an edit would overwrite the changes of others. */
class ChangedMeanwhile extends Error {
  readonly refusals: Refusals;
  constructor(refusals: Refusals) {
    super('Another request changed the lead.');
    this.refusals = refusals;
  }
}

async function changeLead(
  desk: Desk,
  { organization, lead }: OfLead,
  changes: Changes,
): Promise<Refusals> {
  const { typed, opened, changed } = changes;
  const own = { organizationId: organization.id, leadId: lead.id, by: await desk.who() };
  const raw = changed
    .filter((key) => key !== 'stage')
    .map((key) => [key, rawOf(organization, key, typed)]);
  const stage = changed.includes('stage') ? Number(typed.get('stage')?.[0]) : undefined;
  const requested = {
    fields: Object.fromEntries(raw),
    ...(stage !== undefined && { stageId: stage }),
  };
  try {
    const edited = await editLead(tableForOneWrite(desk.table), own, (before) => {
      const now = typedOf(organization, before);
      const moved = changed.filter(
        (key) =>
          opened.has(key) &&
          !isSameTyped(now.get(key), opened.get(key)) &&
          !isSameTyped(now.get(key), typed.get(key)),
      );
      if (moved.length > 0)
        throw new ChangedMeanwhile(bothValues(organization, before, moved, typed));
      return { lead: updatedLead(organization, before, requested, new Date()) };
    });
    return refusalsOf(organization, edited);
  } catch (error) {
    if (error instanceof ChangedMeanwhile) return error.refusals;
    if (error instanceof ApiError && error.code === 'VALIDATION_FAILED')
      return refusedFields(error);
    throw error;
  }
}

/** A typed value as a request would send it. */
function rawOf(
  { fieldByKey }: Organization,
  key: string,
  typed: Typed,
): string | readonly string[] | null {
  const texts = typed.get(key) ?? [];
  return fieldByKey.get(key)?.type === 'multiselect' ? texts : (texts[0] ?? null);
}

const bothValues = (
  organization: Organization,
  now: Lead,
  keys: readonly string[],
  typed: Typed,
): Refusals =>
  new Map(
    keys.map((key) => {
      const current = shownValue(organization, key, valueIn(now, key)) || 'empty';
      const yours = typed.get(key)?.join(', ') || 'empty';
      const mine = key === 'stage' ? shownValue(organization, key, Number(yours)) : yours;
      return [
        key,
        html`was changed since you opened the form: it is now <strong><bdi>${current}</bdi></strong>, and you typed <strong><bdi>${mine}</bdi></strong>. Save again to replace it.`,
      ];
    }),
  );

function refusedFields({ details = {} }: ApiError): Refusals {
  const fields = Object.entries(details.fields ?? {}) as [string, string][];
  return new Map(fields.map(([key, sentence]) => [key === 'stageId' ? 'stage' : key, sentence]));
}

function refusalsOf({ id }: Organization, edited: EditLeadResult): Refusals {
  if (edited.outcome !== 'duplicate') return new Map();
  const { field, leadId } = edited.holder;
  return new Map([
    [field, html`belongs to <a href="/o/${id}/leads/${leadId}">lead ${leadId}</a>.`],
  ]);
}
