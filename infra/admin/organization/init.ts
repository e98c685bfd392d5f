import { dirname, join, relative, resolve } from 'node:path';
import { writtenFileSchema } from '../../../shared/organization/names-alone.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError } from '../../cli/command.ts';
import { writeNewFile } from '../../cli/resumable-file.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { ReadOptions } from '../files/read-file.ts';
import { organizationOf, settingsFromList, settingsWith } from '../import/first-settings.ts';
import { readList } from '../import/open.ts';
import { readOptions } from '../import/plan.ts';
import { planBeside } from '../import/run.ts';
import { jsonSchemaOf } from '../json-schema.ts';

/** The JSON Schema of the settings file, for editors. `organization schema` prints it, and a test checks that it is current. */
export const settingsSchemaFile = join(import.meta.dirname, '../../..', 'settings.schema.json');

/** `organization init` and `organization schema`. */
export function organizationInitCommands(organization: AdminCommand): void {
  organization
    .command('init')
    .description('write a small settings file to begin with; it can be applied as it is')
    .argument('<FILE>', 'settings file to write (JSON); an existing file is never overwritten')
    .option('--from <LIST>', 'propose the settings from a list of leads (.xlsx or .csv)')
    .addOptions(readOptions())
    .needs('--sheet', '--from <LIST>')
    .needs('--encoding', '--from <LIST>')
    .notes(`
The organization has the first free ID of the table, or 1 if no table is named.
The file names the JSON Schema of settings files ("$schema"): if FILE ends in .json,
an editor such as Visual Studio Code then explains and completes every property.
With --from, the file has the users, stages, sources and fields that the list shows, and
a plan by which lead import reads the list is written beside it (leads.plan.json).`)
    .examples('northwind.json', 'northwind.json --from leads.xlsx')
    .json('{"file":"…"}, with --from also "plan":"…"')
    .run(init);
  organization
    .command('schema')
    .description('print the JSON Schema (2020-12) of the settings file')
    .notes(`
Example:
  npm run --silent admin -- organization schema > settings.schema.json`)
    .json('the schema')
    .run((context) => {
      const schema = settingsJsonSchema();
      context.print(schema, JSON.stringify(schema, null, 2));
    });
}

async function init(
  context: CommandContext,
  { from, ...options }: ReadOptions & { readonly from?: string },
  file: string,
): Promise<void> {
  if (from !== undefined) context.progress(`Reading ${from}`);
  const list = from === undefined ? undefined : await readList(from, options);
  const id = await freeId(context);
  const proposed = list ? settingsFromList(id, list.columns) : settingsWith(id, example);
  const settings = textOf({ $schema: schemaAddress(file), ...proposed });
  const plan = from === undefined ? undefined : planBeside(from);
  await writeNewFile(file, async () => {
    if (plan && list)
      await writeNewFile(plan, async () => textOf(list.planFor(organizationOf(settings)).proposal));
    return settings;
  });
  context.print(
    { file, ...(plan && { plan }) },
    `Wrote ${file}: the settings of organization ${id}, which are not applied yet.`,
    file.endsWith('.json')
      ? 'Edit it: with "$schema", your editor explains each property. Then:'
      : 'Edit it. Then:',
    `  npm run admin -- organization apply ${file} --dry-run`,
    `  npm run admin -- organization apply ${file}`,
    ...(plan
      ? [
          `Wrote ${plan}: how each column of the list is read. Look at it, then:`,
          `  npm run admin -- lead import ${from} --organization ${id} --plan ${plan} --dry-run`,
        ]
      : []),
  );
}

const textOf = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** The first free organization ID in the table; 1 if no table is named. */
async function freeId(context: CommandContext): Promise<number> {
  let table: Table;
  try {
    table = context.table();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    context.note(
      'No service was found, so the ID is a guess: start the service, delete the file, then run this again.',
    );
    return 1;
  }
  const taken = new Set((await listOrganizations(table)).map(({ id }) => id));
  let id = 1;
  while (taken.has(id)) id += 1;
  return id;
}

/** The schema's address relative to the file, so that an editor finds it as long as the file and this project do not move. */
function schemaAddress(file: string): string {
  const path = relative(dirname(resolve(file)), settingsSchemaFile);
  return path.startsWith('..') ? path : `./${path}`;
}

/** The JSON Schema (2020-12) of the settings file, made from the schema that reads the file. It accepts every file that is accepted. */
export function settingsJsonSchema(): Record<string, unknown> {
  return jsonSchemaOf(writtenFileSchema, {
    title: 'Settings of an organization',
    description: 'What organization apply reads and organization show prints.',
  });
}

/** A custom field and a rule, to extend. */
const example = {
  fields: [
    {
      key: 'interest',
      label: 'Interest',
      type: 'select',
      section: 'Enquiry',
      storage: 'custom',
      options: [
        { value: 'product', label: 'A product' },
        { value: 'service', label: 'A service' },
      ],
    },
  ],
  assignmentRules: [{ when: { field: 'source', equals: ['Website'] }, users: ['First user'] }],
};
