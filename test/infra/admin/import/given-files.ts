import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { strToU8, zipSync } from 'fflate';
import type { ReadRow } from '../../../../infra/admin/import/rows.ts';
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
  properties: ReadRow['read']['properties'] = {},
): ReadRow {
  const read = { fields, properties };
  return { number, original: [], sent: read, read, columnOf: (label) => ({ label, hint: '' }) };
}

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** An .xlsx file of one sheet, as its programs write it. @param more of the workbook's and the sheet's XML, and other files with their links */
export function workbookOf(
  rows: string,
  more: { workbook?: string; sheet?: string; links?: string; files?: Record<string, string> } = {},
): Buffer {
  const parts = {
    'xl/workbook.xml': `<workbook xmlns:r="${office}"><sheets><sheet name="A &amp; B" sheetId="1" r:id="rId1"/></sheets>${more.workbook ?? ''}</workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>${more.links ?? ''}</Relationships>`,
    ...more.files,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData>${more.sheet ?? ''}</worksheet>`,
  };
  const named = Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)] as const);
  return Buffer.from(zipSync(Object.fromEntries(named)));
}

/** A row of a sheet with these texts; others are the XML of their cells. */
export const sheetRow = (number: number, cells: readonly string[]): string =>
  `<row r="${number}">${cells
    .map((cell, at) => {
      const name = `r="${String.fromCharCode(65 + at)}${number}"`;
      return cell.startsWith('<c')
        ? cell.replace('<c', `<c ${name}`)
        : `<c ${name} t="inlineStr"><is><t>${cell}</t></is></c>`;
    })
    .join('')}</row>`;
