import { describe, expect, test, vi } from 'vitest';
import { LeadClient } from '../../../shared/client/client.ts';
import { Outbox, type OutboxEntry, type OutboxStore } from '../../../shared/client/outbox.ts';
import { useFakeClock } from './fake-clock.ts';
import { captured, refusal, type StubAnswer, silence, stubService } from './stub-service.ts';

useFakeClock();

const minute = 60_000;
const enquiry = { name: 'Asha', phone: '+91 98220 12345' };

/** Entries as JSON, as a file or a database keeps them. */
function memoryStore(): OutboxStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  const read = (text: string): OutboxEntry => JSON.parse(text);
  return {
    texts,
    put: async (entry) => void texts.set(entry.key, JSON.stringify(entry)),
    get: async (key) => (texts.has(key) ? read(texts.get(key) ?? '') : undefined),
    delete: async (key) => void texts.delete(key),
    list: async () => [...texts.values()].map(read),
  };
}

function outboxOf(answers: Parameters<typeof stubService>[0], store = memoryStore()) {
  const { fetch, requests } = stubService(answers);
  const client = new LeadClient({ baseUrl: 'https://leads.example.com', apiKey: 'k', fetch });
  const attention: OutboxEntry[] = [];
  const delivered: number[] = [];
  const outbox = new Outbox(client, {
    store,
    onAttention: (entry) => attention.push(entry),
    onDelivered: (_entry, { id }) => delivered.push(id),
  });
  const keys = () => requests.map(({ headers }) => headers['Idempotency-Key']);
  return { outbox, store, requests, keys, attention, delivered };
}

const down = (): StubAnswer => refusal(500, 'INTERNAL');

/** Sends what is due until nothing waits. @returns when an entry was due again, in minutes from now */
async function untilNoneWaits(outbox: Outbox): Promise<number[]> {
  const start = Date.now();
  const times: number[] = [];
  for (let next = await outbox.sendDue(); next; next = await outbox.sendDue()) {
    await vi.advanceTimersByTimeAsync(next - Date.now());
    times.push((Date.now() - start) / minute);
  }
  return times;
}

