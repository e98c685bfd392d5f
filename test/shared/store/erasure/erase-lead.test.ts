import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';
import { eraseLeads } from '../../../../shared/store/erasure/erase-lead.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import {
  addToTimeline,
  putTimelineEntry,
  readTimelineItems,
} from '../../../../shared/store/leads/timeline.ts';
import { sendingThrough } from '../../../../shared/store/table/client.ts';
import type { Item } from '../../../../shared/store/table/items.ts';
import { phonePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { leadOf, storeItems } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';

const organizationId = 1;
const at = '2026-01-01T00:00:00.000Z';

const eachCharacter = (pattern: RegExp, escape: (character: string) => string) => (text: string) =>
  text.replaceAll(pattern, escape);
const bytesOf = (text: string, sign: string): string =>
  [...Buffer.from(text)]
    .map((byte) => sign + byte.toString(16).toUpperCase().padStart(2, '0'))
    .join('');
const other = /[^A-Za-z0-9]/gu;
const code = (character: string): number => character.codePointAt(0) ?? 0;
const form = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2);
const html = eachCharacter(other, (one) => `&#${code(one)};`);

/** How programs write a text into an address, a page, a message or a file. */
const encoders: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  encodeURI,
  encodeURIComponent,
  'a form': form,
  'a form, twice encoded': (text) => encodeURIComponent(form(text)),
  'an address, twice encoded': (text) => encodeURIComponent(encodeURIComponent(text)),
  'HTML, named': eachCharacter(/[&@+. ]/g, (one) =>
    one === '.'
      ? '&period;'
      : ({ '&': '&amp;', '@': '&commat;', '+': '&plus;', ' ': '&nbsp;' }[one] ?? one),
  ),
  'HTML, decimal': html,
  'HTML, hexadecimal': eachCharacter(other, (one) => `&#x${code(one).toString(16)};`),
  'an address in HTML': (text) => html(encodeURIComponent(text)),
  JSON: eachCharacter(other, (one) => `\\u${code(one).toString(16).padStart(4, '0')}`),
  'an address in JSON': (text) => JSON.stringify({ a: JSON.stringify(form(text)) }),
  'quoted-printable': eachCharacter(/[=]|[^ -~]/gu, (one) => bytesOf(one, '=')),
  'quoted-printable of all but letters and digits': eachCharacter(other, (one) =>
    bytesOf(one, '='),
  ),
};

/** Decodes a text in the plainest way, once. */
const decodedOnce = (text: string): string =>
  text
    .replaceAll(/(?:%[0-9A-F]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
    )
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) =>
      Buffer.from(bytes.replaceAll('=', ''), 'hex').toString(),
    )
    .replaceAll(/&#(\d+);/g, (_, digits) => String.fromCodePoint(Number(digits)))
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, digits) => String.fromCodePoint(Number(`0x${digits}`)))
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, digits) => String.fromCharCode(Number(`0x${digits}`)))
    .replaceAll('&commat;', '@')
    .replaceAll('&period;', '.')
    .replaceAll('\\\\', '\\');
const decoded = (text: string): string[] => {
  const texts = [text];
  for (let round = 0; round < 5; round += 1) texts.push(decodedOnce(texts.at(-1) ?? ''));
  return texts;
};

interface Someone {
  readonly phone: readonly [code: string, national: string];
  readonly email: string;
}
const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`));
const someone: fc.Arbitrary<Someone> = fc.record({
  phone: fc.oneof(
    digits(8).map((rest) => ['91', `98${rest}`] as const),
    digits(7).map((rest) => ['1', `415${rest.replace(/^[01]/, '5')}`] as const),
    digits(8).map((rest) => ['49', `151${rest}`] as const),
  ),
  email: fc
    .tuple(
      fc.stringMatching(/^[a-z]{3}['+_.-][a-z]{2}\d{3}$/),
      fc.constantFrom('example.com', 'mail.ex-ample.co.in', 'exämple.de'),
    )
    .map((parts) => parts.join('@')),
});

const spellingsOf = ([country, national]: Someone['phone']): string[] => [
  `+${country}${national}`,
  `00${country}${national}`,
  `0${national}`,
  national,
  `+${country} ${national.slice(0, 5)} ${national.slice(5)}`,
  `${national.slice(0, 3)}-${national.slice(3)}`,
  `(${national.slice(0, 3)})\u00a0${national.slice(3)}`,
];
const textsOf = ({ phone, email }: Someone): string[] => [
  ...spellingsOf(phone),
  email,
  email.toUpperCase(),
];

/** Phones with another digit or one more, and emails of which this one is the beginning or the end. */
const nearMissesOf = ({ phone: [country, national], email }: Someone): string[] => {
  const digit = (at: number) => String((Number(national[at]) + 1) % 10);
  const nationals = [
    `${national.slice(0, 6)}${digit(6)}${national.slice(7)}`,
    `${national.slice(0, 4)}${digit(4)}${national.slice(4)}`,
    `${national}${digit(9)}`,
    `7${national}`,
  ];
  return [
    ...nationals.flatMap((one) => spellingsOf([country, one])),
    `x${email}`,
    `${email}.au`,
    email.replace('@', '7@'),
    `o'${email}`,
  ];
};

