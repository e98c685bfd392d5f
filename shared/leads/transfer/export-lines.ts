import { limits } from '../../limits.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import { optionFinder } from '../../organization/named.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import { withAllOptions } from '../field-types.ts';
import { type FieldValue, type Lead, valueOf } from '../lead.ts';
import { type CellOptions, cellOf, listCell, nameOrId, unguardable } from './csv-cells.ts';
import { exportedProperties, exportMark, targetNamed } from './import-columns.ts';

/** A lead as a line of a JSONL export, with IDs instead of names and its fields in form order. Its import creates the same lead. */
export function exportObject(organization: Organization, lead: Lead): object {
  const { id: leadId, pipelineId, stageId, createdAt, updatedAt, archivedAt } = lead;
  const values = organization.fields.map(({ key }) => [key, valueOf(lead.fields, key)] as const);
  return {
    leadId,
    [exportMark.property]: exportMark.of(organization.id),
    pipelineId,
    stageId,
    createdAt,
    updatedAt,
    ...(archivedAt !== undefined && { archivedAt }),
    fields: Object.fromEntries(values.filter(([, value]) => value !== null)),
  };
}

/** The columns of a CSV export: the lead's properties, then every field, inactive ones too, in form order. */
export const exportHeadings = (organization: Organization): string[] => [
  ...Object.values(exportedProperties),
  ...organization.fields.map(({ key }) => key),
];

/** The names of the same columns in a JSONL export. */
export const exportNames = (organization: Organization): string[] => [
  ...['leadId', exportMark.property, 'pipelineId', 'stageId'],
  ...['createdAt', 'updatedAt', 'archivedAt'],
  ...organization.fields.map(({ key }) => key),
];

/** Where a column is, named as an import reads its heading; -1 if an export has none of this name. */
export const exportColumnAt = (organization: Organization, name: string): number =>
  exportHeadings(organization).indexOf(targetNamed(organization, name)?.name ?? '');

/** The IDs of the lead and its organization, read from the start of a line or row; undefined if no export wrote it. */
export function exportedIds(
  format: 'csv' | 'jsonl',
  begins: string,
): { leadId: number; organizationId: number } | undefined {
  const pattern =
    format === 'csv'
      ? /^(\d+)[,;\t]organization (\d+)[,;\t]/
      : /^\{"leadId":(\d+),"leadServiceExport":"organization (\d+)",/;
  const [, leadId, organizationId] = pattern.exec(begins)?.map(Number) ?? [];
  return leadId === undefined || organizationId === undefined || leadId > limits.idMax
    ? undefined
    : { leadId, organizationId };
}
/** A lead as a row of a CSV export. Stage, pipeline, source and users are written by name if only one has the name. */
export function exportCells(
  organization: Organization,
  lead: Lead,
  options: CellOptions = {},
): string[] {
  const stages = organization.stages.filter(({ pipelineId }) => pipelineId === lead.pipelineId);
  const values = organization.fields.map((field) => {
    const value = valueOf(lead.fields, field.key);
    return value === null ? '' : cellOf(organization, field, value, options);
  });
  return [
    String(lead.id),
    exportMark.of(organization.id),
    nameOrId(organization.pipelines, lead.pipelineId),
    nameOrId(stages, lead.stageId),
    lead.createdAt,
    lead.updatedAt,
    lead.archivedAt ?? '',
    ...values,
  ];
}

/** The headings of a workbook, for people: a field's label, unless an import would read that as another column. */
export const workbookHeadings = (organization: Organization): string[] =>
  exportHeadings(organization).map((heading, at) => {
    const { label = '' } = organization.fieldByKey.get(heading) ?? {};
    if (label !== '') return exportColumnAt(organization, label) === at ? label : heading;
    if (heading === exportedProperties.mark) return heading;
    const name = heading.charAt(0).toUpperCase() + heading.slice(1);
    return / at$/.test(name) ? `${name} (UTC)` : name;
  });

/** A cell of a workbook; null if it is empty. A date is midnight in UTC. */
export type WorkbookValue = string | number | boolean | Date | null;

/** A lead as a row of a workbook: as `exportCells`, but with options by label, and with numbers, times and booleans as such. */
export function workbookCells(organization: Organization, lead: Lead): WorkbookValue[] {
  const [, mark = '', pipeline = '', stage = ''] = exportCells(organization, lead);
  const times = [lead.createdAt, lead.updatedAt, lead.archivedAt];
  const values = organization.fields.map((field) => {
    const value = valueOf(lead.fields, field.key);
    return value === null ? null : workbookValue(organization, field, value);
  });
  return [
    lead.id,
    mark,
    pipeline,
    stage,
    ...times.map((at) => (at ? new Date(at) : null)),
    ...values,
  ];
}

/** Spreadsheet programs disagree about the days before it: some count 29 February 1900. */
const firstDay = '1900-03-01';

function workbookValue(organization: Organization, field: Field, value: FieldValue): WorkbookValue {
  const { references, hasOptions } = fieldKinds[field.type];
  if (references !== null) return nameOrId(organization[references], value);
  if (typeof value === 'object')
    return listCell(
      value.map((one) => labelOf(field, one)),
      ', ',
    );
  if (typeof value !== 'string') return value;
  if (hasOptions) return labelOf(field, value);
  return field.type === 'date' && value >= firstDay ? new Date(value) : unguardable(value);
}

/** The label of an option if an import reads it as that option, else its value. */
function labelOf(field: Field, value: string): string {
  const { options } = withAllOptions(field);
  const { label = value } = options.find((option) => option.value === value) ?? {};
  const isOneItem = !fieldKinds[field.type].isList || !label.includes(',');
  return isOneItem && optionFinder(options)(label)?.value === value ? label : value;
}
