import { limits } from '../../limits.ts';
import type { Organization } from '../../organization/organization.ts';
import { type Lead, valueOf } from '../lead.ts';
import { type CellOptions, cellOf, nameOrId } from './csv-cells.ts';
import { exportMark, propertyHeadings } from './import-columns.ts';

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

const { leadId: leadIdHeading, ...otherHeadings } = propertyHeadings;

/** The columns of a CSV export: the lead's properties, then every field, inactive ones too, in form order. */
export const exportHeadings = (organization: Organization): string[] => [
  leadIdHeading,
  exportMark.heading,
  ...Object.values(otherHeadings),
  ...organization.fields.map(({ key }) => key),
];

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