describe('an enquiry', () => {
  test('is stored before add resolves, its attempt before the request, and is deleted once delivered', async () => {
    const store = memoryStore();
    const { outbox, requests, delivered } = outboxOf(() => {
      expect([...store.texts.values()].join()).toContain('"attempts":1');
      return captured(5);
    }, store);

    await outbox.add(enquiry, { formView: 'v1' });
    expect(store.texts.size).toBe(1);
    expect(await outbox.sendDue()).toBeUndefined();
    expect([delivered, store.texts.size]).toEqual([[5], 0]);
    expect(requests[0]?.body).toEqual(enquiry);
  });

  test('is sent after 30 s, then after 2 to 180 minutes, then every 180, and given up after 23.5 hours', async () => {
    const { outbox, store, requests, keys, attention } = outboxOf(down);
    await outbox.add(enquiry);

    const times = await untilNoneWaits(outbox);

    expect(requests).toHaveLength(times.length + 1);
    const waits = [0.5, 2, 7, 15, 30, 45, 60, 90, 120, 180, 180, 180, 180, 180, 140.5];
    expect(times.map((time, index) => time - (times[index - 1] ?? 0))).toEqual(waits);
    expect(new Set(keys()).size).toBe(1);
    expect(attention.map(({ state }) => state)).toEqual(['given-up']);
    expect(attention[0]?.lastError).toMatch(/: 500 INTERNAL: /);
    expect(store.texts.size).toBe(1);
  });

  test('waits as long as a Retry-After asks, but is sent a last time after 23.5 hours', async () => {
    const wait = { headers: { 'Retry-After': '14400' } };
    const { outbox, requests } = outboxOf(() => refusal(429, 'RATE_LIMITED', wait));
    await outbox.add(enquiry);

    const times = await untilNoneWaits(outbox);

    expect(times).toEqual([4, 8, 12, 16, 20, 23.5].map((hours) => hours * 60));
    expect(requests).toHaveLength(times.length + 1);
  });

  test('of yesterday that may have arrived is not sent again', async () => {
    const { outbox, requests, attention } = outboxOf(down);
    await outbox.add(enquiry);
    await outbox.sendDue();

    await vi.advanceTimersByTimeAsync(48 * 60 * minute); // the program was stopped
    await outbox.sendDue();

    expect(requests).toHaveLength(1);
    expect(attention.map(({ state }) => state)).toEqual(['given-up']);
  });

  test('that is added again while it waits, without its nulls, keeps its attempts and its day', async () => {
    const { outbox, store } = outboxOf(down);
    const nulls = { email: null, notes: null, fields: null };
    const key = await outbox.add({ ...enquiry, ...nulls } as never, { formView: 'v1' });
    await outbox.sendDue();
    const waiting = await store.get(key);

    await outbox.add(enquiry, { formView: 'v1' });

    expect(waiting?.enquiry).toEqual(enquiry);
    expect([...store.texts.values()]).toEqual([JSON.stringify(waiting)]);
  });

  test('of yesterday that was never sent is sent', async () => {
    const { outbox, store } = outboxOf([]);
    await outbox.add(enquiry);

    await vi.advanceTimersByTimeAsync(48 * 60 * minute);
    const started = outboxOf([captured(3)], store); // another program takes over the store
    await started.outbox.sendDue();

    expect(started.delivered).toEqual([3]);
  });

  test('that a person sends again gets another 24 hours', async () => {
    const { outbox, delivered } = outboxOf([refusal(413, 'PAYLOAD_TOO_LARGE'), captured(4)]);
    const key = await outbox.add(enquiry);
    await outbox.sendDue();

    const [entry] = await outbox.needingAttention();
    await outbox.sendAgain(key);
    await outbox.sendDue();

    expect(entry).toMatchObject({ key, state: 'refused', enquiry });
    expect(delivered).toEqual([4]);
    await expect(outbox.sendAgain(key)).rejects.toThrow(/has no entry/);
  });
});

describe('a refused value', () => {
  const refuse = (...names: string[]) => {
    const fields = Object.fromEntries(names.map((name) => [name, 'is wrong.']));
    const reasons = Object.fromEntries(names.map((name) => [name, 'wrong_type']));
    return refusal(422, 'VALIDATION_FAILED', { details: { fields, reasons } });
  };
  const full = {
    ...enquiry,
    email: 'asha@',
    notes: 'Please call.',
    fields: { course: 'mba', linkedin: 'example.com' },
  };

  test('that is optional goes to the notes, and the person is sent at once under another key', async () => {
    const { outbox, store, requests, keys, delivered } = outboxOf([
      refuse('linkedin', 'email'),
      captured(6),
    ]);

    await outbox.add(full);
    await outbox.sendDue();

    expect(requests[1]?.body).toEqual({
      ...enquiry,
      fields: { course: 'mba' },
      notes: 'Please call.\n\nlinkedin: example.com\nemail: asha@',
    });
    expect(new Set(keys()).size).toBe(2);
    expect([delivered, store.texts.size]).toEqual([[6], 0]);
  });

  test('stays out when the next attempt comes after a lost response, or after a crash', async () => {
    const { outbox, store, keys, requests } = outboxOf([refuse('linkedin'), silence, captured(6)]);
    await outbox.add(full);

    const next = await outbox.sendDue();
    expect([...store.texts.values()].join()).toContain('"linkedin":"wrong_type"');
    await vi.advanceTimersByTimeAsync((next ?? 0) - Date.now());
    await outbox.sendDue();

    expect([keys()[2], requests[2]?.body]).toEqual([keys()[1], requests[1]?.body]);
  });

  test('that is the phone, or that was not sent, keeps the enquiry for a person', async () => {
    for (const name of ['phone', 'student_no']) {
      const { outbox, store, requests, attention } = outboxOf([refuse(name)]);
      await outbox.add(full);
      await outbox.sendDue();

      expect(requests).toHaveLength(1);
      expect(attention.map(({ state, enquiry }) => [state, enquiry])).toEqual([['refused', full]]);
      expect(store.texts.size).toBe(1);
    }
  });
});

