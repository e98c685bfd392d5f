import { describe, expect, test } from 'vitest';
import { timelineOf, useOrganizationWithLead } from '../../support/leads.ts';

const organization = useOrganizationWithLead();
const note = (body: unknown) => organization.note(organization.lead.id, body);

describe('4.6 a note is added to the timeline, shown as added via the API', () => {
  test.each([
    ['5000 characters of two code units each', '😀'.repeat(5000)],
    ['lines and blanks as they are', '  First.\n\tSecond.  '],
  ])('a note is on the timeline as added via the API: %s', async (_, text) => {
    const { status, body, headers } = await note({ text });

    expect(status).toBe(201);
    expect(body).toEqual({
      note: { leadId: organization.lead.id, text, createdAt: expect.any(String) },
    });
    expect((await timelineOf(organization, organization.lead.id)).at(-1)).toEqual({
      type: 'note_added',
      at: body.note.createdAt,
      actor: { userId: 7, name: 'Asha Rao' },
      via: 'api',
      keyId: expect.any(String),
      requestId: headers.get('X-Request-Id'),
      text,
    });
  });

  test('a note does not change the lead itself', async () => {
    const before = await organization.get(organization.lead.id);

    await note({ text: 'Called.' });

    expect((await organization.get(organization.lead.id)).body).toEqual(before.body);
  });
});

describe('4.6 VALIDATION_FAILED: text is required, 1 to 5000 characters, no other properties; nothing is noted', () => {
  const quiet = useOrganizationWithLead();

  test.each<[string, unknown, string]>([
    ['no text', {}, 'text'],
    ['an empty text', { text: '' }, 'text'],
    ['5001 characters of two code units each', { text: '😀'.repeat(5001) }, 'text'],
    ['a list', { text: ['Called.'] }, 'text'],
    ['half of a surrogate pair', { text: '\ud83d' }, 'text'],
    ['an unknown property', { text: 'Called.', author: 'me' }, 'author'],
  ])('a note is refused and nothing is stored: %s', async (_, body, name) => {
    const answer = await quiet.note(quiet.lead.id, body);

    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION_FAILED']);
    expect(Object.keys(answer.body.error.details.fields)).toEqual([name]);
    await quiet.expectUntouched();
  });
});
