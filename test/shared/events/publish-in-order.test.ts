import { expect, test } from 'vitest';
import { type PendingEvent, publishInOrder } from '../../../shared/events/publish-in-order.ts';
import type { LeadEvent } from '../../../shared/leads/events.ts';

const eventsOf = (leadIds: readonly number[]): PendingEvent[] =>
  leadIds.map((leadId, index) => ({
    sequenceNumber: String(index),
    event: {
      type: 'NoteAdded',
      time: '2026-11-20T10:00:00.000Z',
      detail: {
        organizationId: 1,
        leadId,
        id: String(index),
        at: '2026-11-20T10:00:00.000Z',
        keyId: 'k',
        userId: 7,
      },
    },
  }));
const idOf = ({ detail }: LeadEvent): string => detail.id;

test('a request has at most ten events and one of each lead, and a lead’s next event comes after it', async () => {
  const requests: string[][] = [];
  const publication = await publishInOrder(
    {
      put: async (events) => {
        requests.push(events.map(idOf));
        return events.map(() => true);
      },
    },
    eventsOf([1, 1, 2, 1, ...Array.from({ length: 11 }, (_, index) => 10 + index)]),
  );

  expect(publication).toEqual({ published: 15 });
  expect(requests).toEqual([
    ['0', '2', '4', '5', '6', '7', '8', '9', '10', '11'],
    ['1', '12', '13', '14'],
    ['3'],
  ]);
});

test('a request that the bus goes on refusing ends the batch at its first event, with any reason', async () => {
  const events = eventsOf([1, 2]);
  const error = new Error('no answer');

  expect(
    await publishInOrder(
      { put: async (requested) => requested.map((event) => idOf(event) === '0') },
      events,
      0,
    ),
  ).toMatchObject({
    published: 1,
    firstUnpublished: { sequenceNumber: '1' },
  });
  expect(await publishInOrder({ put: () => Promise.reject(error) }, events, 0)).toEqual({
    published: 0,
    firstUnpublished: events[0],
    error,
  });
});
