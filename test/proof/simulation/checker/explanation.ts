import { isSame, type Plain } from '../../../support/reference/plain.ts';
import {
  type Place,
  type ReferenceSettings,
  Refusal,
  rotationOf,
  type Values,
} from '../../../support/reference/reference.ts';
import type { Commit } from './effects.ts';
import { kindOf } from './effects.ts';
import type { History, ObservedRequest, Write } from './history.ts';
import { settingsDuring } from './states.ts';

/** What is wrong with an effect of a request. */
export type Explain = (history: History, request: ObservedRequest, effect: Commit) => string[];

export const bodyOf = ({ request }: ObservedRequest): Values => request.body as Values;
export const one = (writes: readonly Write[], kind: string): Write | undefined =>
  writes.find((write) => kindOf(write) === kind);

/** The first settings by which there is nothing to say; else what is wrong by the last. */
export function bySome(
  history: History,
  request: ObservedRequest,
  issuesUnder: (settings: ReferenceSettings) => string[],
): string[] {
  let issues: string[] = ['has no settings'];
  for (const settings of settingsDuring(history, request)) {
    try {
      issues = issuesUnder(settings);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      issues = [`had to be refused: ${error.message}`];
    }
    if (issues.length === 0) return [];
  }
  return issues;
}

type Expected = { readonly fields: Values } & Place;

export function newLeadIssues(
  request: ObservedRequest,
  settings: ReferenceSettings,
  lead: Plain,
  expected: Expected,
): string[] {
  const { assigned_to: owner, ...fields } = lead.fields as Values;
  const { assigned_to: asked, ...others } = expected.fields;
  const issues: string[] = [];
  if (!isSame(fields, others))
    issues.push(`made a lead of ${JSON.stringify(fields)} instead of ${JSON.stringify(others)}`);
  if (lead.stageId !== expected.stageId || lead.pipelineId !== expected.pipelineId)
    issues.push('put a lead into another stage');
  if (lead.version !== 1 || lead.createdAt !== lead.updatedAt || lead.archivedAt !== undefined)
    issues.push('made a lead that is not new');
  if (asked !== undefined)
    return owner === asked ? issues : [...issues, `gave the lead to ${owner} instead of ${asked}`];
  const { users, rule } = rotationOf(settings, expected.fields, expected.pipelineId);
  const turns = turnsOf(request);
  const owners = users.length === 1 ? users : turns.map((turn) => users[(turn - 1) % users.length]);
  if (!owners.includes(owner as number))
    issues.push(
      `gave the lead to ${owner}, not to the next of rule ${rule} (${owners.join(', ')})`,
    );
  return issues;
}

const turnsOf = ({ writes }: ObservedRequest): number[] =>
  writes.filter((write) => kindOf(write) === 'TURN').map(({ after }) => after?.turns as number);

export function entryIssues(
  request: ObservedRequest,
  entry: Plain | undefined,
  type: string,
): string[] {
  if (!entry) return ['left nothing on the timeline'];
  const { keyId } = request.apiKey;
  if (entry.type !== type) return [`left ${entry.type} on the timeline instead of ${type}`];
  if (entry.requestId !== request.id)
    return [`is on the timeline as the request ${entry.requestId}`];
  return entry.keyId === keyId && typeof entry.actorId === 'number'
    ? []
    : [`is on the timeline as made with ${entry.keyId}`];
}
