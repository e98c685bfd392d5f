import { isSame, type Plain } from '../../../support/reference/plain.ts';
import {
  comparableEmail,
  comparablePhone,
  type Values,
} from '../../../support/reference/reference.ts';
import { type Commit, commitsOf, isCount, isImport, kindOf, nameOf } from './effects.ts';
import type { History, ObservedAction, Write } from './history.ts';

/**
 * Checks that an import did what it reports. Each row created one lead, with all values of the row, and is recorded with it. Or it changed
 * exactly the values of the lead that has its phone or email. An undo forgets the rows of the leads that it removed.
 */
export function checkImports(history: History): string[] {
  return history.actions.flatMap((action) => {
    const issues = action.what === 'import undo' ? undoIssues(history, action) : [];
    if (isImport(action)) {
      issues.push(...countIssues(action));
      for (const commit of commitsOf(action)) issues.push(...leadIssues(action, commit));
    }
    return issues.map((issue) => `${nameOf(action)} ${issue}.`);
  });
}

function undoIssues(
  { writesOf }: History,
  { outcome, result, writes, organizationId }: ObservedAction,
): string[] {
  if (outcome !== 'done') return [];
  const { removed } = result as { readonly removed: readonly number[] };
  const gone = writes.filter((write) => kindOf(write) === 'LEADS' && !write.after);
  const untold = gone.filter(({ sk }) => !removed.includes(Number(sk)));
  const remembered = [...writesOf].filter(
    ([name, ofRow]) =>
      name.startsWith(`IMPORTED#${organizationId}#`) &&
      removed.includes(ofRow.at(-1)?.after?.leadId as number),
  );
  return [
    ...untold.map(({ sk }) => `removed lead ${Number(sk)} and does not say so`),
    ...remembered.map(([name]) => `removed a lead and remembers its row under ${name}`),
  ];
}

const newLeads = (writes: readonly Write[]): Write[] =>
  writes.filter((write) => kindOf(write) === 'LEADS' && write.after && !write.before);

function countIssues({ outcome, result, writes, options }: ObservedAction): string[] {
  if (outcome !== 'done') return [];
  const counts = result as Readonly<Record<string, number>>;
  const { rows, imported = 0, updated = 0, alreadyThere = 0, refused = 0 } = counts;
  const changed = new Set(writes.flatMap(changedLeadOf));
  const made = newLeads(writes).length;
  const all = (options.rows as readonly unknown[] | undefined)?.length ?? rows;
  return [
    ...(imported === made ? [] : [`told of ${imported} imported rows and made ${made} leads`]),
    ...(rows === all && all === imported + updated + alreadyThere + refused
      ? []
      : [`told of other rows than ${all}: ${JSON.stringify(result)}`]),
    ...(updated <= changed.size
      ? []
      : [`told of ${updated} updated leads and changed ${changed.size}`]),
  ];
}

/** The lead that was there before, of which a write changes something. */
function changedLeadOf(write: Write): number[] {
  if (kindOf(write) === 'LEADS') return write.before && write.after ? [Number(write.sk)] : [];
  return write.after?.type === 'note_added' ? [Number(write.pk.split('#')[2])] : [];
}

/** The leads of one transaction: a changed one, or new ones, each with the record of its row. */
function leadIssues({ options }: ObservedAction, { writes }: Commit): string[] {
  const remembered = writes
    .filter((write) => kindOf(write) === 'IMPORTED')
    .map(({ after }) => after?.leadId);
  const rows = (options.rows as readonly Values[] | undefined)?.map(({ id, ...row }) =>
    options.keepIds ? { ...row, id } : row,
  );
  const changed = writes.find((write) => kindOf(write) === 'LEADS' && write.before)?.after;
  const before = writes.find((write) => kindOf(write) === 'LEADS')?.before?.fields as Values;
  if (
    changed &&
    rows &&
    !writes.some(isCount) &&
    !rows.some((row) => isUpdateBy(row, before, changed))
  )
    return [`changed lead ${Number(changed.sk)} as no row says: ${JSON.stringify(changed)}`];
  return newLeads(writes).flatMap(({ pk, sk, after }) => {
    const leadId = Number(sk);
    const timeline = `TIMELINE#${pk.split('#')[1]}#${leadId}`;
    const notes = writes.filter((write) => write.pk === timeline).flatMap(noteOf);
    const isOfRow = rows?.some((row) => isRowOf(row, after as Plain, notes)) ?? true;
    return [
      ...(remembered.filter((id) => id === leadId).length === 1
        ? []
        : [`made lead ${leadId} and does not remember its row`]),
      ...(isOfRow ? [] : [`made lead ${leadId} of no row: ${JSON.stringify({ after, notes })}`]),
    ];
  });
}

const noteOf = ({ after }: Write): unknown[] => (after?.type === 'note_added' ? [after.text] : []);

/** Whether a lead has what a row says, and is as before else. */
function isUpdateBy({ note: _, ...row }: Values, before: Values, lead: Plain): boolean {
  const after = lead.fields as Values;
  const others = Object.keys({ ...before, ...after }).filter((name) => !row[name]);
  return isRowOf(row, lead, []) && others.every((name) => isSame(before[name], after[name]));
}

/** Whether a lead has what a row says, its phone and email in whatever form. */
function isRowOf(row: Values, lead: Plain, notes: readonly unknown[]): boolean {
  const {
    note,
    id,
    mark: _,
    stage = lead.stageId,
    createdAt = lead.createdAt,
    updatedAt = lead.updatedAt,
    ...sent
  } = row;
  const fields = lead.fields as Values;
  const isSame = ([key, value]: [string, unknown]): boolean => {
    if (key === 'phone') return fields.phone === comparablePhone(String(value));
    if (key === 'email')
      return comparableEmail(String(fields.email)) === comparableEmail(String(value));
    return (
      value === '' || ['course', 'source', 'assigned_to'].includes(key) || fields[key] === value
    );
  };
  return (
    Object.entries(sent).every(isSame) &&
    notes.join() === (note === undefined ? '' : String(note)) &&
    (id === undefined || Number(lead.sk) === id) &&
    Number(stage) === lead.stageId &&
    createdAt === lead.createdAt &&
    updatedAt === lead.updatedAt
  );
}
