import { expect, test } from 'vitest';
import { parseSettingsFile, toSettingsFile } from '../../../../../shared/organization/settings.ts';
import { applySettings } from '../../../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../../../shared/store/organizations/organizations.ts';
import { customField, sampleSettings } from '../../../../support/settings.ts';
import { filled, type GivenPage, givenPage, plain, type Reply, refusedIn } from '../given-page.ts';

const path = '/o/1/settings';

/** Every kind of value that a form could lose: blanks, signs, several lines, a condition, a rule, places that are no sequence. */
const difficult = {
  ...sampleSettings,
  pipelines: sampleSettings.pipelines.map((one, at) => ({ ...one, order: 7 - at * 3 })),
  fields: [
    ...sampleSettings.fields,
    customField('odd', 'select', {
      label: 'Odd <b>\n"label" &',
      options: [
        { value: 'a = b', label: 'c = d' },
        { value: 'two\nlines', label: 'x' },
      ],
      showWhen: { field: 'city', equals: ['a, b', 'two\nlines'] },
    }),
  ],
  assignmentRules: [{ when: { field: 'source', equals: ['3'] }, users: [8, 7] }, { users: [7] }],
};

const press = (
  page: GivenPage,
  reply: Reply,
  what: string,
  typed: Parameters<typeof filled>[2] = {},
) => page.post(path, [...filled(reply, 'settings', typed), [':do', what]]);

const inForce = async ({ table }: GivenPage) => {
  const stored = await readSettings(table, 1);
  if (!stored) throw new Error('There are no settings.');
  return { ...stored, file: toSettingsFile(stored.settings) };
};

test('a form that is sent as it was opened changes nothing, whatever the settings are', async () => {
  const page = await givenPage(difficult);
  const before = await inForce(page);

  const reply = await press(page, await page.get(path), 'preview');

  expect(plain(reply)).toContain('Nothing: these settings are in force.');
  expect(reply.text).not.toContain('value="apply"');
  expect(await inForce(page)).toEqual(before);
});

test('people, sources, stages, fields and rules are added, renamed and deactivated after a look at the difference', async () => {
  const page = await givenPage(sampleSettings);
  let reply = await page.get(path);
  for (const list of ['users', 'sources', 'pipelines.0.stages', 'fields', 'assignmentRules'])
    reply = await press(page, reply, `add:${list}`);
  const typed = {
    ...{ 'users.0.name': 'Asha Rao-Iyer', 'users.1.active': [], 'users.3.name': 'Kavya' },
    ...{ 'sources.3.name': 'Radio', 'pipelines.0.stages.2.name': 'Visa granted!' },
    ...{ 'fields.20.label': 'Guardian name', 'fields.20.section': 'Family' },
    ...{
      'assignmentRules.0.users': 'Kavya\nAsha Rao-Iyer',
      'assignmentRules.0.when.field': 'source',
    },
    'assignmentRules.0.when.equals': 'Radio',
  };

  const preview = await press(page, reply, 'preview', typed);
  expect((await inForce(page)).version).toBe(1);
  const applied = await press(page, preview, 'apply');

  const words = plain(preview);
  expect(words).toContain('People › Asha Rao-Iyer › Name: from "Asha Rao" to "Asha Rao-Iyer"');
  expect(words).toContain('People › Ravi Iyer deactivated');
  expect(words).toContain('Sources › Radio added: "Radio"');
  expect(words).toContain('Pipelines and stages › Admissions › Stages › Visa granted! added');
  expect(plain(applied)).toContain('Version 2 is in force.');
  const { file } = await inForce(page);
  expect(file.users).toMatchObject([
    { id: 7, name: 'Asha Rao-Iyer', active: true },
    { id: 8, active: false },
    { id: 9, active: false },
    { id: 10, name: 'Kavya', active: true },
  ]);
  expect(file.sources.at(-1)).toEqual({ id: 5, name: 'Radio', active: true });
  expect(file.pipelines[0]?.stages.at(-1)).toMatchObject({
    ...{
      id: 22,
      name: 'Visa granted!',
      slug: 'visa-granted',
      order: 3,
      meaning: 'open',
      active: true,
    },
  });
  expect(file.fields.at(-1)).toMatchObject({
    ...{
      key: 'guardian_name',
      label: 'Guardian name',
      type: 'text',
      section: 'Family',
      active: true,
    },
  });
  expect(file.assignmentRules).toEqual([
    { when: { field: 'source', equals: ['5'] }, users: [10, 7] },
  ]);
  expect(await page.log()).toEqual(['organization apply', 'organization apply']);
});

