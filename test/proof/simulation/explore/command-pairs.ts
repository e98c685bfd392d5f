import { clientSettings } from '../../../../infra/cli/aws.ts';
import { Random } from '../../../support/generated/random.ts';
import type { AdministratorCommand, CommandOptions, LeadRow } from '../administration.ts';
import { checkHistory } from '../checker/check-history.ts';
import { type Program, readService } from '../lambda/modules.ts';
import type { CallInfo } from '../network.ts';
import { ObservedService } from '../observed-service.ts';
import { firstVariant, settingsFile } from '../organizations.ts';
import { type PreparedTable, prepareTable } from '../prepared-table.ts';
import { organizationId } from './pair-operations.ts';
import type { PairLimits } from './pairs.ts';
import type { Summary } from './report.ts';
import { storyOf } from './story.ts';

/** A command of an administrator, as often as it is given with other options. */
interface GivenCommand<Name extends AdministratorCommand = AdministratorCommand> {
  readonly name: string;
  readonly what: Name;
  readonly options: (random: Random) => CommandOptions<Name>;
}

const given = <Name extends AdministratorCommand>(
  name: string,
  what: Name,
  options: (random: Random) => CommandOptions<Name>,
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
const mark = `organization ${organizationId}`;
const leadId = 1;

const exported = (random: Random, person: LeadRow): LeadRow => ({
  ...person,
  ...random.pick([...active, ...inactive]),
  id: person === known ? leadId : 90,
  mark,
});

const changes = [
  given('import of exported rows', 'import', (random) => ({
    rows: [exported(random, newcomer)],
    keepIds: random.chance(0.5),
  })),
  given('import of rows', 'import', (random) => ({
    rows: [{ ...newcomer, ...random.pick(active) }],
  })),
  given('update by exported rows', 'import update', (random) => ({
    rows: [exported(random, known)],
  })),
  given('update by rows', 'import update', (random) => ({
    rows: [{ ...known, ...random.pick(active) }],
  })),
  given('reassign', 'reassign', () => ({ ownerId: 7, newOwnerId: 51 })),
  given('edit', 'edit', (random) => ({ leadId, row: random.pick(active) })),
  given('undo of an import', 'import undo', () => ({ rows: [imported] })),
  given('erase', 'erase', (random) => ({ leadId: random.pick([leadId, leadId + 1]) })),
];
const removals = [
  given('apply that removes', 'settings apply', () => ({ ...firstVariant, epoch: 1 })),
  given('undo of settings', 'settings undo', () => ({})),
  given('erase', 'erase', (random) => ({ leadId: random.pick([leadId, leadId + 1]) })),
];

/**
 * How late DynamoDB answers: longer than a command keeps settings, nearly as long as a write may take, longer than an apply waits, and nearly
 * as long as a command waits for an answer.
 */
const latenessMs = [
  1100,
  5500,
  12_000,
  clientSettings.requestHandler.requestTimeout - 1000,
] as const;
/** Within what time the change begins, and the removal: an apply that removes something waits for eleven seconds. */
const starts = [
  [1000, 3000],
  [12_000, 1000],
] as const;

/**
 * Runs every pair of a command that changes leads and one that removes what leads refer to, each through the context of the real commands.
 * They begin at any distance, and DynamoDB answers as late as a command waits. Afterwards the table is clean, and fits what they reported. The first violation ends it.
 */
export async function exploreCommandPairs(
  report: (line: string) => void,
  { runs, pairs = () => true, code }: CommandPairLimits,
): Promise<Summary> {
  const program = code ?? (await readService());
  const prepared = await prepareCommands(program);
  const totals = { histories: 0, faults: 0, violations: 0 };
  const all = changes.flatMap((change) => removals.map((removal) => [change, removal] as const));
  for (const pair of all.filter(([change, removal]) => pairs(`${change.name} | ${removal.name}`)))
    for (let run = 0; run < runs; run += 1) {
      const seed = `${pair.map(({ name }) => name).join(' | ')} ${run}`;
      const { late, lines } = await runOnce(program, prepared, pair, seed);
      totals.histories += 1;
      totals.faults += late;
      if (lines.length === 0) continue;
      totals.violations += 1;
      for (const line of lines) report(line);
      return totals;
    }
  return totals;
}

interface CommandPairLimits extends Pick<PairLimits, 'pairs' | 'code'> {
  /** Of each pair. */
  readonly runs: number;
}

async function runOnce(
  program: Program,
  prepared: PreparedTable,
  commands: readonly GivenCommand[],
  seed: string,
): Promise<{ late: number; lines: readonly string[] }> {
  const random = new Random(seed);
  const begins = random.pick(starts).map((within) => random.between(0, within));
  const changing = `administrator#${Number((begins[0] ?? 0) > (begins[1] ?? 0))}`;
  const lateMs = random.pick(latenessMs);
  let late = 0;
  const latenessOf = ({ caller }: CallInfo): number => {
    if (!random.chance(caller === changing ? 0.5 : 0.1)) return 0;
    late += 1;
    return lateMs + random.between(0, 900);
  };
  const simulation = { seed, latenessOf };
  const service = await ObservedService.start({ versions: [program], simulation }, prepared);
  const repeats: (() => Promise<unknown>)[] = [];
  const give = async ({ what, options: optionsOf }: GivenCommand, at: number): Promise<void> => {
    const options = optionsOf(random);
    await service.sleep(begins[at] ?? 0);
    const run = () => service.administrate(what, organizationId, options);
    const { outcome } = await run();
    if (outcome !== 'done') repeats.push(run);
  };
  await service.run(() => Promise.all(commands.map(give)));
  await service.settle();
  // As commands say: what broke off is completed by a repeat.
  for (const repeat of repeats) await service.run(repeat);
  const issues = await checkHistory(service, { walks: () => [] });
  const lines = issues.map((issue) => `${seed}: ${issue}`);
  return { late, lines: lines.length > 0 ? [...lines, storyOf(service.history)] : [] };
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
