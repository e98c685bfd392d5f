import { describe, expect, test } from 'vitest';
import { leadPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { writeItem } from '../../../shared/store/table/writes.ts';
import { call } from '../../support/call.ts';
import { givenLead, timelineOf, useOrganizationWithLead } from '../../support/leads.ts';
import { table } from '../../support/table.ts';

/** What a leadId in an address may not be; schemas.test.ts has more. */
const noLeadIds = ['0', '2147483648', 'abc', '1%2F2', '%00', '%E0%A4%A', '__proto__'];

const organization = useOrganizationWithLead();

describe('4.4 response: 200 with the lead', () => {
  test('get-lead answers 200 with the lead', async () => {
    const lead = await givenLead(organization);

    const { status, body } = await organization.get(lead.id);

    expect([status, body]).toEqual([200, { lead }]);
  });

  test('get-lead reads a percent-encoded id', async () => {
    const encoded = String(organization.lead.id).replace(/\d/g, (digit) => `%3${digit}`);

    expect((await organization.get(encoded)).body.lead.id).toBe(organization.lead.id);
  });

  test('get-lead ignores unknown parameters', async () => {
    const { status } = await call('get-lead', {
      apiKey: organization.reader,
      leadId: organization.lead.id,
      query: 'expand=all',
    });

    expect(status).toBe(200);
  });
});

const missing =
  /^There is no such lead in the organization|^The lead ID in the path must be an integer/;
const notFound = { error: { code: 'NOT_FOUND', message: expect.stringMatching(missing) } };

describe('4.4 NOT_FOUND: no such lead in the organization, or archived', () => {
  test.each(['2147483647', ...noLeadIds])('leadId %s', async (id) => {
    const { status, body } = await organization.get(id);

    expect([status, body]).toEqual([404, notFound]);
  });
});

describe('4.5 and 4.6 NOT_FOUND: a leadId that no lead has', () => {
  test.each(['2147483647', ...noLeadIds])('leadId %s', async (id) => {
    const answers = [
      await organization.update(id, { fields: { city: 'Pune' } }),
      await organization.note(id, { text: 'Called.' }),
    ];

    for (const { status, body } of answers) expect([status, body]).toEqual([404, notFound]);
  });
});

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

  test('a note on a lead that a clock ahead has dated follows that change', async () => {
    const { id } = await givenLead(organization);
    const ahead = new Date(Date.now() + 30_000).toISOString();
    await writeItem(table(), {
      Update: {
        Key: leadPrimaryKey(organization.id, id),
        UpdateExpression: 'SET updatedAt = :ahead',
        ExpressionAttributeValues: { ':ahead': ahead },
      },
    });

    const { status, body } = await organization.note(id, { text: 'Called.' });

    expect([status, body.note?.createdAt > ahead]).toEqual([201, true]);
  });

  test('eight notes on one lead at once are all added', async () => {
    const { id } = await givenLead(organization);
    const texts = Array.from({ length: 8 }, (_, at) => `Called ${at} times.`);

    const answers = await Promise.all(texts.map((text) => organization.note(id, { text })));

    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 201));
    const added = (await timelineOf(organization, id)).flatMap(({ text }) => text ?? []);
    expect(added.sort()).toEqual(texts);
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
