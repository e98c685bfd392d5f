import { kindOf, nameOf } from './effects.ts';
import type { History, ObservedAction } from './history.ts';
import { isSame } from './plain.ts';

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
