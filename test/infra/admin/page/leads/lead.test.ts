import { expect, test } from 'vitest';
import { changeTimeOf } from '../../../../../shared/leads/changes.ts';
import { editLead } from '../../../../../shared/store/leads/edit-lead.ts';
import { addToTimeline, readTimeline } from '../../../../../shared/store/leads/timeline.ts';
import {
  filled,
  type GivenPage,
  givenLead,
  givenPage,
  leadNow,
  plain,
  type Reply,
  refusedIn,
} from '../given-page.ts';

const path = '/o/1/leads/1';

const save = (page: GivenPage, opened: Reply, typed: Parameters<typeof filled>[2]) =>
  page.post(path, [...filled(opened, 'lead', typed), [':do', 'edit']]);

const everyField = {
  remarks: '\nfirst\nsecond <b>',
  budget: 12,
  start_on: '2026-01-31',
  guardian_phone: '+919822054321',
  portfolio: 'https://example.com/?a=1&b=2',
  course: 'mba',
  interests: ['hostel', 'loan'],
  wants_call: false,
  second_source: 4,
  mentor: 9,
  hasOwnProperty: 'two\nlines',
  old_notes: 'kept',
};

test('a form that is saved as it was opened changes nothing, whatever the lead has', async () => {
  const page = await givenPage();
  const before = await givenLead(page, everyField);

  const reply = await save(page, await page.get(path), {});

  expect(plain(reply)).toContain('Nothing was changed.');
  expect(await leadNow(page)).toEqual(before);
  expect(await page.log()).toEqual(['organization apply']);
});

test('an edit changes what was typed, by the rules of an update, and is on the timeline and in the audit log', async () => {
  const page = await givenPage();
  await givenLead(page, everyField);
  const typed = {
    ...{ phone: '98220 99999', budget: '1,250', course: 'Product Design', wants_call: 'true' },
    ...{ interests: ['', 'abroad'], city: ' Pune ', remarks: 'a\r\nb', mentor: '8', stage: '12' },
    assigned_to: '8',
    start_on: '',
  };

  const reply = await save(page, await page.get(path), typed);

  expect([reply.status, plain(reply)]).toEqual([200, expect.stringContaining('Saved.')]);
  const lead = await leadNow(page);
  expect(lead).toMatchObject({ stageId: 12, pipelineId: 1 });
  const { start_on: _, ...others } = everyField;
  expect(lead?.fields).toEqual({
    ...{ ...others, name: 'Rohan Kulkarni', lead_type: 'student', phone: '+919822099999' },
    ...{ budget: 1250, course: 'design', wants_call: true, interests: ['abroad'], city: 'Pune' },
    ...{ remarks: 'a\nb', mentor: 8, assigned_to: 8 },
  });
  const entries = await readTimeline(page.table, 1, 1);
  expect(entries.at(-1)).toMatchObject({ type: 'lead_updated', via: 'admin', by: 'user tester' });
  expect(await page.log()).toEqual(['lead edit 1, 1 lead', 'organization apply']);
});

test('each refusal is beside its field, what was typed stays, and nothing is changed', async () => {
  const page = await givenPage();
  const before = await givenLead(page);
  await givenLead(page, { phone: '+919822077777', name: 'Other' }, 2);
  const typed = { name: '', email: 'a@', budget: 'much', portfolio: 'ftp://x', city: 'Pune' };

  const reply = await save(page, await page.get(path), typed);

  expect(reply.status).toBe(422);
  expect(Object.keys(refusedIn(reply)).sort()).toEqual(['budget', 'email', 'name', 'portfolio']);
  expect(refusedIn(reply).budget).toBe('must be a number.');
  for (const [key, text] of Object.entries(typed))
    expect(reply.text).toMatch(new RegExp(`name="${key}"[^>]* value="${text}"`));
  expect(await leadNow(page)).toEqual(before);
  const taken = await save(page, reply, {
    name: 'R',
    email: '',
    budget: '',
    portfolio: '',
    phone: '+919822077777',
  });
  expect(refusedIn(taken)).toEqual({ phone: 'belongs to lead 2.' });
});

/** What another request does to the lead while a form is open. */
const change = (page: GivenPage, fields: Readonly<Record<string, string>>, stageId = 11) =>
  editLead(page.table, { organizationId: 1, leadId: 1, by: 'another' }, (before) => ({
    lead: {
      ...before,
      stageId,
      fields: { ...before.fields, ...fields },
      updatedAt: changeTimeOf(before, new Date()),
    },
  }));

test('an edit of a value that has changed since is refused with both values, and can be sent again', async () => {
  const page = await givenPage();
  await givenLead(page, { city: 'Pune' });
  const opened = await page.get(path);
  await change(page, { city: 'Nagpur' }, 12);

  const refused = await save(page, opened, { city: 'Mumbai', remarks: 'mine', stage: '21' });

  expect(refused.status).toBe(422);
  expect(refusedIn(refused)).toEqual({
    city: expect.stringMatching(/it is now Nagpur, and you typed Mumbai/),
    stage: expect.stringMatching(/it is now Enrolled, and you typed Enquiry/),
  });
  expect((await leadNow(page))?.fields).not.toHaveProperty('remarks');
  const again = await save(page, refused, {});
  expect(plain(again)).toContain('Saved.');
  expect(await leadNow(page)).toMatchObject({
    stageId: 21,
    fields: { city: 'Mumbai', remarks: 'mine' },
  });
});

