import { isPlainObject } from '../../../shared/json.ts';
import { type ImportTarget, propertyHeadings, reportHeadings } from '../../../shared/leads/transfer/import-columns.ts';
import { builtInFields } from '../../../shared/organization/built-in-fields.ts';

/**
 * Whether a CSV file is an export from before exports marked their rows: it has, to the letter, every column that each of those has. A
 * file of another system may have a "Lead ID", not all of these.
 */
export function isEarlierExport(headings: readonly string[]): boolean {
  const names = headings.map((heading) => heading.trim());
  const all = [...Object.values(propertyHeadings), ...builtInFields().map(({ key }) => key)];
  return all.every((heading) => names.includes(heading));
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ownProperties = ['leadId', 'pipelineId', 'stageId', 'createdAt', 'updatedAt'] as const;
const otherProperties: readonly string[] = ['archivedAt', ...Object.values(reportHeadings)];

/** Whether a line is of such an export: it has the properties that it wrote, as it wrote them, and no others. */
export function isEarlierLine({ fields, ...own }: Readonly<Record<string, unknown>>): boolean {
  if (!isPlainObject(fields) || typeof fields.name !== 'string' || typeof fields.phone !== 'string') return false;
  const { leadId, pipelineId, stageId, createdAt, updatedAt } = own;
  const isWritten =
    [leadId, pipelineId, stageId].every(Number.isInteger) &&
    [createdAt, updatedAt].every((at) => typeof at === 'string' && time.test(at));
  const known: readonly string[] = [...ownProperties, ...otherProperties];
  return isWritten && Object.keys(own).every((name) => known.includes(name));
}

/**
 * The name of a column or property that has the ids of leads and of which nothing says that they are this service's.
 * @param names parallel to the targets
 * @param isMapped whether the administrator said what a column is
 */
export function foreignLeadId(
  names: readonly string[],
  targets: readonly ImportTarget[],
  isMapped: (name: string) => boolean,
): string | undefined {
  if (targets.some(({ kind }) => kind === 'mark')) return undefined;
  const at = targets.findIndex((target) => target.kind === 'property' && target.property === 'leadId');
  const name = names[at]?.trim();
  return name === undefined || isMapped(name) ? undefined : name;
}

/** What is wrong with it, as the end of a sentence that says where it is. */
export const foreignLeadIdProblem = (name: string, mark: string): string =>
  `has ${JSON.stringify(name)}, but not ${JSON.stringify(mark)}, which lead export writes beside it: these are ids of another system. ` +
  `Leave them out with --ignore '${name}', or name a field for them with --map '${name}=FIELD'.`;
