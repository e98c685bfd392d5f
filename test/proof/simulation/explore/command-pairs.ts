import { clientSettings } from '../../../../infra/cli/aws.ts';
import type { AdministratorCommand, CommandOptions, LeadRow } from '../administration.ts';
import { checkHistory } from '../checker/check-history.ts';
import { type Program, readService } from '../lambda/modules.ts';
import type { CallInfo } from '../network.ts';
import { ObservedService } from '../observed-service.ts';
import { firstVariant, settingsFile } from '../organizations.ts';
import { type PreparedTable, prepareTable } from '../prepared-table.ts';
import { organizationId } from './pair-operations.ts';
import type { Summary } from './report.ts';
import { storyOf } from './story.ts';

/** A command of an administrator. */
interface GivenCommand<Name extends AdministratorCommand = AdministratorCommand> {
  readonly name: string;
  readonly what: Name;
  readonly options: CommandOptions<Name>;
}

const given = <Name extends AdministratorCommand>(
  name: string,
  what: Name,
  options: CommandOptions<Name>,
): GivenCommand => ({ name, what, options }) as GivenCommand;

/** Settings with what an apply, or an undo, then removes: an active and an inactive one of each kind. */
function settingsToRemoveFrom() {
  const { users, pipelines, sources, fields, ...settings } = settingsFile(
    organizationId,
    firstVariant,
  );
  const [inactive, type] = [{ active: false }, { type: 'text', section: 'Interest' }];
  const stage = { meaning: 'open' };
  const stages = [
    { id: 13, name: 'Visited', slug: 'visited', order: 3, ...stage },
    { id: 14, name: 'Left', slug: 'left', order: 4, ...stage, ...inactive },
  ];
  return {
    ...settings,
    users: [...users, { id: 51, name: 'New' }, { id: 52, name: 'Old', ...inactive }],
    pipelines: pipelines.map((one) =>
      one.id === 1 ? { ...one, stages: [...one.stages, ...stages] } : one,
    ),
    sources: [...sources, { id: 51, name: 'Fair' }, { id: 52, name: 'Old expo', ...inactive }],
    fields: [
      ...fields,
      { key: 'venue', label: 'Venue', storage: 'custom', ...type },
      { key: 'hall', label: 'Hall', storage: 'custom', ...type, ...inactive },
    ],
  };
}

/** What is removed, as cells of a row: all rows may refer to the first kind, those of an export also to the second. */
const active = [{ source: 51 }, { assigned_to: 51 }, { stage: '13' }, { venue: 'Hall 1' }];
const inactive = [{ source: 52 }, { assigned_to: 52 }, { stage: '14' }, { hall: 'Hall 2' }];

export const known = { name: 'Asha Rao', phone: '+919812345678', email: 'asha@example.com' };
export const newcomer = { name: 'Ravi Iyer', phone: '+919887654321', email: 'ravi@example.com' };
export const imported = { name: 'Meera Das', phone: '+919811111111' };
const leadId = 2; // of `imported`

const exported = (row: LeadRow): LeadRow => ({ ...row, mark: `organization ${organizationId}` });
/** A person of its own for each row. */
const newcomers = (cells: readonly LeadRow[]): LeadRow[] =>
  cells.map((row, at) => ({ name: 'Ravi Iyer', phone: `+91988765432${at}`, id: 90 + at, ...row }));
const updates = (cells: readonly LeadRow[]): LeadRow[] =>
  cells.map((row) => ({ ...imported, ...row }));

const exportedRows = newcomers([...active, ...inactive]).map(exported);
const changes = [
  given('import of exported rows', 'import', { rows: exportedRows }),
  given('import that keeps IDs', 'import', { rows: exportedRows, keepIds: true }),
  given('import of rows', 'import', { rows: newcomers(active).map(({ id, ...row }) => row) }),
  given('update by exported rows', 'import update', {
    rows: updates([...active, ...inactive]).map((row) => exported({ ...row, id: leadId })),
  }),
  given('update by rows', 'import update', { rows: updates(active) }),
  given('reassign', 'reassign', { ownerId: 7, newOwnerId: 51 }),
  ...active.map((row) => given(`edit of ${Object.keys(row)}`, 'edit', { leadId, row })),
  given('undo of an import', 'import undo', { rows: [imported] }),
  given('erase', 'erase', { leadId }),
];
const removals = [
  given('apply that removes', 'settings apply', { ...firstVariant, epoch: 1 }),
  given('undo of settings', 'settings undo', {}),
  given('erase', 'erase', { leadId }),
];

