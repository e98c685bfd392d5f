import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import { chromium, withBrowser } from '../../../support/browser.ts';
import { type GivenPage, givenLead, givenPage, leadNow } from './given-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

if (!chromium)
  process.stderr.write(
    '\nWARNING: no Chromium was found, so the page was not tried in a browser.\n\n',
  );

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

    const findings = await withBrowser(async (context) => {
      const found: string[] = [];
      for (const path of paths) {
        const tab = await shown(page, context, path);
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

test.runIf(chromium)('the policy of the page allows all that the page itself does', async () => {
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

test.runIf(chromium)('a lead is found, corrected and noted with the keyboard alone', async () => {
  const page = await givenOpenPage();

  await withBrowser(async (context) => {
    const tab = await shown(page, context, '/o/1/leads');
    const focusOn = async (selector: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses += 1) {
        if (
          await tab
            .locator(selector)
            .first()
            .evaluate((one) => one.matches(':focus'))
        )
          return;
        await tab.keyboard.press('Tab');
      }
      throw new Error(`${selector} cannot be reached with the keyboard.`);
    };
    await focusOn('[name=q]');
    await tab.keyboard.type('kulk');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/q=kulk/);
    expect(tab.url()).toBe(
      `${page.base}/o/1/leads?q=kulk&columns=name&columns=phone&columns=email&columns=assigned_to&columns=stage&columns=created+at`,
    );
    await focusOn('[data-lead="1"] a');
    await tab.keyboard.press('Enter');
    await focusOn('[name=city]');
    await tab.keyboard.press('Control+A');
    await tab.keyboard.type('Mumbai');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/done=saved/);
    await focusOn('[name=note]');
    await tab.keyboard.type('Called');
    await focusOn('[value=note]');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(/done=noted/);
  });

  expect((await leadNow(page))?.fields.city).toBe('Mumbai');
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
