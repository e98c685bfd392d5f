import { isPlainObject } from '../../../shared/json.ts';
import {
  type ImportTarget,
  propertyHeadings,
  reportHeadings,
} from '../../../shared/leads/transfer/import-columns.ts';
import { builtInFields } from '../../../shared/organization/built-in-fields.ts';

/**
 * Whether a CSV file is an export from before exports marked their rows. Such an export has all of these columns, spelled exactly so; a
 * file of another system may have a "Lead ID", but not all of them.
 */
export function isEarlierExport(headings: readonly string[]): boolean {
  const names = headings.map((heading) => heading.trim());
  const all = [...Object.values(propertyHeadings), ...builtInFields().map(({ key }) => key)];
  return all.every((heading) => names.includes(heading));
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ownProperties = ['leadId', 'pipelineId', 'stageId', 'createdAt', 'updatedAt'] as const;
const otherProperties: readonly string[] = ['archivedAt', ...Object.values(reportHeadings)];

/** Whether a line is of such an export: it has the properties that an export wrote, in the form of an export, and no others. */
export function isEarlierLine({ fields, ...own }: Readonly<Record<string, unknown>>): boolean {
  if (!isPlainObject(fields) || typeof fields.name !== 'string' || typeof fields.phone !== 'string')
    return false;
  const { leadId, pipelineId, stageId, createdAt, updatedAt } = own;
  const isWritten =
    [leadId, pipelineId, stageId].every(Number.isInteger) &&
    [createdAt, updatedAt].every((at) => typeof at === 'string' && time.test(at));
  const known: readonly string[] = [...ownProperties, ...otherProperties];
  return isWritten && Object.keys(own).every((name) => known.includes(name));
}

/**
 * The name of a column or property with lead IDs that nothing shows to be this service's own.
 * @param names parallel to the targets
 * @param isMapped whether `--map` names a column
 */
export function foreignLeadId(
  names: readonly string[],
  targets: readonly ImportTarget[],
  isMapped: (name: string) => boolean,
): string | undefined {
  if (targets.some(({ kind }) => kind === 'mark')) return undefined;
  const at = targets.findIndex(
    (target) => target.kind === 'property' && target.property === 'leadId',
  );
  const name = names[at]?.trim();
  return name === undefined || isMapped(name) ? undefined : name;
}

/** What is wrong with such a column; completes a sentence that begins with the file or line. */
export const foreignLeadIdIssue = (name: string, mark: string): string =>
  `has ${JSON.stringify(name)}, but not ${JSON.stringify(mark)}, which lead export also writes: these are the IDs of another system. ` +
  `Ignore them with --ignore '${name}', or map them to a field with --map '${name}=FIELD'.`;
