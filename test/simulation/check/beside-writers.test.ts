import { beforeAll, expect, test } from 'vitest';
import { readService, type ServicePrograms } from '../lambda/modules.ts';
import { ObservedService } from '../observed-service.ts';
import type { Random } from '../random.ts';

/** `check` reads a table that is written meanwhile, with late reads and transactions whose items appear one after another. */

let bundles: ServicePrograms;
beforeAll(async () => {
  bundles = await readService();
}, 120_000);

const organizationId = 1;
const writers = 12;
const turnsOfWriter = 12;
const people = Array.from({ length: 8 }, (_, index) => ({
  name: `Person ${index}`,
  phone: `+91987650000${index}`,
  email: `person.${index}@example.com`,
}));

type Turn = (service: ObservedService, random: Random) => Promise<unknown>;

const anyLead = (random: Random): number => random.between(1, 8);
const send = (
  service: ObservedService,
  request: Omit<Parameters<ObservedService['request']>[2], 'apiKey'>,
) =>
  service.request(
    'a writer',
    service.key(organizationId, request.endpoint === 'capture-lead' ? 'website' : 'writer'),
    request,
  );

const capture: Turn = (service, random) =>
  send(service, {
    endpoint: 'capture-lead',
    body: {
      ...random.pick(people),
      externalId: String(random.between(1, 1000)),
      fields: { city: String(random.between(1, 1000)) },
    },
  });
const turns: readonly Turn[] = [
  capture,
  capture,
  (service, random) =>
    send(service, { endpoint: 'create-lead', body: { fields: random.pick(people) } }),
  (service, random) =>
    send(service, {
      endpoint: 'update-lead',
      leadId: anyLead(random),
      body: { fields: { phone: random.pick(people).phone, email: random.pick(people).email } },
    }),
  (service, random) =>
    send(service, {
      endpoint: 'update-lead',
      leadId: anyLead(random),
      body: { fields: { email: null, phone: `+9198${random.between(10_000_000, 99_999_999)}` } },
    }),
  (service, random) =>
    send(service, { endpoint: 'add-note', leadId: anyLead(random), body: { text: 'Called.' } }),
  (service, random) =>
    service.administrate(random.chance(0.5) ? 'archive' : 'restore', organizationId, {
      leadId: anyLead(random),
    }),
];

async function write(service: ObservedService, writer: number): Promise<void> {
  const { scheduler } = service.simulation;
  const random = scheduler.randomFor(`writer ${writer}`);
  for (let turn = 0; turn < turnsOfWriter; turn += 1) {
    await random.pick(turns)(service, random);
    await scheduler.sleep(random.between(0, 500));
  }
}

/** @returns the violations of the checks, those of each once */
async function checksBesideWriters(seed: string): Promise<readonly string[]> {
  const service = await ObservedService.start({
    versions: [bundles],
    simulation: { seed, dynamodb: { staleChance: 0.5, unprocessedChance: 0.2, pageShare: 0.001 } },
    latencyMaxMs: 20,
  });
  const violations: string[] = [];
  let isDone = false;
  const check = async (): Promise<void> => {
    const { outcome, result } = await service.administrate('check', 0, {});
    if (outcome !== 'done') throw new Error(`A check ${outcome}: ${String(result)}`);
    violations.push(...(result as { violations: string[] }).violations);
  };
  await service.run(async () => {
    const checking = (async () => {
      do await check();
      while (!isDone);
    })();
    const writing = Array.from({ length: writers }, (_, writer) => write(service, writer));
    await Promise.all([
      ...writing,
      service.sleep(1500).then(() => service.administrate('erase', organizationId, { leadId: 2 })),
    ]);
    isDone = true;
    await checking;
    await service.simulation.scheduler.sleep(10_000);
    await check();
  });
  return violations;
}

// More: CHECKS=200 npm test -- test/simulation/check
const seeds = Number(process.env.CHECKS ?? 8);

test('beside twelve writers and an erasure, a check reports nothing but the erasure under way', {
  timeout: 60_000 + seeds * 2000,
}, async () => {
  const erasure = /^The erasure of lead 2 of organization 1 is in progress or was interrupted/;
  const violations: string[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const found = await checksBesideWriters(String(seed));
    violations.push(...found.filter((one) => !erasure.test(one)).map((one) => `${seed}: ${one}`));
  }

  expect(violations).toEqual([]);
});