test('rows move up and down, and stages with them in their order', async () => {
  const page = await givenPage(difficult);
  const opened = await page.get(path);
  const moved = await press(page, opened, 'down:pipelines.1.stages.0');
  const again = await press(page, await press(page, moved, 'up:fields.3'), 'up:users.0');

  const preview = await press(page, again, 'preview');
  await press(page, preview, 'apply');

  const { file } = await inForce(page);
  expect(file.pipelines.find(({ id }) => id === 1)?.stages).toMatchObject([
    { id: 12, order: 1 },
    { id: 11, order: 2 },
  ]);
  expect(file.fields.map(({ key }) => key).slice(0, 5)).toEqual([
    'name',
    'phone',
    'source',
    'email',
    'assigned_to',
  ]);
  expect(file.users.map(({ id }) => id)).toEqual([7, 8, 9]);
});

test('each refusal is beside its row, what was typed stays, and nothing is applied', async () => {
  const page = await givenPage(sampleSettings);
  const added = await press(page, await page.get(path), 'add:sources');

  const reply = await press(page, added, 'preview', {
    ...{ 'users.0.name': '', 'pipelines.0.stages.1.slug': 'Not A Slug', 'sources.3.name': 'Fair' },
  });

  expect(reply.status).toBe(422);
  expect(Object.keys(refusedIn(reply)).sort()).toEqual([
    'pipelines.0.stages.1.slug',
    'users.0.name',
  ]);
  expect(reply.text).toMatch(/name="sources\.3\.name" value="Fair"/);
  expect(reply.text).not.toContain('value="apply"');
  expect((await inForce(page)).version).toBe(1);
});

test('a change that was not shown as a difference is not applied', async () => {
  const page = await givenPage(sampleSettings);
  const preview = await press(page, await page.get(path), 'preview', { 'users.0.name': 'Asha' });

  const reply = await press(page, preview, 'apply', { 'users.0.name': 'Another' });

  expect(plain(reply)).toContain('from "Asha Rao" to "Another"');
  expect((await inForce(page)).version).toBe(1);
});

test('if two people apply at the same time, the second is refused and keeps the typed values', async () => {
  const page = await givenPage(sampleSettings);
  const preview = await press(page, await page.get(path), 'preview', { 'users.0.name': 'Asha' });
  const theirs = { ...sampleSettings, name: 'Northwind' };
  await applySettings(page.table, parseSettingsFile(JSON.stringify(theirs)).settings);

  const reply = await press(page, preview, 'apply');

  expect(reply.status).toBe(422);
  expect(plain(reply)).toContain('is 1, but version 2 is in force');
  expect(reply.text).toMatch(/name="users\.0\.name" value="Asha"/);
  expect((await inForce(page)).file).toMatchObject({
    name: 'Northwind',
    users: [{ name: 'Asha Rao' }, {}, {}],
  });
});

const choose = (page: GivenPage, content: string | Uint8Array<ArrayBuffer>): Promise<Reply> =>
  page.upload(path, { ':do': 'file', file: new File([content], 'academy.json') });

test('the file that is downloaded is applied again after an edit, with the same look at the difference', async () => {
  const page = await givenPage(difficult);
  const file = await page.get(`${path}?file=settings`);

  const preview = await choose(page, file.text.replace('"Facebook Ads"', '"Meta Ads"'));
  await press(page, preview, 'apply');

  expect(file.headers['content-disposition']).toBe('attachment; filename="organization-1.json"');
  expect(JSON.parse(file.text)).toMatchObject({ id: 1, version: 1, name: 'Northwind Academy' });
  expect(plain(preview)).toContain('Sources › Meta Ads › Name: from "Facebook Ads" to "Meta Ads"');
  expect((await inForce(page)).file.sources[1]?.name).toBe('Meta Ads');
});

