import { isSame } from '../../../support/reference/plain.ts';
import {
  accepted,
  capturedLead,
  createdLead,
  rotationOf,
  type Values,
} from '../../../support/reference/reference.ts';
import { kindOf, nameOf } from './effects.ts';
import type { History, ObservedAction, ObservedRequest } from './history.ts';
import { settingsDuring } from './states.ts';

/**
 * An apply writes only what is not so already. One that was refused changed nothing: what it made inactive meanwhile it made active again,
 * unless others changed the settings since.
 */
export function checkSettings(history: History): string[] {
  return history.actions
    .filter(({ what }) => what === 'settings apply' || what === 'settings undo')
    .flatMap((action) => [...idleIssues(action), ...refusedIssues(history, action)])
    .map((issue) => `${issue}.`);
}

const idleIssues = (action: ObservedAction): string[] =>
  action.writes
    .filter((write) => kindOf(write) === 'ORG SETTINGS')
    .filter(({ before, after }) => isSame(before?.settings, after?.settings))
    .map(() => `${nameOf(action)} applied settings that were so already`);

function refusedIssues(history: History, action: ObservedAction): string[] {
  if (!/^SettingsRejectedError/.test(String(action.result))) return [];
  const own = action.writes.filter((write) => kindOf(write) === 'ORG SETTINGS');
  const [first, last] = [own[0], own.at(-1)];
  if (!first || !last) return [];
  const all = history.writesOf.get(`${first.pk} ${first.sk}`) ?? [];
  const others = all.filter(
    ({ work, order, before, after }) =>
      work !== action &&
      order > first.order &&
      order < lastCallOrder(history, action) &&
      !isSame(before?.settings, after?.settings),
  );
  const takenBack = own.filter(({ after }, at) =>
    own.slice(0, at).some(({ before }) => isSame(before?.settings, after?.settings)),
  );
  const overOthers = takenBack.filter(
    (write) => write.before?.version !== own[own.indexOf(write) - 1]?.after?.version,
  );
  const issues = [
    ...(overOthers.length > 0 ? ['took back settings that others had applied since'] : []),
    ...(others.length === 0 && !isSame(last.after?.settings, first.before?.settings)
      ? ['was refused and changed the settings all the same']
      : []),
  ];
  return issues.map((issue) => `${nameOf(action)} ${issue}`);
}

/** The place, among all writes, at which the action was over. */
function lastCallOrder({ writes }: History, { endedAt }: ObservedAction): number {
  return writes.findLast(({ at }) => at <= endedAt)?.order ?? 0;
}

/** Each rule of an organization has a counter of its own, the same one for as long as the rule is the same. */
export function checkRotations(history: History): string[] {
  const ruleOf = new Map<string, string>();
  const counterOf = new Map<string, string>();
  const issues: string[] = [];
  for (const request of history.requests) {
    const turn = request.writes.find((write) => kindOf(write) === 'TURN');
    const rules = turn ? rulesOf(history, request) : [];
    const [rule] = rules;
    if (!turn || rule === undefined || rules.length > 1) continue;
    const counter = `${turn.pk} ${turn.sk}`;
    const own = `${request.organizationId} ${rule}`;
    if ((ruleOf.get(counter) ?? own) !== own)
      issues.push(`${counter} counts the turns of two rules.`);
    if ((counterOf.get(own) ?? counter) !== counter)
      issues.push(`The turns of the rule ${rule} are counted at two places.`);
    ruleOf.set(counter, own);
    counterOf.set(own, counter);
  }
  return issues;
}

/** The rules that may have chosen the owner, by the settings that held meanwhile. */
function rulesOf(history: History, request: ObservedRequest): string[] {
  const body = request.request.body as Values;
  const rules = new Set<string>();
  for (const settings of settingsDuring(history, request)) {
    accepted(() => {
      const place =
        request.what === 'create-lead' ? createdLead(settings, body) : capturedLead(settings, body);
      rules.add(rotationOf(settings, place.fields, place.pipelineId).rule);
      return true;
    });
  }
  return [...rules];
}