/** The latest answer for which a command waits. */
const latestMs = clientSettings.requestHandler.requestTimeout - 1000;

/**
 * Runs every pair of a command that changes leads and one that removes items to which leads refer, through the real commands' context. At
 * each call of one command, the response waits until the other command has run completely. Afterwards the table is clean, and fits what
 * they reported. The first violation ends it.
 */
export async function exploreCommandPairs(
  report: (line: string) => void,
  { code }: { readonly code?: Program } = {},
): Promise<Summary> {
  const program = code ?? (await readService());
  const prepared = await prepareCommands(program);
  const totals = { histories: 0, faults: 0, violations: 0 };
  const all = changes.flatMap((change) =>
    removals.flatMap((removal) => [[change, removal] as const, [removal, change] as const]),
  );
  for (const [first, second] of all) {
    const name = `${first.name}, during it ${second.name}`;
    const { ms } = await runOnce(program, prepared, [second]);
    for (let [at, calls] = [0, 1]; at < calls; at += 1) {
      const lateMs = Math.min(ms + 1000, latestMs);
      const run = await runOnce(program, prepared, [first, second], { at, lateMs });
      calls = run.calls;
      totals.histories += 1;
      totals.faults += 1;
      if (run.lines.length === 0) continue;
      totals.violations += 1;
      for (const line of run.lines) report(`${name}, at call ${at}: ${line}`);
      return totals;
    }
  }
  return totals;
}

/** @param pause the call of the first command whose answer is late; the second begins when DynamoDB has executed it */
async function runOnce(
  program: Program,
  prepared: PreparedTable,
  [first, second]: readonly [GivenCommand, GivenCommand?],
  pause = { at: -1, lateMs: 0 },
): Promise<{ calls: number; ms: number; lines: readonly string[] }> {
  const reached = Promise.withResolvers<void>();
  const latenessOf = ({ caller, number }: CallInfo): number => {
    if (caller !== 'administrator#0' || number !== pause.at) return 0;
    reached.resolve();
    return pause.lateMs;
  };
  const simulation = { seed: 'command pairs', latenessOf };
  const service = await ObservedService.start({ versions: [program], simulation }, prepared);
  const give = ({ what, options }: GivenCommand) =>
    service.administrate(what, organizationId, options);
  const begin = async () => {
    const action = await give(first);
    reached.resolve();
    return action;
  };
  const actions = await service.run(() =>
    Promise.all([begin(), second && reached.promise.then(() => give(second))]),
  );
  await service.settle();
  // As commands say: what broke off is completed by a repeat.
  for (const [at, action] of actions.entries())
    if (action && action.outcome !== 'done')
      await service.run(() => give(at === 0 ? first : (second ?? first)));
  const issues = await checkHistory(service, { walks: () => [] });
  const [{ calls, startedAt, endedAt }] = actions;
  const lines = issues.length > 0 ? [...issues, storyOf(service.history)] : [];
  return { calls, ms: endedAt - startedAt, lines };
}

/** Two leads, one of an enquiry and one of a row, under settings that have more than those before. */
export async function prepareCommands(program: Program): Promise<PreparedTable> {
  const service = await ObservedService.start(
    { versions: [program], simulation: { seed: 'prepared commands' } },
    await prepareTable((id) => (id === organizationId ? ['writer', 'checker'] : ['checker'])),
  );
  await service.run(async () => {
    const file = settingsToRemoveFrom();
    await service.administrate('settings apply', organizationId, { file });
    const body = { ...known, source: 'Facebook Ads' };
    const writer = service.key(organizationId, 'writer');
    const answer = await service.request('a form', writer, { endpoint: 'capture-lead', body });
    if (answer?.status !== 201) throw new Error(`The enquiry was answered: ${answer?.body}`);
    await service.administrate('import', organizationId, { rows: [imported] });
  });
  await service.settle();
  return service.prepared();
}
