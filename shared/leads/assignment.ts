import type { AssignmentRule, Organization } from '../organization/organization.ts';
import { isOneOf } from './fields.ts';
import { type FieldValues, valueOf } from './lead.ts';

/** The users who take turns to own new leads. Each assignment rule has a rotation of its own (settings-file.md, "Assignment rules"). */
export interface Rotation {
  /** Identifies the stored rotation: the same text for as long as the rule is the same. */
  readonly rule: string;
  /** IDs of active users; never empty. */
  readonly userIds: readonly number[];
}

const everyone = 'everyone';

/**
 * The rotation of the first assignment rule that holds for a new lead and has an active user; without such a rule, all active users.
 * @returns undefined if no user is active
 */
export function chooseRotation(
  organization: Organization,
  fields: FieldValues,
  pipelineId: number,
): Rotation | undefined {
  const isActive = (userId: number): boolean => organization.userById.get(userId)?.active === true;
  for (const rule of organization.assignmentRules) {
    const userIds = rule.users.filter(isActive);
    if (userIds.length > 0 && holds(rule, fields, pipelineId))
      return { rule: nameOf(rule), userIds };
  }
  const userIds = organization.users.filter(({ active }) => active).map(({ id }) => id);
  return userIds.length > 0 ? { rule: everyone, userIds } : undefined;
}

/** Names each property, because DynamoDB returns the properties of a map in any order. */
const nameOf = ({ when, users }: AssignmentRule): string =>
  JSON.stringify([when ? { field: when.field, equals: when.equals } : null, users]);

function holds({ when }: AssignmentRule, fields: FieldValues, pipelineId: number): boolean {
  if (!when) return true;
  return isOneOf(when.field === 'pipeline' ? pipelineId : valueOf(fields, when.field), when.equals);
}

/** The user whose turn it is. @param position counts from 1 */
export function ownerAt({ userIds }: Rotation, position: number): number {
  const userId = userIds[(position - 1) % userIds.length];
  if (userId === undefined) throw new RangeError('A rotation must have at least one user.');
  return userId;
}
