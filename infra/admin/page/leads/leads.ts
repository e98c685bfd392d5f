import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Lead } from '../../../../shared/leads/lead.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { countOf } from '../../../cli/format.ts';
import { organizationAt, type View } from '../desk.ts';
import {
  choicesOf,
  type Html,
  notice,
  options,
  type Part,
  page,
  table,
  timeText,
} from '../layout.ts';
import {
  countFound,
  type FoundPage,
  findLeads,
  fromTheNewest,
  type LeadSearch,
  searchIn,
} from './search.ts';
import { labelOf, shownValue, valueIn } from './values.ts';

/** The newest leads, or the leads that a search finds. */
export const leadsView: View = {
  path: '/o/:organization/leads',
  get: async (context, desk) => {
    const organization = await organizationAt(context, desk);
    const columns = columnsIn(context, organization);
    let search: LeadSearch;
    try {
      search = searchIn(context, organization);
    } catch (error) {
      const body = [
        notice(desk.failureText(error), true),
        searchForm(context, organization, columns),
      ];
      return page(context, { title: 'Leads', organization, status: 422 }, body);
    }
    const found = await findLeads(desk.table, organization, search);
    const count =
      context.req.query('count') && (await countFound(desk.table, organization, search));
    return page(context, { title: 'Leads', organization }, [
      searchForm(context, organization, columns),
      found.leads.length > 0 && leadTable(organization, columns, found.leads),
      outcome(context, search, found),
      typeof count === 'number'
        ? html`<p role="status">${countOf(count, 'lead')} in this list.</p>`
        : search.text === '' &&
          !search.isArchived &&
          html`<p><a href="${addressWith(context, { count: 'yes' })}">Count them</a></p>`,
    ]);
  },
};

/** Columns besides the fields. A field key has no blank, and cannot be `stage` or `pipeline`. */
const times = { 'created at': 'createdAt', 'updated at': 'updatedAt' } as const;
const isTime = (column: string): column is keyof typeof times => Object.hasOwn(times, column);
const defaultColumns = ['name', 'phone', 'email', 'stage', 'assigned_to', 'created at'];

const allColumns = ({ fields }: Organization): string[] => [
  ...fields.filter(({ active }) => active).map(({ key }) => key),
  'stage',
  'pipeline',
  ...Object.keys(times),
];

function columnsIn({ req }: Context, organization: Organization): readonly string[] {
  const named = (req.queries('columns') ?? []).flatMap((text) => text.split(','));
  const known = allColumns(organization).filter((column) => named.includes(column));
  return known.length > 0 ? known : defaultColumns;
}

const headingOf = (organization: Organization, column: string): string =>
  isTime(column)
    ? `${column.charAt(0).toUpperCase()}${column.slice(1)}`
    : labelOf(organization, column);

/** The address of this view with other values in its query. */
function addressWith({ req }: Context, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(new URL(req.url).search);
  for (const name of ['token', 'count', 'after']) query.delete(name);
  for (const [name, value] of Object.entries(values)) query.set(name, value);
  return `${req.path}?${query}`;
}

function searchForm(
  context: Context,
  organization: Organization,
  columns: readonly string[],
): Html {
  const { req } = context;
  const pick = (name: string, label: string, choices: Parameters<typeof options>[0]): Html =>
    html`<label>${label} <select name="${name}">${options(choices, req.query(name), 'All')}</select></label>`;
  const stages = organization.stages.map(({ id, name, pipelineId }) => ({
    value: id,
    label: name,
    group: organization.pipelineById.get(pipelineId)?.name,
  }));
  const box = (column: string): Html =>
    html`<label class="tick"><input type="checkbox" name="columns" value="${column}"${columns.includes(column) && html` checked`}> ${headingOf(organization, column)}</label>`;
  return html`<form class="search" role="search">
<label class="wide">Name, phone, email or lead number <input type="search" name="q" value="${req.query('q') ?? ''}"></label>
<button>Search</button>
<details${['stage', 'owner', 'source', 'pipeline', 'archived', 'since'].some((name) => req.query(name)) && html` open`}>
<summary>Filters</summary>
<div class="row">
${pick('stage', 'Stage', stages)}
${pick('owner', 'Owner', choicesOf(organization.users))}
${pick('source', 'Source', choicesOf(organization.sources))}
${pick('pipeline', 'Pipeline', choicesOf(organization.pipelines))}
<label>Changed since <input type="date" name="since" value="${req.query('since')?.slice(0, 10) ?? ''}"></label>
<label class="tick"><input type="checkbox" name="archived" value="yes"${req.query('archived') && html` checked`}> Only archived leads</label>
</div>
</details>
<details><summary>Columns</summary><div class="row">${allColumns(organization).map(box)}</div></details>
</form>`;
}

function leadTable(
  organization: Organization,
  columns: readonly string[],
  leads: readonly Lead[],
): Html {
  const headings = ['Lead', ...columns.map((column) => headingOf(organization, column))];
  const cell = (lead: Lead, column: string): Part =>
    isTime(column)
      ? timeText(lead[times[column]])
      : html`<bdi>${shownValue(organization, column, valueIn(lead, column))}</bdi>`;
  const rows = leads.map((lead) => [
    html`<a href="/o/${organization.id}/leads/${lead.id}">${lead.id}</a>${lead.archivedAt && html` <span class="badge">archived</span>`}`,
    ...columns.map((column) => cell(lead, column)),
  ]);
  const ids = leads.map(({ id }) => html` data-lead="${id}"`);
  return table('Leads', headings, rows, ids);
}

/** The text below the list: how far the search looked, and how to continue. */
function outcome(
  context: Context,
  { text }: LeadSearch,
  { leads, next, isByKey }: FoundPage,
): Part {
  const none = leads.length === 0;
  const on = (after: number, label: string): Html =>
    html`<a href="${addressWith(context, { after: String(after) })}">${label}</a>`;
  if (isByKey)
    return html`<p>${none && 'No lead has it. '}${on(fromTheNewest, 'Search it as part of a name, phone or email')}</p>`;
  if (next === null) return html`<p>${none ? 'No lead matches.' : 'No more leads.'}</p>`;
  if (leads.length > 0 && text === '') return html`<p>${on(next, 'Next page')}</p>`;
  return html`<p>Looked at the leads down to number ${next}${none && ', and found none'}. ${on(next, 'Look further')}</p>`;
}
