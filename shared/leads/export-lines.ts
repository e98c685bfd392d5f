import type { Organization } from '../organization/organization.ts';
import { cellOf, nameOrId } from './import-cells.ts';
import { propertyHeadings } from './import-columns.ts';
import { type Lead, valueOf } from './lead.ts';

/** A lead as a line of a JSONL export, everything by id, its fields in form order. Importing it makes the same lead (import-row.ts). */
export function exportObject(organization: Organization, lead: Lead): object {
  const { id, pipelineId, stageId, createdAt, updatedAt, archivedAt } = lead;
  const fields = organization.fields.flatMap(({ key }) => {
    const value = valueOf(lead.fields, key);
    return value === null ? [] : [[key, value] as const];
  });
  const own = { leadId: id, pipelineId, stageId, createdAt, updatedAt, ...(archivedAt !== undefined && { archivedAt }) };
  return { ...own, fields: Object.fromEntries(fields) };
}

/** The columns of a CSV export: the lead's properties, then every field, inactive ones too, in form order. */
export const exportHeadings = (organization: Organization): string[] => [
  ...Object.values(propertyHeadings),
  ...organization.fields.map(({ key }) => key),
];

/** A lead as a row of a CSV export, stage, pipeline, source and people by name where the name says which. */
export function exportCells(organization: Organization, lead: Lead): string[] {
  const stages = organization.stages.filter(({ pipelineId }) => pipelineId === lead.pipelineId);
  const values = organization.fields.map((field) => {
    const value = valueOf(lead.fields, field.key);
    return value === null ? '' : cellOf(organization, field, value);
  });
  return [
    String(lead.id),
    nameOrId(organization.pipelines, lead.pipelineId),
    nameOrId(stages, lead.stageId),
    lead.createdAt,
    lead.updatedAt,
    lead.archivedAt ?? '',
    ...values,
  ];
}
