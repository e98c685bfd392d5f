import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { givenOrganization } from '../support/organizations.ts';

/** The lengths of a capture's texts are tested in test/shared/middleware/schemas.test.ts, those of a note in section 4.6. */

let apiKey: string;
beforeAll(async () => {
  ({ reader: apiKey } = await givenOrganization());
});

describe('8 list: at most 10 filters, a filter string of at most 8000 characters', () => {
  const filters = (count: number) =>
    Array.from({ length: count }, () => ({ field: 'city', operator: 'is_empty' }));
  const list = (filter: string) => call('list-leads', { apiKey, query: { filter } });

  test.each([
    [10, 200],
    [11, 400],
  ])('a list with %i filters answers %i', async (count, status) => {
    const answer = await list(JSON.stringify(filters(count)));

    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body.error).toMatchObject({
        code: 'INVALID_QUERY',
        details: { filters: [10] },
      });
    if (status === 400)
      expect(answer.body.error.message).toBe('filter[10] exceeds the limit of 10 filters.');
  });

  test('a list with thousands of filters names every position beyond the tenth', async () => {
    const { status, body } = await list(`[${'1,'.repeat(3998)}1]`);

    expect([status, body.error.details.filters]).toEqual([
      400,
      Array.from({ length: 3999 }, (_, index) => index),
    ]);
  });

  test.each([
    ['characters of two code units', '😀', 8000, 200],
    ['characters of two code units', '😀', 8001, 400],
  ])(
    'a filter string of %s (%s), %i characters in all, answers %i',
    async (_, character, length, status) => {
      const shell = JSON.stringify([{ field: 'city', operator: 'contains', value: '' }]);
      const filter = shell.replace('""', `"${character.repeat(length - shell.length)}"`);
      expect([...filter]).toHaveLength(length);

      const answer = await list(filter);

      expect(answer.status).toBe(status);
      if (status === 400)
        expect(answer.body.error.details.parameters).toEqual({
          filter: 'must have at most 8000 characters.',
        });
    },
  );
});
