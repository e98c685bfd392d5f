import { type Commit, commitsOf, kindOf, nameOf } from './effects.ts';
import type { History, ObservedAction, Write } from './history.ts';
import type { Plain } from './plain.ts';
import { comparableEmail, comparablePhone, type Values } from './reference.ts';

/** An import does what it says that it did: each row is a lead once, with all that the row tells of it, and is remembered with it. */
export function checkImports(history: History): string[] {
  return history.actions
    .filter(({ what }) => what === 'import')
    .flatMap((action) =>
      [
        ...countIssues(action),
        ...commitsOf(action).flatMap((commit) => leadIssues(action, commit)),
      ].map((issue) => `${nameOf(action)} ${issue}.`),
    );
}

const newLeads = (writes: readonly Write[]): Write[] =>
  writes.filter((write) => kindOf(write) === 'LEADS' && write.after && !write.before);

function countIssues({ outcome, result, writes, options }: ObservedAction): string[] {
  if (outcome !== 'done') return [];
  const { rows, imported, alreadyThere, refused } = result as Readonly<Record<string, number>>;
  const made = newLeads(writes).length;
  const all = (options.rows as readonly unknown[] | undefined)?.length ?? rows;
  return [
    ...(imported === made ? [] : [`told of ${imported} imported rows and made ${made} leads`]),
    ...(rows === all && all === (imported ?? 0) + (alreadyThere ?? 0) + (refused ?? 0)
      ? []
      : [`told of other rows than ${all}: ${JSON.stringify(result)}`]),
  ];
}

/** The leads of one transaction, each with the record of its row. */
function leadIssues({ options }: ObservedAction, { writes }: Commit): string[] {
  const remembered = writes
    .filter((write) => kindOf(write) === 'IMPORTED')
    .map(({ after }) => after?.leadId);
  const rows = options.rows as readonly Values[] | undefined;
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

/** Whether a lead has what a row says, its phone and email in whatever form. */
function isRowOf(row: Values, lead: Plain, notes: readonly unknown[]): boolean {
  const { note, id, createdAt = lead.createdAt, updatedAt = lead.updatedAt, ...sent } = row;
  const fields = lead.fields as Values;
  const isSame = ([key, value]: [string, unknown]): boolean => {
    if (key === 'phone') return fields.phone === comparablePhone(String(value));
    if (key === 'email')
      return comparableEmail(String(fields.email)) === comparableEmail(String(value));
    return ['course', 'source', 'assigned_to'].includes(key) || fields[key] === value;
  };
  return (
    Object.entries(sent).every(isSame) &&
    notes.join() === (note === undefined ? '' : String(note)) &&
    (id === undefined || Number(lead.sk) === id) &&
    createdAt === lead.createdAt &&
    updatedAt === lead.updatedAt
  );
}
