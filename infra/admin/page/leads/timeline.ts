import { html } from 'hono/html';
import type { FieldChange, TimelineEntry } from '../../../../shared/leads/timeline.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { userNamesOf } from '../../lead/show.ts';
import { type Html, type Part, timeText } from '../layout.ts';
import { labelOf, shownValue } from './values.ts';

/** How many items are shown at first. A lead can have thousands. */
const shownFirst = 100;

/**
 * The timeline as a story, newest first: who did what, through which website or program, and with which result.
 * @param keyLabels the label of each API key by its ID
 */
export function timelineStory(
  organization: Organization,
  entries: readonly TimelineEntry[],
  keyLabels: ReadonlyMap<string, string>,
  isWhole: boolean,
): Html {
  const newest = entries.toReversed();
  const shown = isWhole ? newest : newest.slice(0, shownFirst);
  const more = newest.length - shown.length;
  return html`<ol class="story" reversed>${shown.map((entry) => {
    const keyId = 'keyId' in entry ? entry.keyId : undefined;
    const keyLabel = 'keyLabel' in entry ? entry.keyLabel : keyLabels.get(keyId ?? '');
    return html`<li>${timeText(entry.at)} <strong>${whatOf(entry)}</strong> ${whoOf(organization, entry, keyLabel ?? keyId)}
${detailsOf(organization, entry)}</li>`;
  })}</ol>${more > 0 && html`<p><a href="?timeline=whole">Show the ${more} items before</a></p>`}`;
}

const whats: Readonly<Record<TimelineEntry['type'], string>> = {
  lead_created: 'Created',
  captured_new: 'First enquiry',
  captured: 'Another enquiry',
  lead_updated: 'Changed',
  note_added: 'Note',
  archived: 'Archived',
  restored: 'Restored',
  erased: 'Being erased',
};
const whatOf = (entry: TimelineEntry): string =>
  'via' in entry && entry.via === 'import' && entry.type === 'lead_created'
    ? 'Imported'
    : whats[entry.type];

/** An enquiry comes from a website. A person did everything else, perhaps with a program that has an API key. */
function whoOf(organization: Organization, entry: TimelineEntry, key: string | undefined): Html {
  if (entry.type === 'captured' || entry.type === 'captured_new')
    return html`by <bdi>${key}</bdi>, source <bdi>${entry.source}</bdi>`;
  const person =
    entry.actorId === null
      ? (entry.by ?? 'the administrator')
      : userNamesOf(organization)(entry.actorId);
  return html`by <bdi>${person}</bdi>${key !== undefined && html` with the key <bdi>${key}</bdi>`}`;
}

function detailsOf(organization: Organization, entry: TimelineEntry): Part {
  const label = (field: string): Html => html`<bdi>${labelOf(organization, field)}</bdi>`;
  const value = (field: string, one: FieldChange['from']): Html =>
    one === null
      ? html`<i>empty</i>`
      : html`<bdi class="value">${shownValue(organization, field, one)}</bdi>`;
  if (entry.type === 'note_added') return html`<p class="text" dir="auto">${entry.text}</p>`;
  if (entry.type === 'lead_updated')
    return html`<ul>${entry.changes.map(
      ({ field, from, to }) =>
        html`<li>${label(field)}: ${value(field, from)} → ${value(field, to)}</li>`,
    )}</ul>`;
  if (entry.type !== 'captured' && entry.type !== 'captured_new')
    return 'importedAt' in entry && html`<p>Imported at ${timeText(entry.importedAt)}.</p>`;
  const { filled, kept, notes, submittedSource, attribution = {} } = entry;
  const found = Object.entries(attribution).filter(([, text]) => text);
  return [
    entry.archived && html`<p>The lead was archived, so the enquiry changed nothing.</p>`,
    filled.length > 0 &&
      html`<p>Filled ${filled.map((field, at) => [at > 0 && ', ', label(field)])}.</p>`,
    kept.length > 0 &&
      html`<ul>${kept.map(
        ({ field, current, submitted }) =>
          html`<li>${label(field)} stayed ${value(field, current)}; the enquiry says ${value(field, submitted)}</li>`,
      )}</ul>`,
    submittedSource &&
      html`<p>It named the source <bdi>${submittedSource}</bdi>, which is not active.</p>`,
    notes && html`<p class="text" dir="auto">${notes}</p>`,
    found.length > 0 &&
      html`<details><summary>Page and campaign</summary><dl>${found.map(
        ([name, text]) => html`<dt>${name}</dt><dd><bdi>${text}</bdi></dd>`,
      )}</dl></details>`,
  ];
}
