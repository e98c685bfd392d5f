import { html } from 'hono/html';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import { type AuditEntry, readAuditLog } from '../../../shared/store/organizations/audit-log.ts';
import { asError } from '../../cli/error-code.ts';
import { countOf } from '../../cli/format.ts';
import { type Desk, organizationAt, type View } from './desk.ts';
import { type Html, listed, type Part, page, table, timeText } from './layout.ts';

interface CheckRun {
  readonly begunAt: string;
  progress: string;
  /** A sentence for each violation; undefined while the check runs. */
  found?: readonly string[];
}

const entriesShown = 100;

/** The audit log, and `check`. */
export function activityView(): View {
  /** The checks since the page was opened, by organization, newest first. */
  const checks = new Map<number, CheckRun[]>();
  return {
    path: '/o/:organization/activity',
    get: async (context, desk) => {
      const organization = await organizationAt(context, desk);
      const runs = checks.get(organization.id) ?? [];
      const isRunning = runs[0] !== undefined && runs[0].found === undefined;
      // The check only reads, so it also runs with --read-only.
      if (context.req.query('check') === 'begin') {
        if (!isRunning) checks.set(organization.id, [beginCheck(desk, organization.id), ...runs]);
        return context.redirect(context.req.path, 303);
      }
      const shown = Number(context.req.query('entries')) || entriesShown;
      const entries = await readAuditLog(desk.table, organization.id, { limit: shown + 1 });
      const frame = { title: 'Activity', organization, ...(isRunning && { refreshAfter: 3 }) };
      return page(context, frame, [
        html`<h2>Audit log</h2>${auditLog(entries.slice(0, shown))}`,
        entries.length > shown &&
          html`<p><a href="?entries=${shown * 4}">Show older entries</a></p>`,
        html`<h2>Check</h2><p>Verifies that all items of the table agree with each other. It reads the whole table, and can run while the service is in use.</p>`,
        !isRunning && html`<form><button name="check" value="begin">Run the check</button></form>`,
        runs.map(runText),
      ]);
    },
  };
}

function beginCheck({ pacedTable, failureText }: Desk, organizationId: number): CheckRun {
  const run: CheckRun = { begunAt: new Date().toISOString(), progress: '' };
  const onProgress = ({ leads, otherItems }: { leads: number; otherItems: number }): void => {
    run.progress = `${countOf(leads, 'lead')} and ${countOf(otherItems, 'other item')} read`;
  };
  checkTable(pacedTable, { organizationId, onProgress })
    .then(({ leads, violations }) => {
      const checked = `${countOf(leads, 'lead')} checked.`;
      run.found =
        violations.length === 0
          ? [`No violations: ${checked}`]
          : [...violations, `${countOf(violations.length, 'violation')}: ${checked}`];
    })
    .catch((error: unknown) => {
      run.found = [failureText(asError(error))];
    });
  return run;
}

const runText = ({ begunAt, progress, found }: CheckRun): Html =>
  found
    ? html`<p>${timeText(begunAt)}</p>${listed(found)}`
    : html`<p role="status">${timeText(begunAt)} Running: ${progress || 'just begun'}.</p>`;

const auditLog = (entries: readonly AuditEntry[]): Html =>
  table(
    'Audit log',
    ['When', 'What', 'Who'],
    entries.map((entry) => [
      timeText(entry.at),
      html`<bdi>${entry.what}</bdi>${versions(entry)}`,
      html`<bdi>${entry.who}</bdi>`,
    ]),
  );

const versions = ({ versionBefore, versionAfter, isBetween }: AuditEntry): Part =>
  versionAfter !== undefined &&
  html` <small>settings ${versionBefore ?? 'none'} → ${versionAfter}${isBetween && ' (intermediate step)'}</small>`;