test('in a file, names alone are enough, and the settings in force with all IDs are a download', async () => {
  const page = await givenPage();
  const { id, name, users, sources, ...others } = sampleSettings;
  const file = {
    id,
    name,
    users: [...users.map((user) => user.name), 'Kavya Nair'],
    sources,
    ...others,
  };

  const preview = await choose(page, JSON.stringify(file));
  const applied = await press(page, preview, 'apply');
  const kept = await page.get(`${path}?file=settings`);

  expect(plain(preview)).toContain('People › Kavya Nair added');
  expect(plain(preview)).not.toContain(' removed:');
  expect(applied.text).toContain('keep <a href="?file=settings" download>this one</a>');
  expect(JSON.parse(kept.text).users.at(-1)).toEqual({ id: 10, name: 'Kavya Nair', active: true });
});

test('with --read-only, all settings are shown as text', async () => {
  const page = await givenPage(
    { ...sampleSettings, assignmentRules: [{ users: [7, 8] }] },
    { isReadOnly: true },
  );

  const { text } = await page.get(path);

  const shown = plain({ status: 200, headers: {}, text: text.replaceAll(/<dd|<dt/g, ' $&') });
  for (const part of [
    'Meera Das (inactive)',
    'Enrolled Short name enrolled Meaning won',
    'course Key course Type select Section Interest Options, one a line: value = label mba = MBA design = Product Design',
    'Rule People, who take turns Asha Rao Ravi Iyer',
  ])
    expect(shown).toContain(part);
  expect(text).not.toMatch(/<input|<form/);
});

test.each([
  ['is not UTF-8', new Uint8Array([0x7b, 0xff]), /is not UTF-8: save it in that encoding/],
  ['is not JSON', '{', /is not valid JSON/],
  ['has a wrong shape', JSON.stringify({ ...sampleSettings, users: 1 }), /People must be a list/],
  [
    'is of another organization',
    JSON.stringify({ ...sampleSettings, id: 2 }),
    /is 2: this page is of organization 1/,
  ],
  [
    'is older',
    JSON.stringify({ ...sampleSettings, version: 1, name: 'X' }),
    /is 1, but version 2 is in force/,
  ],
  [
    'has keys',
    JSON.stringify({
      ...sampleSettings,
      keys: [{ label: 'a', type: 'website-form', createdBy: 7 }],
    }),
    /are created by npm start alone/,
  ],
])('a file that %s is refused with the reason', async (_, content, reason) => {
  const page = await givenPage(sampleSettings);
  const other = { ...sampleSettings, name: 'Northwind' };
  await applySettings(page.table, parseSettingsFile(JSON.stringify(other)).settings);

  const reply = await choose(page, content);

  expect(plain(reply)).toMatch(reason);
  expect(reply.status).toBe(422);
  expect((await inForce(page)).version).toBe(2);
});

test('the history shows each version, and goes back to one after a look at the difference', async () => {
  const page = await givenPage(sampleSettings);
  const other = { ...sampleSettings, name: 'Northwind' };
  await applySettings(page.table, parseSettingsFile(JSON.stringify(other)).settings);
  const history = await page.get(path);

  const look = await page.get(`${path}?to=1`);
  const back = await page.post(path, [
    [':do', 'undo'],
    ['to', '1'],
    ['version', '2'],
  ]);

  expect(plain(history)).toMatch(
    /Version 2, in force: organization apply by the service Back to version 1/,
  );
  expect(plain(look)).toContain('Name: from "Northwind" to "Northwind Academy"');
  expect(plain(back)).toContain('Version 3 is in force.');
  expect((await inForce(page)).file.name).toBe('Northwind Academy');
  expect((await page.log())[0]).toBe('organization undo, back to version 1');
});
