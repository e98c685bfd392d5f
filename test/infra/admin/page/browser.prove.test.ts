import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import { chromium, withBrowser } from '../../../support/browser.ts';
import { useFolder } from '../../given-folder.ts';
import { type GivenPage, givenLead, givenPage, leadNow } from './given-page.ts';
import { press, read } from './import/given-list.ts';

const folder = useFolder();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

if (!chromium)
  process.stderr.write(
    '\nWARNING: no Chromium was found, so the page was not tried in a browser.\n\n',
  );

const list = [
  'Name,Mobile,Status,Enquired on',
  'Asha,98220 12345,Hot,13-01-2026',
  'Ravi,98220 12346,Hot,14-01-2026',
].join('\n');

async function givenOpenPage(): Promise<GivenPage> {
  const page = await givenPage();
  await givenLead(page, { city: 'Pune', interests: ['hostel'] });
  const key = { organizationId: 1, type: 'website-form', label: 'MBA site', createdBy: 7 } as const;
  await createApiKey(page.table, { ...key, now: new Date() });
  return page;
}

/** Shows an address of the page to the browser that opened it. */
async function shown(
  { base, cookie }: GivenPage,
  context: BrowserContext,
  path: string,
): Promise<Page> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: base, sameSite: 'Strict', httpOnly: true }]);
  const tab = await context.newPage();
  await tab.goto(base + path);
  return tab;
}

/** Each with the rules that can differ there. */
const looks = [
  [1400, 'light', '{}'],
  [1400, 'dark', '{ runOnly: ["color-contrast"] }'],
  [390, 'light', '{ runOnly: ["color-contrast"] }'],
  [390, 'dark', '{}'],
] as const;
const paths = [
  '/',
  '/o/1/leads',
  '/o/1/leads/1',
  '/o/1/keys',
  '/o/1/settings',
  '/o/1/import',
  '/o/1/activity',
  '/nothing',
];

test.runIf(chromium)(
  'axe finds nothing on any page, wide and narrow, light and dark',
  { timeout: 240_000 },
  async () => {
    const page = await givenOpenPage();
    const refused = { 'column.2': 'stage' };
    await press(page, await read(page, list), 'import dry', refused);

    const findings = await withBrowser(async (context) => {
      const found: string[] = [];
      const looking = await givenPage(undefined, { isReadOnly: true });
      const pages = paths.map((path) => [page, path] as const);
      for (const [from, path] of [...pages, [looking, '/o/1/settings'] as const]) {
        const tab = await shown(from, context, path);
        await tab.evaluate(
          "document.querySelectorAll('details').forEach((one) => { one.open = true; })",
        );
        await tab.evaluate(axe);
        for (const [width, colorScheme, rules] of looks) {
          await tab.setViewportSize({ width, height: 900 });
          await tab.emulateMedia({ colorScheme });
          const violations: string[] = await tab.evaluate(
            `axe.run(${rules}).then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes[0].html))`,
          );
          found.push(...violations.map((one) => `${path} ${width} ${colorScheme}: ${one}`));
          if (await tab.evaluate('document.documentElement.scrollWidth > innerWidth'))
            found.push(`${path} ${width} scrolls sideways`);
        }
        await tab.close();
      }
      return found;
    });

    expect(findings).toEqual([]);
  },
);

test.runIf(chromium)('the page’s policy allows everything that the page does', async () => {
  const page = await givenOpenPage();
  const errors: string[] = [];

  await withBrowser(async (context) => {
    for (const path of paths) {
      const tab = await shown(page, context, path);
      tab.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await tab.reload();
      await tab.close();
    }
  });

  expect(errors.filter((error) => !/status of 404/.test(error))).toEqual([]);
});

/** Presses the tab key until an element has the focus. */
async function focusOn(tab: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    const isThere = await tab
      .locator(selector)
      .first()
      .evaluate((one) => one.matches(':focus'));
    if (isThere) return;
    await tab.keyboard.press('Tab');
  }
  throw new Error(`${selector} cannot be reached with the keyboard.`);
}

