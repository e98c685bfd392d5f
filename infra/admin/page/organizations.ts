import { html } from 'hono/html';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import type { View } from './desk.ts';
import { page } from './layout.ts';

export const organizationsView: View = {
  path: '/',
  get: async (context, { table }) => {
    const organizations = await listOrganizations(table);
    const rows = organizations.map(
      ({ id, name }) =>
        html`<li><a href="/o/${id}/leads"><bdi>${name}</bdi></a> <small>${id}</small></li>`,
    );
    const none = html`<p>Table ${table.name} has no organizations: create one with <code>organization apply</code>.</p>`;
    return page(
      context,
      { title: 'Organizations' },
      rows.length === 0 ? none : html`<ul class="plain">${rows}</ul>`,
    );
  },
};
