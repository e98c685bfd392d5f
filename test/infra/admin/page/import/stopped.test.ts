import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useFolder } from '../../../given-folder.ts';
import { filled, type GivenPage, givenPage, plain } from '../given-page.ts';
import { formWith, list, press, read } from './given-list.ts';

const path = '/o/1/import';

const folder = useFolder();

/** Rows that take longer at this rate than a test may, so that a stop always comes before the last of them. */
const endless = { rows: 400, importRate: 4 };

/** Begins an import of such a list. @returns the first page, and the page once a batch is written */
async function begun(page: GivenPage) {
  page.desk.importRate = endless.importRate;
  const shown = await press(page, await read(page, list(endless.rows)), 'import dry');
  const form = filled(formWith(shown, 'import'), 'one', { ':do': 'import' });
  const first = await page.post(path, form);
  const later = await vi.waitUntil(
    async () => {
      const reply = await page.get(path);
      return plain(reply).includes(' imported, 0 refused') && reply;
    },
    { timeout: 50_000 },
  );
  return { first, later };
}

/** How many leads the newest entry of the audit log says; batches of the endless list have two. */
const leadsSaid = ([newest]: readonly string[]): number =>
  Number(/^lead import, (\d+) leads$/.exec(newest ?? '')?.[1]);

test('a run is shown to a page that is opened again, stops after its batch, and goes on without doubles', async () => {
  const page = await givenPage();
  const { first, later } = await begun(page);

  const second = await read(page, list(1), 'second.csv');
  const stopped = await press(page, later, 'stop');
  const before = leadsSaid(await page.log());
  page.desk.importRate = Number.POSITIVE_INFINITY;
  const done = await press(page, stopped, 'import');

  expect(first.headers.refresh).toBe('2');
  expect(plain(later)).toMatch(
    /Running since .*\. Of 401 rows: (\d+) rows, \1 imported, 0 refused\./,
  );
  expect([second.status, plain(second)]).toEqual([
    422,
    expect.stringContaining('An import is running: stop it, or wait for its end.'),
  ]);
  expect(plain(stopped)).toContain('It was stopped. What is done stays done');
  expect(before % 2).toBe(0);
  expect(plain(done)).toContain(
    `400 rows, ${400 - before} imported, ${before} imported before, 0 refused`,
  );
  expect(leadsSaid(await page.log())).toBe(400 - before);
});

test('the end of the page ends an import after its batch, says how to go on, and removes the file', async () => {
  vi.stubEnv('TMPDIR', await mkdtemp(folder.path('own-')));
  onTestFinished(() => void vi.unstubAllEnvs());
  const page = await givenPage();
  await read(page, list(1), 'earlier.csv');
  await begun(page);
  const kept = await readdir(tmpdir());
  const files = await readdir(join(tmpdir(), kept[0] ?? ''));

  const said = await page.stop();

  const done = leadsSaid(await page.log());
  expect(kept).toEqual([expect.stringMatching(/^lead-service-page-/)]);
  expect(files).toHaveLength(1);
  expect(said).toEqual([
    expect.stringContaining(
      `The import of leads.csv in organization 1 ended after a batch. Of 401 rows: ${done} rows, ${done} imported, 0 refused. To go on, `,
    ),
  ]);
  expect(await readdir(tmpdir())).toEqual([]);
  expect(done % 2).toBe(0);
});

test('an upload that is refused leaves no file', async () => {
  vi.stubEnv('TMPDIR', await mkdtemp(folder.path('own-')));
  onTestFinished(() => void vi.unstubAllEnvs());
  const page = await givenPage();
  await read(page, list(1));
  const [own = ''] = await readdir(tmpdir());
  const kept = async () => readdir(join(tmpdir(), own));
  const before = await kept();

  const replies = [
    await read(page, 'x', 'no-headings.csv'),
    await read(page, list(1), 'next.csv', { plan: new File(['{}'], 'p.json') }),
    await read(page, list(1), 'next.csv', { encoding: 'klingon' }),
  ];
  const after = await kept();
  await begun(page);
  const running = await kept();
  replies.push(await read(page, list(1), 'second.csv'));

  expect(replies.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect(replies.map(plain)[2]).toContain(
    '--encoding must be an encoding, such as utf-8 or windows-1252.',
  );
  expect(after).toEqual(before);
  expect(await kept()).toEqual(running);
});
