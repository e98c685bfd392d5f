import { html } from 'hono/html';
import { organizationAt, type View } from '../desk.ts';
import { copyable, page } from '../layout.ts';

/** Says how leads are imported: by the command, so far. */
export const importView: View = {
  path: '/o/:organization/import',
  get: async (context, desk) => {
    const organization = await organizationAt(context, desk);
    const command = `npm run admin -- lead import leads.xlsx --organization ${organization.id}${desk.commandEnd} --dry-run`;
    return page(context, { title: 'Import', organization }, [
      html`<p>Import leads with this command. It says what it would do, until you leave out <code>--dry-run</code>:</p>`,
      copyable(command),
    ]);
  },
};
