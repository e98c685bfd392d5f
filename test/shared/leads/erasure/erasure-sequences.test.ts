import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  erasedMark,
  identitiesIn,
  identitiesOf,
  withoutPerson,
} from '../../../../shared/leads/erasure/erasure.ts';
import { PersonSearch } from '../../../../shared/leads/erasure/person-search.ts';
import type { Lead } from '../../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';

/**
 * An organization of a few leads that pass few phones and emails between them, as a family does, and ask for erasure one by one. What an
 * erasure does is compared with an oracle that knows whose each value is, and knows nothing of searches.
 */
const phones = ['+919812345678', '+919812345679', '+14155550123', '+21620261121'];
const emails = ['asha@example.com', 'ravi.rao+x@example.in', '9812345678@example.com'];

interface Step {
  readonly what: 'change phone' | 'change email' | 'enquire' | 'note' | 'erase';
  readonly lead: number;
  readonly phone: number;
  readonly email: number;
}

interface Person {
  phone: string;
  email: string;
}

interface Model {
  readonly leads: Map<number, Person>;
  readonly timelines: Map<number, TimelineEntry[]>;
}

const by = { at: '2026-11-21T08:00:00.000Z', actorId: 7, keyId: 'k' } as const;

function enquiry(kept: { field: string; current: string; submitted: string }[]): TimelineEntry {
  const sent = [...kept, { field: 'city', current: 'Pune', submitted: 'Delhi' }];
  const attribution = { pageUrl: 'https://example.com/?a=1' };
  return {
    ...by,
    type: 'captured',
    keyLabel: 'w',
    source: 'W',
    notes: 'Call at nine',
    attribution,
    filled: [],
    kept: sent,
  };
}

const isHeld = ({ leads }: Model, value: string, except?: number): boolean =>
  [...leads].some(([id, { phone, email }]) => id !== except && [phone, email].includes(value));

function take({ what, lead: id, phone: phoneAt, email: emailAt }: Step, model: Model): void {
  const lead = model.leads.get(id);
  const sent = { phone: phones[phoneAt] ?? '', email: emails[emailAt] ?? '' };
  if (what === 'erase') eraseAndJudge(model, id);
  else if (lead) model.timelines.get(id)?.push(...happening(model, lead, what, sent));
  else if (!isHeld(model, sent.phone) && !isHeld(model, sent.email)) {
    model.leads.set(id, sent);
    model.timelines.set(id, [{ ...by, type: 'lead_created', via: 'api' }]);
  }
}

function happening(
  model: Model,
  lead: Person,
  what: Exclude<Step['what'], 'erase'>,
  sent: Person,
): TimelineEntry[] {
  if (what === 'note')
    return [
      {
        ...by,
        type: 'note_added',
        via: 'api',
        text: `See ${sent.phone} or ${sent.email} tomorrow`,
      },
    ];
  if (what === 'enquire') {
    const differing = (['phone', 'email'] as const).filter((field) => sent[field] !== lead[field]);
    return [
      enquiry(differing.map((field) => ({ field, current: lead[field], submitted: sent[field] }))),
    ];
  }
  const field = what === 'change phone' ? 'phone' : 'email';
  if (isHeld(model, sent[field])) return [];
  const changes = [{ field, from: lead[field], to: sent[field] }];
  lead[field] = sent[field];
  return [{ ...by, type: 'lead_updated', via: 'api', changes }];
}

/** What `eraseLeads` does, without a table. */
function eraseAndJudge(model: Model, id: number): void {
  const lead = model.leads.get(id);
  if (!lead) return;
  const own = model.timelines.get(id) ?? [];
  const theirs = theirsOf(model, id, lead, own);
  model.leads.delete(id);
  model.timelines.delete(id);
  const had = [...identitiesOf({ fields: lead } as unknown as Lead), ...identitiesIn(own)];
  const search = new PersonSearch(had.filter((value) => !isHeld(model, value)));

  for (const [otherId, entries] of model.timelines) {
    const after = entries.map((entry) => withoutPerson(entry, search));
    expect(after).toEqual(entries.map((entry) => expectedOf(entry, theirs)));
    model.timelines.set(otherId, after);
  }
}

/** The phones and emails that the lead has or had, and that no other lead has now. */
function theirsOf(model: Model, id: number, lead: Person, own: readonly TimelineEntry[]): string[] {
  const said = JSON.stringify(own.filter(({ type }) => type === 'lead_updated'));
  return [...phones, ...emails].filter(
    (value) =>
      Object.values(lead).includes(value) ||
      (said.includes(`"${value}"`) && !isHeld(model, value, id)),
  );
}

function expectedOf(entry: TimelineEntry, theirs: readonly string[]): TimelineEntry {
  const value = (one: unknown) => (theirs.includes(one as string) ? erasedMark : one) as string;
  if (entry.type === 'note_added') {
    // An email that is made of the person's phone gives the phone away.
    const text = entry.text.split(' ').map((word) => {
      if (theirs.includes(word)) return erasedMark;
      return theirs.includes('+919812345678') ? word.replace(/^9812345678(?=@)/, erasedMark) : word;
    });
    return { ...entry, text: text.join(' ') };
  }
  if ('changes' in entry)
    return {
      ...entry,
      changes: entry.changes.map(({ field, from, to }) => ({
        field,
        from: value(from),
        to: value(to),
      })),
    };
  if (!('kept' in entry)) return entry;
  const isTheirs = entry.kept.some(
    ({ field, submitted }) => field !== 'city' && theirs.includes(submitted as string),
  );
  return {
    ...entry,
    ...(isTheirs && { notes: erasedMark, attribution: { pageUrl: erasedMark } }),
    kept: entry.kept.map(({ field, current, submitted }) => ({
      field,
      current: value(current),
      submitted: isTheirs ? erasedMark : submitted,
    })),
  };
}

const index = (count: number) => fc.integer({ min: 0, max: count - 1 });
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('change phone', 'change email', 'enquire', 'note', 'erase'),
  lead: index(4),
  phone: index(phones.length),
  email: index(emails.length),
});

test('erasures of people who pass phones and emails between them change exactly what was theirs', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const model: Model = { leads: new Map(), timelines: new Map() };
      for (const one of steps) take(one, model);
    }),
    { numRuns: 500 },
  );
});
