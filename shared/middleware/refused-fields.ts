import type { ErrorDetails } from '../errors.ts';
import type { Organization } from '../organization/organization.ts';

/** The properties of request bodies, and the header: of these, and of the organization's field keys, a log line may name any. */
export const loggedNames: ReadonlySet<string> = new Set([
  'name',
  'phone',
  'email',
  'source',
  'pipelineId',
  'stageId',
  'notes',
  'fields',
  'attribution',
  'externalId',
  'text',
  'body',
  'Idempotency-Key',
]);

/** The names of what a request was refused for, without names of the caller's own making, which can be personal data. */
export function refusedFields(
  details: ErrorDetails | undefined,
  organization: Organization | undefined,
): string[] {
  const names = Object.keys(details?.reasons ?? {}).map((name) =>
    name.startsWith('attribution.') ? 'attribution' : name,
  );
  const isKnown = (name: string): boolean =>
    loggedNames.has(name) || organization?.fieldByKey.has(name) === true;
  return [...new Set(names.filter(isKnown))];
}
