import type { AssignmentRule, Organization } from '../organization/organization.ts';
import { isOneOf } from './fields.ts';
import { type FieldValues, valueOf } from './lead.ts';

/** Who may own a new lead, and whose rotation it is: each rule turns on its own (LOCAL.md, "Assignment rules"). */
export interface Rotation {
  /** The same text as long as the rule says the same; names the rule's turn. */
  readonly rule: string;
  /** Ids of active people; never empty. */
  readonly userIds: readonly number[];
}

const everyone = 'everyone';

/**
 * The first assignment rule that holds for a new lead and has an active person; none left: all active people.
 * Undefined when nobody is active.
 */
export function chooseRotation(organization: Organization, fields: FieldValues, pipelineId: number): Rotation | undefined {
  const isActive = (userId: number): boolean => organization.userById.get(userId)?.active === true;
  for (const rule of organization.assignmentRules) {
    const userIds = [...new Set(rule.users)].filter(isActive);
    if (userIds.length > 0 && holds(rule, fields, pipelineId)) return { rule: nameOf(rule), userIds };
  }
  const userIds = organization.users.filter(({ active }) => active).map(({ id }) => id);
  return userIds.length > 0 ? { rule: everyone, userIds } : undefined;
}

/** Properties are named one by one: a stored map comes back in any order. */
const nameOf = ({ when, users }: AssignmentRule): string =>
  JSON.stringify([when ? { field: when.field, equals: when.equals } : null, users]);

function holds({ when }: AssignmentRule, fields: FieldValues, pipelineId: number): boolean {
  if (!when) return true;
  return isOneOf(when.field === 'pipeline' ? pipelineId : valueOf(fields, when.field), when.equals);
}

/** The person of a turn; turns count from 1. */
export function ownerAt({ userIds }: Rotation, position: number): number {
  const userId = userIds[(position - 1) % userIds.length];
  if (userId === undefined) throw new RangeError('A rotation has at least one person.');
  return userId;
}