test.runIf(chromium)('a lead is found, corrected and noted with the keyboard alone', async () => {
  const page = await givenOpenPage();

  await withBrowser(async (context) => {
    const tab = await shown(page, context, '/o/1/leads');
    await focusOn(tab, '[name=q]');
    await tab.keyboard.type('kulk');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/q=kulk/);
    expect(tab.url()).toBe(
      `${page.base}/o/1/leads?q=kulk&columns=name&columns=phone&columns=email&columns=assigned_to&columns=stage&columns=created+at`,
    );
    await focusOn(tab, '[data-lead="1"] a');
    await tab.keyboard.press('Enter');
    await focusOn(tab, '[name=city]');
    await tab.keyboard.press('Control+A');
    await tab.keyboard.type('Mumbai');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/done=saved/);
    await focusOn(tab, '[name=note]');
    await tab.keyboard.type('Called');
    await focusOn(tab, '[value=note]');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/done=noted/);
  });

  expect((await leadNow(page))?.fields.city).toBe('Mumbai');
});

test.runIf(chromium)(
  'a list is corrected and imported with the keyboard alone, with scripts and without',
  async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await givenPage();

      await withBrowser(async (context) => {
        const own = await context.browser()?.newContext({ javaScriptEnabled });
        const tab = await shown(page, own ?? context, '/o/1/import');
        await tab.setInputFiles('[name=file]', {
          ...{ name: 'leads.csv', mimeType: 'text/csv', buffer: Buffer.from(list) },
        });
        await focusOn(tab, '[value=upload]');
        await tab.keyboard.press('Enter');
        await focusOn(tab, '[name="column.2"]');
        await tab.keyboard.type('stage');
        await focusOn(tab, '[value="import dry"]');
        await tab.keyboard.press('Enter');
        await tab.waitForSelector('text=2 would be refused');
        await focusOn(tab, '[name="column.2.values"]');
        await tab.keyboard.press('Control+A');
        await tab.keyboard.type('Hot = Enrolled');
        await focusOn(tab, '[value="import dry"]');
        await tab.keyboard.press('Enter');
        await focusOn(tab, '[value=import]');
        await tab.keyboard.press('Enter');
        await tab.waitForSelector('text=2 rows, 2 imported, 0 refused');
        await own?.close();
      });

      expect(await leadNow(page, 1)).toMatchObject({ stageId: 12, fields: { name: 'Asha' } });
    }
  },
);

test.runIf(chromium)('a browser shows why a file is too large', async () => {
  const page = await givenOpenPage();
  const large = await folder.write('leads.csv', Buffer.alloc(200_000_000, ' '));

  const said = await withBrowser(async (context) => {
    const tab = await shown(page, context, '/o/1/import');
    await tab.setInputFiles('[name=file]', large);
    await tab.click('[value=upload]');
    return tab.textContent('[role=alert]');
  });

  expect(said).toBe('The file has more than 50 MB: import it with the command lead import.');
});

test.runIf(chromium)('forms of a real browser work, with scripts and without', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await givenOpenPage();

    await withBrowser(async (context) => {
      const browser = context.browser();
      if (!browser) throw new Error('The browser is gone.');
      const own = await browser.newContext({ javaScriptEnabled });
      const tab = await shown(page, own, '/o/1/leads/1');
      await tab.click('[value=edit]');
      expect(await tab.textContent('[role=status]')).toBe('Nothing was changed.');
      await tab.fill('[name=phone]', 'nobody');
      await tab.uncheck('[name=interests][value=hostel]');
      await tab.click('[value=edit]');
      expect(await tab.textContent('[data-refused=phone]')).toMatch(/^holds letters/);
      await tab.fill('[name=phone]', '98220 54321');
      await tab.click('[value=edit]');
      expect(await tab.textContent('[role=status]')).toBe('Saved.');
      await tab.goto(`${page.base}/o/1/keys`);
      await tab.click('text=Create a key');
      await tab.fill('[name=label]', 'New site');
      await tab.click('[value=create]');
      expect(await tab.textContent('[data-new-key]')).toMatch(/^leads_live_/);
      await tab.reload();
      expect(await tab.locator('[data-new-key]').count()).toBe(0);
      await own.close();
    });

    const lead = await leadNow(page);
    expect(lead?.fields).not.toHaveProperty('interests');
    expect(lead?.fields.phone).toBe('+919822054321');
  }
});
