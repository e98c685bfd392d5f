import { beforeAll, expect, test } from 'vitest';
import { eventTypes } from '../../../../shared/leads/events.ts';
import { eventFilter } from '../../../../shared/store/table/event-filter.ts';
import type { HeldKey, History } from '../checker/history.ts';
import { planOf } from '../explore/plan.ts';
import { bundleVersions, runHistory } from '../explore/random-histories.ts';
import type { CallerRequest } from '../lambda/gateway-event.ts';
import type { Program } from '../lambda/modules.ts';
import { ObservedService } from '../observed-service.ts';
import { bugsFoundBy, planted } from '../planted-bugs/bugs.ts';
import { person } from '../planted-bugs/scenario.ts';
import { eventViolations } from './check-events.ts';
import {
  bundlePublisher,
  matchesFilter,
  type PublishedEvent,
  publishHistory,
} from './publish-history.ts';

const seeds = Array.from({ length: 4 }, (_, at) => `events ${at}`);
/** With the last, most requests to the bus fail three times, so that the batch is repeated. */
const faultChances = [0.15, 0.5, 0.7];

let publisher: Program;
const histories: History[] = [];
beforeAll(async () => {
  publisher = await bundlePublisher();
  const versions = await bundleVersions();
  histories.push(await everyKind(versions[0]));
  for (const seed of seeds)
    histories.push((await runHistory(planOf(seed), versions)).service.history);
}, 300_000);

/** A history with every kind of event: random ones seldom archive. */
async function everyKind(code: Program): Promise<History> {
  const service = await ObservedService.start({
    versions: [code],
    simulation: { seed: 'events' },
  });
  const [writer, website] = [service.key(1, 'writer'), service.key(1, 'website')];
  const ask = async (apiKey: HeldKey, request: Omit<CallerRequest, 'apiKey'>): Promise<number> => {
    const answer = await service.request('a client', apiKey, request);
    return JSON.parse(answer?.body ?? '{}').lead?.id;
  };
  await service.run(async () => {
    const body = person(1);
    const leadId = await ask(website, { endpoint: 'capture-lead', body });
    await ask(website, { endpoint: 'capture-lead', body: { ...body, name: 'Asha R' } });
    await ask(writer, { endpoint: 'add-note', leadId, body: { text: 'Called back.' } });
    await ask(writer, { endpoint: 'update-lead', leadId, body: { fields: { city: 'Pune' } } });
    await ask(writer, { endpoint: 'create-lead', body: { fields: person(2) } });
    for (const what of ['archive', 'restore'] as const)
      await service.administrate(what, 1, { leadId });
    await service.administrate('import', 1, { rows: [person(3)] });
    await service.administrate('erase', 1, { leadId });
  });
  await service.settle();
  return service.history;
}

/** Publishes each history under few faults and under many. @param isEnough whether to stop at the first violation */
async function publishAll(bundle: Program, isEnough = false) {
  const violations: string[] = [];
  const all: PublishedEvent[] = [];
  let faults = 0;
  for (const [at, history] of histories.entries())
    for (const faultChance of faultChances) {
      const seed = `${at} ${faultChance}`;
      const published = await publishHistory(history, bundle, { seed, faultChance });
      violations.push(...eventViolations(history, published.events));
      all.push(...published.events);
      faults += published.faults;
      if (isEnough && violations.length > 0) return { violations, events: all, faults };
    }
  return { violations, events: all, faults };
}

test('every timeline entry is published, in order for each lead, even if the publisher dies', async () => {
  const { violations, events, faults } = await publishAll(publisher);

  expect(violations).toEqual([]);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(eventTypes));
  const ids = events.map(({ detail }) => `${detail.organizationId} ${detail.leadId} ${detail.id}`);
  expect(ids.length).toBeGreaterThan(faultChances.length * new Set(ids).size);
  expect(faults).toBeGreaterThan(150);
  const [event] = events as [PublishedEvent];
  const invented = { ...event, detail: { ...event.detail, leadId: 999 } };
  expect(eventViolations(histories[0]!, [invented])).toContainEqual(
    expect.stringContaining('#999 has no entry, and was published as'),
  );
}, 120_000);

test.each(bugsFoundBy('test/proof/simulation/events/events.prove.test.ts'))(
  'a planted bug of the publisher is found: $breaks',
  async (bug) => {
    const defective = await bundlePublisher(planted(bug));

    expect((await publishAll(defective, true)).violations).not.toEqual([]);
  },
  120_000,
);

const record = (eventName: string, pk: unknown) => ({ eventName, dynamodb: { Keys: { pk } } });

test.each([
  [true, record('INSERT', { S: 'TIMELINE#1#5' })],
  [false, record('MODIFY', { S: 'TIMELINE#1#5' })],
  [false, record('REMOVE', { S: 'TIMELINE#1#5' })],
  [false, record('INSERT', { S: 'LEADS#1' })],
  [false, record('INSERT', { S: 'HISTORY#TIMELINE#' })],
  [false, record('INSERT', { N: '5' })],
  [false, record('INSERT', undefined)],
  [false, { eventName: 'INSERT' }],
])('the filter gives %s: %j', (matches, one) => {
  expect(matchesFilter(one, eventFilter)).toBe(matches);
});
