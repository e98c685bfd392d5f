import type { ServicePrograms } from '../lambda/modules.ts';
import { type Answered, person, runScenario, type Scenario } from '../planted-bugs/scenario.ts';
import { noHistory, type Report, type Summary, sumOf } from './report.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Histories of hours or days. What has expired is deleted late, soon or never. */
const longScenarios: readonly Scenario[] = [
  {
    name: 'A capture is remembered for 24 hours, to the millisecond',
    simulation: { dynamodb: { expiryChance: 0.5, staleChance: 0.5 } },
    functions: { coldStartChance: 0.2 },
    async run(given) {
      const { service } = given;
      for (const [at, offsetMs] of [-5000, -1, 0, 1, 5000, hourMs, 3 * dayMs].entries()) {
        const capture = () => given.capture(person(at), `enquiry ${at}`);
        await capture();
        const record = service.history.writes.findLast(({ pk }) => pk.startsWith('IDEMPOTENCY#'));
        const expiresAt = Number(record?.after?.expiresAt);
        const moreMs = expiresAt - dayMs - (record?.at ?? 0);
        given.expect(Math.abs(moreMs) <= 20, `24 hours, not ${moreMs} ms more.`);
        await given.sleep(expiresAt + offsetMs - 3 - service.now);
        const { isReplay } = await capture();
        // Within the request its clock is read a few milliseconds after it was sent: at the edge either is right.
        given.expect(isReplay || offsetMs >= -30, `a replay ${-offsetMs} ms before the end.`);
        given.expect(!isReplay || offsetMs <= 3, `no replay ${offsetMs} ms after the end.`);
      }
    },
  },
  {
    name: 'Requests of many instances meet hourly windows, again and again over six hours',
    simulation: { dynamodb: { expiryChance: 0.5, staleChance: 0.5 } },
    functions: { coldStartChance: 0.2 },
    limits: { perKey: 25, perOrganization: 60 },
    async run(given) {
      const callers = [
        { as: 'reader' },
        { as: 'writer' },
        { as: 'writer' },
        { as: 'reader', in: 12 },
      ] as const;
      for (let round = 0; round < 12; round += 1) {
        const asked = Array.from({ length: 60 }, (_, at) =>
          given.ask('list-users', callers[at % callers.length]),
        );
        const answers: readonly Answered[] = await Promise.all(asked);
        // How many may pass in each window the checker knows.
        const hasPassed = answers.some(({ status }) => status === 200);
        given.expect(hasPassed || round % 2 === 1, `some requests pass in round ${round}.`);
        await given.sleep(hourMs / 2 + 60_000);
      }
    },
  },
  {
    name: 'A key works until it expires, after an hour and after 90 days',
    simulation: { dynamodb: { expiryChance: 0.5, staleChance: 0.5 } },
    functions: { coldStartChance: 0.2 },
    async run(given) {
      const { service } = given;
      const scopes = ['leads.read'] as const;
      const expiresAt = new Date(service.now + hourMs).toISOString();
      const keys = [await given.newKey({ scopes, expiresAt }), await given.newKey({ scopes })];
      for (const [at, key] of keys.entries()) {
        const days = (key.expiresAt - service.now) / dayMs;
        given.expect(at === 0 || Math.abs(days - 90) < 0.1, `a life of 90 days, not of ${days}.`);
        await given.sleep(key.expiresAt - 1000 - service.now);
        await given.answered(200, given.ask('list-users', { as: key }), 'before its end');
        await given.sleep(key.expiresAt + 10 - service.now);
        await given.answered(401, given.ask('list-users', { as: key }), 'after its end');
      }
    },
  },
];

/** Runs histories of days of simulated time. */
export async function longTime(bundles: ServicePrograms, report: Report): Promise<Summary> {
  let sum = noHistory;
  for (const scenario of longScenarios) {
    for (const seed of ['1', '2']) {
      report.progress(`${scenario.name}, ${sum.violations} violations`);
      const { faults, violations } = await runScenario(scenario, seed, bundles);
      for (const violation of violations) report.print(`${scenario.name}: ${violation}`);
      sum = sumOf(sum, { histories: 1, faults, violations: violations.length });
    }
  }
  return sum;
}
