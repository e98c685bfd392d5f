import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { type ImportCounts, importRows } from '../../../../infra/admin/import/write.ts';
import type { FieldValues } from '../../../../shared/leads/lead.ts';
import type { Organization, Settings } from '../../../../shared/organization/organization.ts';
import { SettingsRejectedError } from '../../../../shared/organization/settings-shape.ts';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import { loadOrganization } from '../../../../shared/store/organizations/organizations.ts';
import { sendingThrough, type Table } from '../../../../shared/store/table/client.ts';
import { modelTable } from '../../../support/model-table.ts';
import { newSettings } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { rowWith } from './given-files.ts';

const table = modelTable();
const noWait = async () => undefined;

/** The same table, whose next transaction is sent once `before` has ended. */
function holding(before: () => Promise<unknown>): Table {
  let isHeld = false;
  return sendingThrough(table, (send) => async (command, options) => {
    if (command instanceof TransactWriteCommand && !isHeld) {
      isHeld = true;
      await before();
    }
    return send(command, options);
  });
}

const without = (settings: Settings, remove: (draft: Settings) => void): Settings => {
  const draft = structuredClone(settings);
  remove(draft);
  return draft;
};
const drop = <T>(list: T[], by: keyof T, value: unknown): void =>
  void list.splice(
    list.findIndex((one) => one[by] === value),
    1,
  );

/** Each kind of item that an apply can remove, and the columns of a row that refers to it. */
const items: [what: string, row: FieldValues, remove: (draft: Settings) => void][] = [
  ['source', { source: '3' }, ({ sources }) => drop(sources, 'id', 3)],
  ['user', { assigned_to: '8' }, ({ users }) => drop(users, 'id', 8)],
  ['stage', { stage: '12' }, ({ pipelines }) => drop(pipelines[0]?.stages ?? [], 'id', 12)],
  ['field', { city: 'Pune' }, ({ fields }) => drop(fields, 'key', 'city')],
  [
    'option',
    { course: 'design' },
    ({ fields }) =>
      drop(fields.find(({ key }) => key === 'course')?.options ?? [], 'value', 'design'),
  ],
];
const modes = {
  'a new lead': {},
  'a lead that keeps its ID': { keepIds: true },
  'an updated lead': { updates: true },
} as const;
const cases = items.flatMap(([what, row, remove]) =>
  (Object.keys(modes) as (keyof typeof modes)[]).map((mode) => ({ what, mode, row, remove })),
);

interface Import {
  readonly counts: ImportCounts;
  readonly issues: readonly string[];
}

/** An organization whose settings are being applied without an item, and an import of an exported row that refers to it. */
async function given({ mode, row, remove }: (typeof cases)[number]) {
  const settings = newSettings();
  const { id } = settings;
  await applySettings(table, settings);
  const { name, phone } = person();
  const organization = async () => (await loadOrganization(table, id)) as Organization;
  const importRow = async (on: Table, { stage, ...more }: FieldValues, mark?: string) => {
    const issues: string[] = [];
    const properties = { ...(stage && { stage }), ...(mark && { mark, leadId: '5' }) };
    const counts = await importRows(on, {
      ...{ organizationId: id, organization, keepIds: false, dryRun: false, by: 'tester' },
      ...{ leadsPerSecond: Number.POSITIVE_INFINITY, erasing: new Set<number>() },
      ...modes[mode],
      rows: [rowWith(2, { name, phone, ...more }, properties)],
      onWritten: (written) =>
        issues.push(...written.flatMap((one) => one.issues.map(({ sentence }) => sentence))),
    });
    return { counts, issues };
  };
  if (mode === 'an updated lead') await importRow(table, {});
  return {
    id,
    fewer: without(settings, remove),
    importExported: (on: Table): Promise<Import> => importRow(on, row, `organization ${id}`),
    violations: async () =>
      (await checkTable(table, { organizationId: id, againAfterMs: 1 })).violations,
  };
}

test.each(cases)(
  'an exported row of $mode is refused if an apply removes its inactive $what before the write',
  async (kind) => {
    const { fewer, importExported, violations } = await given(kind);
    const applied = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    let importing: Promise<Import> | undefined;
    const wait = async () => {
      importing = importExported(
        holding(() => {
          sent.resolve();
          return applied.promise;
        }),
      );
      await sent.promise;
    };

    await applySettings(table, fewer, { wait });
    applied.resolve();
    const { counts, issues } = (await importing) as Import;

    expect(counts).toMatchObject({ imported: 0, refused: 1 });
    const moved =
      kind.mode === 'an updated lead' ? /./ : /^The settings were changed while the row /;
    expect(issues).toEqual([expect.stringMatching(moved)]);
    expect(await violations()).toEqual([]);
  },
);

test.each(cases)(
  'an apply does not remove the $what of an exported row of $mode written after it looked',
  async (kind) => {
    const { fewer, importExported, violations } = await given(kind);
    await applySettings(table, fewer, { wait: () => Promise.reject(new Error('killed')) }).catch(
      () => undefined,
    );
    let counts: ImportCounts | undefined;
    const late = holding(async () => {
      ({ counts } = await importExported(table));
    });

    await expect(applySettings(late, fewer, { wait: noWait })).rejects.toThrow(
      SettingsRejectedError,
    );

    expect(counts).toMatchObject({ refused: 0 });
    expect(await violations()).toEqual([]);
  },
);
