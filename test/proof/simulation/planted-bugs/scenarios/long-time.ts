import { person, type Scenario } from '../scenario.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const aged = {
  seeds: 2,
  simulation: { dynamodb: { expiryChance: 0.5, staleChance: 0.5 } },
  functions: { coldStartChance: 0.2 },
} as const;

/** Histories of hours or days. What has expired is deleted late, soon or never. */
export const longScenarios: readonly Scenario[] = [
  {
    name: 'A capture is remembered for 24 hours, to the millisecond',
    ...aged,
    simulation: { ...aged.simulation, isTimed: false },
    async run(given) {
      const { service } = given;
      for (const [at, offsetMs] of [-5000, -1, 0, 1, hourMs, 3 * dayMs].entries()) {
        const capture = () => given.capture(person(at), `enquiry ${at}`);
        await capture();
        const record = service.history.writes.findLast(({ pk }) => pk.startsWith('IDEMPOTENCY#'));
        const expiresAt = Number(record?.after?.expiresAt);
        await given.sleep(expiresAt + offsetMs - service.now);
        await capture();
      }
    },
  },
  {
    name: 'Requests of many instances meet hourly windows, again and again over six hours',
    ...aged,
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
        const answers = await Promise.all(asked);
        // How many may pass in each window the checker knows.
        const hasPassed = answers.some(({ status }) => status === 200);
        given.expect(hasPassed || round % 2 === 1, `some requests pass in round ${round}.`);
        await given.sleep(hourMs / 2 + 60_000);
      }
    },
  },
  {
    name: 'A key works until it expires, after an hour and after 90 days',
    ...aged,
    async run(given) {
      const { service } = given;
      const scopes = ['leads.read'] as const;
      const expiresAt = new Date(service.now + hourMs).toISOString();
      const keys = [await given.newKey({ scopes, expiresAt }), await given.newKey({ scopes })];
      for (const [at, key] of keys.entries()) {
        const days = (key.expiresAt - service.now) / dayMs;
        given.expect(at === 0 || Math.abs(days - 90) < 0.1, `a life of 90 days, not of ${days}.`);
        const statuses: number[] = [];
        for (const offsetMs of [-1000, 10]) {
          await given.sleep(key.expiresAt + offsetMs - service.now);
          statuses.push((await given.ask('list-users', { as: key })).status);
        }
        given.same('before and after its end', statuses, [200, 401]);
      }
    },
  },
];