/** An enquiry that has an encoded text wherever a request or an import can write one. */
const enquiryWith = (text: string): TimelineEntry => ({
  type: 'captured',
  at,
  actorId: 7,
  keyId: 'k',
  keyLabel: 'Site',
  source: 'Website',
  notes: `Sent by ${text}, as agreed.`,
  attribution: { pageUrl: `https://example.org/thanks?from=a&by=${text}&to=b`, utmTerm: text },
  filled: [],
  kept: [{ field: 'remarks', current: `(${text})`, submitted: [`Ask ${text}`] }],
});
const changeWith = (text: string): TimelineEntry => ({
  type: 'lead_updated',
  at,
  actorId: 7,
  via: 'api',
  keyId: 'k',
  changes: [{ field: 'remarks', from: text, to: `${text}\n${text}` }],
});

const isIn = ({ phone: [, national], email }: Someone, text: string): boolean => {
  const typed = text.toLowerCase().replaceAll(/\D/g, '');
  const parts = Array.from({ length: national.length - 6 }, (_, start) =>
    national.slice(start, start + 7),
  );
  return text.toLowerCase().includes(email) || parts.some((part) => typed.includes(part));
};

test('an erasure finds a person in every usual encoding, wherever a text is stored, and nobody else', async () => {
  const [named, similar] = [101, 102];
  const cases = fc.record({
    people: fc.uniqueArray(someone, {
      minLength: 3,
      maxLength: 3,
      selector: ({ email }) => email,
    }),
    which: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ people, which }) => {
      const table = modelTable();
      const own = { table, organizationId };
      const leads = people.map(({ phone, email }, index) =>
        leadOf(
          { organizationId, id: index + 1, createdAt: at },
          { phone: `+${phone.join('')}`, email },
        ),
      );
      /** Entries with one of each person's texts in each encoding. */
      const entriesOf = (id: number, textsIn: (person: Someone) => readonly string[]) =>
        people.map(textsIn).flatMap((texts, person) =>
          Object.values(encoders).flatMap((encode, encoder) => {
            const text = encode(texts[(which + person + encoder) % texts.length] ?? '');
            const entries = [enquiryWith(text), changeWith(text)];
            return entries.map((entry) => putTimelineEntry({ organizationId, id }, entry));
          }),
        );
      const entries = [...entriesOf(named, textsOf), ...entriesOf(similar, nearMissesOf)];
      const writes = [...leads.map((lead) => putLead(lead)), ...entries];
      await storeItems(
        table,
        writes.map(({ Put }) => Put?.Item ?? {}),
      );
      const textsOfSimilar = async () =>
        (await readTimelineItems(own, similar)).map((item) => JSON.stringify(item));
      const before = await textsOfSimilar();

      const ids = leads.map(({ id }) => id);
      await eraseLeads(own, ids, { who: 'administrator' });

      for (const entry of await readTimelineItems(own, named)) {
        const stored = JSON.stringify({ ...entry, pk: '', sk: '', at: '', cleanedAt: '' });
        for (const text of decoded(stored))
          if (people.some((person) => isIn(person, text)))
            expect(stored).toBe('without the person');
      }
      const after = await textsOfSimilar();
      expect(after.filter((text) => !before.includes(text))).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

test('a phone that another lead gets meanwhile does not hide an erased phone within it', async () => {
  const table = modelTable();
  const [longer, shorter] = ['+49999123456789', '+9991234'];
  const leads = [longer, shorter].map((phone, index) =>
    leadOf({ organizationId, id: index + 1, createdAt: at }, { phone }),
  );
  const note = { type: 'note_added', at, actorId: 7, via: 'api', keyId: 'k' } as const;
  const entry = putTimelineEntry({ organizationId, id: 3 }, { ...note, text: '9991234 56789' });
  await storeItems(
    table,
    [...leads.map((lead) => putLead(lead)), entry].map(({ Put }) => Put?.Item ?? {}),
  );
  let isTaken = false;
  const withComeback = sendingThrough(table, (send) => async (command) => {
    const reply = await send(command);
    if (command instanceof ScanCommand && !isTaken) {
      isTaken = true;
      await storeItems(table, [{ ...phonePrimaryKey(organizationId, longer), leadId: 4 }]);
    }
    return reply;
  });

  await eraseLeads({ table: withComeback, organizationId }, [1, 2], { who: 'administrator' });

  const [left] = await readTimelineItems({ table, organizationId }, 3);
  expect(left).toMatchObject({ text: '[erased] 56789' });
});

test('an inactive lead is kept if its version counts a note that is not visible yet', async () => {
  const table = modelTable();
  const lead = leadOf(
    { organizationId, id: 1, createdAt: at, updatedAt: at },
    { phone: '+919820000001' },
  );
  const opening = { type: 'lead_created', at, actorId: 7, via: 'api', keyId: 'k' } as const;
  await createLead(table, () => ({ lead, opening }));
  const noted = await addToTimeline(table, organizationId, 1, (now) => ({
    ...{ type: 'note_added', actorId: 7, via: 'api', keyId: 'k' },
    ...{ at: now, text: 'Call me' },
  }));
  const withoutNote = sendingThrough(table, (send) => async (command, options) => {
    const answer = await send(command, options);
    if (!(command instanceof QueryCommand)) return answer;
    const { Items = [] } = answer as { readonly Items?: readonly Item[] };
    return { ...(answer as object), Items: Items.filter((item) => item.at !== noted) };
  });
  const inactive = { who: 'a test', inactiveSince: '2026-06-01T00:00:00.000Z' };

  const spared = await eraseLeads({ table: withoutNote, organizationId }, [1], inactive);
  const later = { ...inactive, inactiveSince: '2999-01-01T00:00:00.000Z' };
  const erased = await eraseLeads({ table, organizationId }, [1], later);

  expect([spared.size, erased.size]).toEqual([0, 1]);
});
