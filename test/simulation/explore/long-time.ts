import { markOf } from '../checker/check-answers.ts';
import { checkHistory } from '../checker/check-history.ts';
import type { HeldKey } from '../checker/history.ts';
import type { ServicePrograms } from '../lambda/modules.ts';
import type { CallerAnswer } from '../lambda/simulated-gateway.ts';
import { ObservedService, type ObservedServiceOptions } from '../observed-service.ts';
import { firstKeys, idIn } from '../organizations.ts';
import type { Report, Summary } from './report.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** One history of hours or days; its own sentences besides what the checker finds. */
type LongHistory = (service: ObservedService) => Promise<string[]>;

/** Histories of days of simulated time. */
export async function longTime(bundles: ServicePrograms, report: Report): Promise<Summary> {
  const sum = { histories: 0, faults: 0, violations: 0 };
  for (const [name, { history, limits }] of Object.entries(longHistories)) {
    for (const expiryChance of [0, 1]) {
      report.progress(`${name}, ${sum.histories} long histories, ${sum.violations} violations`);
      const service = await ObservedService.start({
        versions: [bundles],
        simulation: {
          seed: `${name} ${expiryChance}`,
          dynamodb: { expiryChance, staleChance: 0.5 },
        },
        functions: { coldStartChance: 0.2 },
        ...(limits && { limits }),
      });
      const violations = [
        ...(await service.run(() => history(service))),
        ...(await checkHistory(service)),
      ];
      for (const violation of violations) report.print(`${name}: ${violation}`);
      sum.histories += 1;
      sum.faults += service.recorder.faults;
      sum.violations += violations.length;
    }
  }
  return sum;
}

const longHistories: Readonly<
  Record<
    string,
    { readonly history: LongHistory; readonly limits?: ObservedServiceOptions['limits'] }
  >
> = {
  'an idempotency key is remembered for 24 hours, to the millisecond': {
    history: idempotencyWindow,
  },
  'hourly windows under load from many instances': {
    history: hourlyWindows,
    limits: { perKey: 25, perOrganization: 60 },
  },
  'the hourly limits of the contract': { history: contractWindow },
  'keys that expire': { history: expiringKeys },
};

const isReplayed = (answer: CallerAnswer | undefined): boolean =>
  answer?.headers['idempotent-replayed'] === 'true';

function capture(
  service: ObservedService,
  apiKey: HeldKey,
  person: number,
  key: string,
): Promise<CallerAnswer | undefined> {
  const body = {
    name: `Person ${person} ${markOf(apiKey.organizationId)}`,
    phone: `+9198765${String(person).padStart(5, '0')}`,
  };
  return service.request('a form backend', apiKey, {
    endpoint: 'capture-lead',
    body,
    headers: { 'Idempotency-Key': key },
  });
}

/** The clocks here are the right ones, so that the record's end is known to the millisecond; whether or not it was deleted late. */
async function idempotencyWindow(service: ObservedService): Promise<string[]> {
  const { scheduler } = service.simulation;
  const apiKey = service.key(1, 'website');
  const issues: string[] = [];
  for (const [person, offsetMs] of [-5000, -1, 0, 1, 5000, hourMs, 3 * dayMs].entries()) {
    const key = `enquiry ${person}`;
    await capture(service, apiKey, person, key);
    const record = service.history.writes.findLast(({ pk }) => pk.startsWith('IDEMPOTENCY#'));
    const expiresAt = Number(record?.after?.expiresAt);
    const takenMs = expiresAt - dayMs - (record?.at ?? 0);
    if (Math.abs(takenMs) > 20)
      issues.push(`A capture is remembered for ${takenMs} ms more than 24 hours.`);
    await scheduler.sleep(expiresAt + offsetMs - 3 - scheduler.now);
    const before = await capture(service, apiKey, person, key);
    // Within the request its clock is read a few milliseconds after it was sent: at the edge either is right.
    const mayReplay = offsetMs <= 0;
    const mustReplay = offsetMs < -30;
    if (mustReplay && !isReplayed(before))
      issues.push(`A capture was done again ${-offsetMs} ms before its 24 hours were over.`);
    if (!mayReplay && offsetMs > 3 && isReplayed(before))
      issues.push(`A capture was replayed ${offsetMs} ms after its 24 hours.`);
  }
  return issues;
}

/** Requests at once, and again and again, over six hours. How many passed in each window the checker knows. */
async function hourlyWindows(service: ObservedService): Promise<string[]> {
  const { scheduler } = service.simulation;
  const keys = [
    service.key(1, 'reader'),
    service.key(1, 'writer'),
    service.key(1, 'writer'),
    service.key(12, 'reader'),
  ];
  const passed: number[] = [];
  for (let round = 0; round < 12; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        service.request('a load', keys[at % keys.length] as HeldKey, { endpoint: 'list-users' }),
      ),
    );
    passed.push(answers.filter((answer) => answer?.status === 200).length);
    await scheduler.sleep(0.5 * hourMs + 60_000);
  }
  const isFull = passed.every((count, round) => count > 0 || round % 2 === 1);
  return isFull ? [] : [`Of the requests of each half hour, so many passed: ${passed.join(', ')}.`];
}

/** 600 an hour for a key, no more and no less, from as many instances as come. */
async function contractWindow(service: ObservedService): Promise<string[]> {
  const apiKey = service.key(1, 'reader');
  const ask = () => service.request('a load', apiKey, { endpoint: 'list-users' });
  let passed = 0;
  for (let round = 0; round < 13; round += 1) {
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    passed += answers.filter((answer) => answer?.status === 200).length;
  }
  await service.simulation.scheduler.sleep(hourMs);
  const next = await ask();
  return [
    ...(passed === 600 ? [] : [`${passed} of 650 requests passed in an hour.`]),
    ...(next?.status === 200 ? [] : [`After an hour a request was answered ${next?.status}.`]),
  ];
}

async function expiringKeys(service: ObservedService): Promise<string[]> {
  const { scheduler } = service.simulation;
  const issues: string[] = [];
  const order = { ...firstKeys.reader, createdBy: idIn(1, 7) };
  const lifetime = await service.newKey(1, order);
  const short = await service.newKey(1, {
    ...order,
    expiresAt: new Date(service.now + hourMs).toISOString(),
  });
  if (!lifetime || !short) return ['No key was made.'];
  const days = (lifetime.expiresAt - service.now) / dayMs;
  if (Math.abs(days - 90) > 0.001) issues.push(`A key of another application lasts ${days} days.`);
  const expect = async (apiKey: HeldKey, at: number, status: number): Promise<void> => {
    await scheduler.sleep(at - scheduler.now);
    const answer = await service.request('an application', apiKey, { endpoint: 'list-users' });
    if (answer?.status !== status)
      issues.push(`A key was answered ${answer?.status} ${at - apiKey.expiresAt} ms from its end.`);
  };
  await expect(short, short.expiresAt - 1000, 200);
  await expect(short, short.expiresAt + 10, 401);
  await expect(lifetime, lifetime.expiresAt - hourMs, 200);
  await expect(lifetime, lifetime.expiresAt + 10, 401);
  return issues;
}
