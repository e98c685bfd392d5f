import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { withBrowser } from '../../../support/browser.ts';
import type { Website } from './website.ts';

/** What a visitor's browser showed beside the form, in order. */
export type Shown = readonly string[];

/** Visits each website, in one browser. */
export const visitWithBrowser = (websites: readonly Website[]): Promise<readonly Shown[]> =>
  withBrowser((browser) =>
    Promise.all(websites.map(async (website) => visit(await browser.newPage(), website))),
  );

/**
 * A person corrects a phone and clicks twice. The form is then empty and cannot be sent. A robot fills every input, and the person asks
 * again: that is another enquiry, although the page was not opened again.
 */
async function visit(page: Page, website: Website): Promise<Shown> {
  const body = (await formOf(website))
    .replace(/action="[^"]*"/, 'action="/"')
    .replace('<output>', '<input name="action"><output>');
  await page.addInitScript('delete Crypto.prototype.randomUUID'); // as over plain HTTP
  await page.route('**/contact?*', (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
  );
  const referer = 'http://www.example.com/';
  const asked = { name: 'Asha Rao', phone: '+91 98200 70000', notes: 'in a browser' };
  await page.goto(website.url('contact?utm_source=letter'), { referer });
  return [
    await send(page, { name: 'Asha Rao', phone: '' }),
    await send(page, { phone: 'call me maybe' }),
    await send(page, asked, 2),
    await send(page, {}),
    await send(page, { name: 'A robot', phone: '+91 98200 70001', leave_empty: 'x' }),
    await send(page, asked),
  ];
}

async function send(
  page: Page,
  values: Readonly<Record<string, string>>,
  clicks = 1,
): Promise<string> {
  const isValid = await page.evaluate(`{
    const form = document.querySelector('form');
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) form.elements[name].value = value;
    const isValid = form.checkValidity(); // before a response clears the form
    for (let click = 0; click < ${clicks}; click += 1) form.requestSubmit();
    isValid;
  }`);
  if (!isValid) return 'held back';
  return (await page.textContent('output:not(:text("Sending…"))')) ?? '';
}

/** As the recipe shows it, or else as it is copied into a page. */
async function formOf(website: Website): Promise<string> {
  const { recipe, site } = website;
  if (recipe.form === undefined) return readFile(join(site.examples, 'form.html'), 'utf8');
  return (await fetch(website.url(recipe.form))).text();
}
