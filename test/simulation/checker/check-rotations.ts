import { kindOf } from './effects.ts';
import type { History, ObservedRequest } from './history.ts';
import { accepted, capturedLead, createdLead, rotationOf, type Values } from './reference.ts';
import { settingsDuring } from './states.ts';

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
