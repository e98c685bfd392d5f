import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { FileRow } from '../../../../infra/admin/import/rows.ts';
import type { FieldValues } from '../../../../shared/leads/lead.ts';
import { leadsOf } from '../../../support/leads.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';
import { json } from '../commands.ts';

export const refusedIn = async (report: string, delimiter = ',') =>
  parse(await readFile(report), { columns: true, delimiter }) as Record<string, string>[];

export const importJson = (organization: GivenOrganization, file: string, ...more: string[]) =>
  json(organization, 'lead import', file, ...more);

export const fieldsOf = async (organization: GivenOrganization): Promise<FieldValues[]> =>
  (await leadsOf(organization)).map(({ fields }) => fields);

export const countLeads = async (organization: GivenOrganization): Promise<number> =>
  (await leadsOf(organization)).length;

/** A row of a file as it was read. */
export function rowWith(
  number: number,
  fields: FieldValues,
  properties: FileRow['read']['properties'] = {},
): FileRow {
  const read = { fields, properties };
  return { number, original: [], sent: read, read, columnOf: (label) => ({ label, hint: '' }) };
}