test('a note, an enquiry and a change of another value in between refuse nothing', async () => {
  const page = await givenPage();
  await givenLead(page, { city: 'Pune' });
  const opened = await page.get(path);
  await change(page, { remarks: 'theirs', email: 'new@example.com' });
  await addToTimeline(page.table, 1, 1, (at) => ({
    ...{ type: 'captured', at, actorId: 7, keyId: 'k', keyLabel: 'site', source: 'Website' },
    ...{ filled: ['email'], kept: [{ field: 'city', current: 'Pune', submitted: 'Thane' }] },
  }));

  const reply = await save(page, opened, { city: 'Mumbai' });

  expect(plain(reply)).toContain('Saved.');
  expect((await leadNow(page))?.fields).toMatchObject({
    ...{ city: 'Mumbai', remarks: 'theirs', email: 'new@example.com' },
  });
});

test('two people who type the same do not refuse each other', async () => {
  const page = await givenPage();
  await givenLead(page);
  const opened = await page.get(path);
  await change(page, { city: 'Mumbai' });

  expect(plain(await save(page, opened, { city: 'Mumbai', remarks: 'x' }))).toContain('Saved.');
});

test('a note is added, but not twice in a row, and one that is too long is refused with its text', async () => {
  const page = await givenPage();
  await givenLead(page);
  const note = (text: string) =>
    page.post(path, [
      [':do', 'note'],
      ['note', text],
    ]);

  await note(' Called,\r\nno answer ');
  await note('Called,\nno answer');
  const long = await note('x'.repeat(5001));

  const entries = await readTimeline(page.table, 1, 1);
  expect(entries.slice(1)).toMatchObject([
    { type: 'note_added', text: 'Called,\nno answer', by: 'user tester' },
  ]);
  expect([long.status, Object.keys(refusedIn(long))]).toEqual([422, ['note']]);
  expect(long.text).toContain('x'.repeat(5001));
  expect((await note('  ')).status).toBe(422);
});

test('a lead is archived and restored, with the entries of the commands', async () => {
  const page = await givenPage();
  await givenLead(page);

  const archived = await page.post(path, [[':do', 'archive']]);
  expect(plain(archived)).toMatch(/archived 20.*Archived: the API/);
  expect((await leadNow(page))?.archivedAt).toBeDefined();
  await page.post(path, [[':do', 'restore']]);

  expect((await leadNow(page))?.archivedAt).toBeUndefined();
  expect(await page.log()).toEqual(['lead restore 1', 'lead archive 1', 'organization apply']);
});

test('the timeline tells who did what, by which website, what was filled and what differs', async () => {
  const page = await givenPage();
  await givenLead(page);
  await addToTimeline(page.table, 1, 1, (at) => ({
    ...{ type: 'captured', at, actorId: 7, keyId: 'k', keyLabel: 'MBA site', source: 'Website' },
    ...{ submittedSource: 'Radio', filled: ['city', 'course'], notes: 'Call after six' },
    ...{ kept: [{ field: 'course', current: 'mba', submitted: 'design' }] },
    attribution: { pageUrl: 'https://example.com/mba' },
  }));
  await change(page, { course: 'design' }, 12);

  const text = plain(await page.get(path));

  const story = text.slice(text.indexOf('Timeline'));
  expect(story).toMatch(
    /Changed by another .*course: empty → Product Design.*Stage: New → Enrolled/,
  );
  expect(story).toMatch(/Another enquiry by MBA site, source Website Filled city, course\./);
  expect(story).toMatch(
    /course stayed MBA; the enquiry says Product Design.*named the source Radio/,
  );
  expect(story).toMatch(/Call after six.*pageUrlhttps:\/\/example.com\/mba/);
  expect(story).toMatch(/Created by Asha Rao with the key 4fQ8LmZ2xA/);
  expect(story.indexOf('Changed')).toBeLessThan(story.indexOf('Created'));
});

test('of a long timeline the newest items are shown first, and the others on request', async () => {
  const page = await givenPage();
  await givenLead(page);
  for (let at = 0; at < 105; at += 1)
    await addToTimeline(page.table, 1, 1, (time) => ({
      ...{ type: 'note_added', at: time, actorId: 7, via: 'api', keyId: 'k', text: `note ${at}.` },
    }));

  const [first, whole] = [await page.get(path), await page.get(`${path}?timeline=whole`)];

  expect(first.text).toContain('note 104.');
  expect(first.text).not.toContain('note 4.');
  expect(plain(first)).toContain('Show the 6 items before');
  expect(whole.text).toContain('note 0.');
});

test('the dossier is a file, and erasure is a command to copy', async () => {
  const page = await givenPage(undefined, { commandEnd: ' --stack leads' });
  await givenLead(page, { city: 'Pune' });

  const file = await page.get(`${path}?file=dossier`);

  expect(file.headers['content-disposition']).toBe('attachment; filename="lead-1.json"');
  expect(JSON.parse(file.text)).toMatchObject({
    lead: { id: 1 },
    timeline: [{ type: 'lead_created' }],
  });
  expect(plain(await page.get(path))).toContain(
    'npm run admin -- lead erase --organization 1 --lead 1 --stack leads --dry-run',
  );
});

test('with --read-only, the values are shown as text', async () => {
  const page = await givenPage(undefined, { isReadOnly: true });
  await givenLead(page, everyField);

  const { text } = await page.get(path);

  expect(text).not.toMatch(/<input|<select|<textarea|<button/);
  expect(text).toMatch(/Meera Das.*kept/s);
});
