import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { addAuditEntry } from '../../../../shared/store/organizations/audit-log.ts';
import { phonePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { type GivenPage, givenLead, givenPage, plain, refusing } from './given-page.ts';

const path = '/o/1/activity';

const finished = (page: GivenPage) =>
  expect
    .poll(async () => plain(await page.get(path)))
    .toMatch(/No violations|violations?: |do not allow/);

test('the audit log is newest first, with who did it, and older entries on request', async () => {
  const page = await givenPage();
  for (let at = 0; at < 120; at += 1)
    await addAuditEntry(page.table, 1, {
      who: 'arn:aws:iam::1:user/<b>',
      what: `lead edit ${at}.`,
      at: new Date(Date.now() + at).toISOString(),
    });

  const [first, more] = [await page.get(path), await page.get(`${path}?entries=400`)];

  expect(first.text).toContain('arn:aws:iam::1:user/&lt;b&gt;');
  expect(plain(first)).toMatch(/lead edit 119\..*lead edit 118\./);
  expect(first.text).not.toContain('lead edit 19.');
  expect(plain(more)).toMatch(/lead edit 19\..*organization apply settings none → 1/);
});

test.each([false, true])('the check runs from the page, read-only: %s', async (isReadOnly) => {
  const page = await givenPage(undefined, { isReadOnly });
  const { fields } = await givenLead(page);
  await page.table.client.send(
    new DeleteCommand({ TableName: page.table.name, Key: { ...phonePrimaryKey(1, fields.phone) } }),
  );
  page.calls();

  const begun = await page.get(`${path}?check=begin`);
  const running = await page.get(path);
  await page.get(`${path}?check=begin`); // does not begin a second one
  await finished(page);

  expect([begun.status, begun.headers.location]).toEqual([303, path]);
  expect(plain(running)).toMatch(/Running: /);
  expect(running.headers.refresh).toBe('3');
  const done = await page.get(path);
  expect(done.headers).not.toHaveProperty('refresh');
  expect(plain(done)).toMatch(
    /Lead 1 of organization 1 has the phone .*2 violations: 1 lead checked\./,
  );
  expect(plain(done).match(/leads? checked/g)).toHaveLength(1);
});

test('a missing right is named on the page, and everything else works', async () => {
  const page = await givenPage();
  await givenLead(page);
  const table = refusing(page.table, /Scan|TransactWrite|Update|Put/);
  const looking = await givenPage(undefined, { table, pacedTable: table });

  const archived = await looking.post('/o/1/leads/1', [[':do', 'archive']]);
  await looking.get(`${path}?check=begin`);
  await finished(looking);

  expect([archived.status, plain(archived)]).toEqual([
    403,
    expect.stringContaining('is not authorized to perform: dynamodb:TransactWrite'),
  ]);
  expect(plain(await looking.get(path))).toContain('is not authorized to perform: dynamodb:Scan');
  for (const view of ['/', '/o/1/leads', '/o/1/leads/1', '/o/1/keys', '/o/1/settings'])
    expect((await looking.get(view)).status).toBe(200);
});