test('a waiting visitor learns what to correct, and the corrected enquiry is a new one', async () => {
  const fields = { phone: 'is not a phone number.' };
  const reasons = { phone: 'invalid_phone' };
  const { outbox, requests, store } = outboxOf([
    refusal(422, 'VALIDATION_FAILED', { details: { fields, reasons } }),
    captured(8),
  ]);

  const wrong = await outbox.add({ ...enquiry, phone: '12345' }, { formView: 'v1' });
  const kept = await outbox.deliver(wrong);
  await outbox.discard(wrong);
  const right = await outbox.add(enquiry, { formView: 'v1' });

  expect([kept?.state, kept?.refused]).toEqual(['refused', reasons]);
  expect(await outbox.deliver(right)).toBeUndefined();
  expect([requests.length, store.texts.size]).toEqual([2, 0]);
});

test('an entry that is discarded during an attempt that fails is not kept', async () => {
  const { outbox, store } = outboxOf(() => {
    void outbox.discard(key);
    return down();
  });

  const key = await outbox.add(enquiry);

  expect([await outbox.deliver(key), store.texts.size]).toEqual([undefined, 0]);
});

test('an entry that is delivered while the outbox runs is sent in one request', async () => {
  const { outbox, requests, delivered, store } = outboxOf(() => captured(8));

  const key = await outbox.add(enquiry);
  outbox.start();
  await Promise.all([outbox.deliver(key), outbox.deliver(key)]);
  await outbox.stop();

  expect([requests.length, delivered, store.texts.size]).toEqual([1, [8], 0]);
});

test('a key that is being replaced does not refuse an enquiry permanently', async () => {
  const { outbox, delivered } = outboxOf([
    refusal(401, 'UNAUTHORIZED'),
    refusal(404, 'NOT_FOUND'),
    captured(2),
  ]);
  await outbox.add(enquiry);

  await untilNoneWaits(outbox);

  expect(delivered).toEqual([2]);
});

test('start sends what is added and what is due, until stop', async () => {
  vi.setTimerTickMode('manual');
  let isDown = false;
  const { outbox, store, delivered } = outboxOf(() => (isDown ? down() : captured(1)));

  outbox.start();
  await outbox.add(enquiry);
  await vi.advanceTimersByTimeAsync(0);
  expect(delivered).toEqual([1]);
  isDown = true;
  await outbox.add({ ...enquiry, notes: 'again' });
  await vi.advanceTimersByTimeAsync(29_000);
  isDown = false;
  expect(delivered).toEqual([1]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(delivered).toEqual([1, 1]);
  await outbox.stop();
  await outbox.add({ ...enquiry, notes: 'later' });
  await vi.advanceTimersByTimeAsync(10 * minute);

  expect([delivered.length, store.texts.size]).toEqual([2, 1]);
});

test('an entry whose delivery fails while others are sent waits for its next attempt', async () => {
  const isLast = (body: unknown) => (body as typeof enquiry).name === 'Last';
  const { outbox, requests } = outboxOf(({ body }) => (isLast(body) ? down() : silence));
  for (const notes of ['a', 'b', 'c', 'd']) await outbox.add({ ...enquiry, notes });
  const last = await outbox.add({ ...enquiry, name: 'Last' });

  const sending = outbox.sendDue();
  await outbox.deliver(last);
  await sending;

  expect(requests).toHaveLength(5);
});

test('an enquiry that waits for a slow response keeps no other waiting', async () => {
  const { outbox, delivered } = outboxOf([silence, captured(2), captured(3)]);
  for (const notes of ['a', 'b', 'c']) await outbox.add({ ...enquiry, notes });

  vi.setTimerTickMode('manual');
  const sending = outbox.sendDue();
  await vi.advanceTimersByTimeAsync(1000);

  expect(delivered).toEqual([2, 3]);
  vi.setTimerTickMode('nextTimerAsync');
  await sending;
});
