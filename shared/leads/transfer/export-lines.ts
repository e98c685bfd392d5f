import { limits } from '../../contract/limits.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import { optionFinder } from '../../organization/named.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import { withAllOptions } from '../field-values.ts';
import { type FieldValue, type Lead, valueOf } from '../lead.ts';
import { cellOf, listCell, nameOrId, unguardable } from './csv-cells.ts';
import { exportedProperties, exportMark, targetNamed } from './import-columns.ts';

/**
 * A lead as a line of a JSONL export, with IDs instead of names and its fields in form order. Importing the line creates the same lead.
 * JSON omits `archivedAt` if it is undefined.
 */
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
    archivedAt,
    fields: Object.fromEntries(values.filter(([, value]) => value !== null)),
  };
}

export interface ExportColumn {
  /** The column's heading in CSV, as an import reads it. */
  readonly heading: string;
  /** The property in JSON lines. */
  readonly name: string;
  /** The heading in a workbook, for people. */
  readonly label: string;
  /** The cell in a workbook: options by label, and numbers, times and booleans as such. */
  readonly valueOf: (lead: Lead) => WorkbookValue;
  /** The cell in CSV. Stages, pipelines, sources and users are written by name, unless the name is ambiguous. */
  readonly textOf: (lead: Lead, isForSpreadsheet: boolean) => string;
}

/** A cell of a workbook; null if it is empty. A date is midnight in UTC. */
export type WorkbookValue = string | number | boolean | Date | null;

/** The columns of an export: the lead's properties, then every field, inactive ones too, in form order. */
export function exportColumns(organization: Organization): readonly ExportColumn[] {
  const { id, pipelines, stages, fields } = organization;
  const property = (
    heading: string,
    name: string,
    valueOf: (lead: Lead, isForSpreadsheet?: boolean) => WorkbookValue,
  ): ExportColumn => {
    const label = heading.charAt(0).toUpperCase() + heading.slice(1);
    const textOf = (lead: Lead, isForSpreadsheet: boolean): string => {
      const value = valueOf(lead, isForSpreadsheet);
      return value instanceof Date ? value.toISOString() : String(value ?? '');
    };
    return { heading, name, label, valueOf, textOf };
  };
  const time = (heading: string, name: 'createdAt' | 'updatedAt' | 'archivedAt'): ExportColumn => {
    const column = property(heading, name, ({ [name]: at }) => (at ? new Date(at) : null));
    return { ...column, label: `${column.label} (UTC)` };
  };
  const { leadId, mark, pipeline, stage, createdAt, updatedAt, archived } = exportedProperties;
  const stagesOf = (pipelineId: number) => stages.filter((item) => item.pipelineId === pipelineId);
  return [
    property(leadId, 'leadId', (lead) => lead.id),
    { ...property(mark, exportMark.property, () => exportMark.of(id)), label: mark },
    property(pipeline, 'pipelineId', (lead, isForSpreadsheet) =>
      nameOrId(pipelines, lead.pipelineId, isForSpreadsheet),
    ),
    property(stage, 'stageId', (lead, isForSpreadsheet) =>
      nameOrId(stagesOf(lead.pipelineId), lead.stageId, isForSpreadsheet),
    ),
    time(createdAt, 'createdAt'),
    time(updatedAt, 'updatedAt'),
    time(archived, 'archivedAt'),
    ...fields.map((field) => fieldColumn(organization, field)),
  ];
}

function fieldColumn(organization: Organization, field: Field): ExportColumn {
  const { key, label } = field;
  // An import may read the label as another column.
  const isOwn = targetNamed(organization, label)?.field === field;
  return {
    heading: key,
    name: key,
    label: isOwn ? label : key,
    valueOf: ({ fields }) => {
      const value = valueOf(fields, key);
      return value === null ? null : workbookValue(organization, field, value);
    },
    textOf: ({ fields }, isForSpreadsheet) => {
      const value = valueOf(fields, key);
      return value === null ? '' : cellOf(organization, field, value, isForSpreadsheet);
    },
  };
}

/** The first day on which spreadsheet programs agree: some count a 29 February 1900. */
const firstDay = '1900-03-01';

function workbookValue(organization: Organization, field: Field, value: FieldValue): WorkbookValue {
  const { references, hasOptions, cell } = fieldKinds[field.type];
  if (references !== null) return nameOrId(organization[references], value);
  if (typeof value === 'object')
    return listCell(
      value.map((item) => labelOf(field, item)),
      ', ',
    );
  if (typeof value !== 'string') return value;
  if (hasOptions) return labelOf(field, value);
  return cell === 'date' && value >= firstDay ? new Date(value) : unguardable(value);
}

/** The option's label, if an import reads the label as this option; otherwise its value. */
function labelOf(field: Field, value: string): string {
  const { options } = withAllOptions(field);
  const { label = value } = options.find((option) => option.value === value) ?? {};
  const isOneItem = !fieldKinds[field.type].isList || !label.includes(',');
  return isOneItem && optionFinder(options)(label)?.value === value ? label : value;
}

/** The IDs of the lead and its organization, read from the start of a line or row; undefined if no export wrote the line. */
export function exportedIds(
  format: 'csv' | 'jsonl',
  begins: string,
): { leadId: number; organizationId: number } | undefined {
  const pattern =
    format === 'csv'
      ? /^(\d+),organization (\d+),/
      : /^\{"leadId":(\d+),"leadServiceExport":"organization (\d+)",/;
  const [, leadId, organizationId] = pattern.exec(begins)?.map(Number) ?? [];
  return leadId === undefined || organizationId === undefined || leadId > limits.idMax
    ? undefined
    : { leadId, organizationId };
}
