import { html } from 'hono/html';
import { toSettingsFile } from '../../../shared/organization/settings.ts';
import { readSettings } from '../../../shared/store/organizations/organizations.ts';
import { organizationAt, type View } from './desk.ts';
import { page } from './layout.ts';

/** The settings as a file. */
export const settingsView: View = {
  path: '/o/:organization/settings',
  get: async (context, desk) => {
    const organization = await organizationAt(context, desk);
    const stored = await readSettings(desk.table, organization.id);
    if (context.req.query('file') === 'settings' && stored) {
      const { id, ...rest } = toSettingsFile(stored.settings);
      const file = { id, version: stored.version, ...rest };
      return context.body(`${JSON.stringify(file, null, 2)}\n`, 200, {
        'Content-Type': 'application/json',
        'Content-Disposition': `attachment; filename="organization-${id}.json"`,
      });
    }
    return page(
      context,
      { title: 'Settings', organization },
      html`<p>Version ${organization.version}. <a href="?file=settings" download>Download the file</a>, change it, and apply it with <code>organization apply</code>.</p>`,
    );
  },
};
