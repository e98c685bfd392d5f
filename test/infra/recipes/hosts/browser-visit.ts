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

/** A person corrects a phone and sends the form twice. On another page view, a robot fills every input, and the person asks again. */
async function visit(page: Page, website: Website): Promise<Shown> {
  const body = (await formOf(website))
    .replace(/action="[^"]*"/, 'action="/"')
    .replace('<output>', '<input name="action"><output>');
  await page.addInitScript('delete Crypto.prototype.randomUUID'); // as over plain HTTP
  await page.route('**/contact?*', (route) =>
    route.fulfill({ contentType: 'text/html; charset=utf-8', body }),
  );
  const open = () =>
    page.goto(website.url('contact?utm_source=letter'), { referer: 'http://www.example.com/' });
  const asked = { name: 'Asha Rao', phone: '+91 98200 70000', notes: 'in a browser' };
  await open();
  const shown = [
    await send(page, { name: 'Asha Rao', phone: '' }),
    await send(page, { phone: 'call me maybe' }),
    await send(page, asked),
    await send(page, {}),
  ];
  await open();
  shown.push(
    await send(page, { name: 'A robot', phone: '+91 98200 70001', leave_empty: 'x' }),
    await send(page, { ...asked, leave_empty: '' }),
  );
  return shown;
}

async function send(page: Page, values: Readonly<Record<string, string>>): Promise<string> {
  await page.evaluate(`{
    const form = document.querySelector('form');
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) form.elements[name].value = value;
    form.requestSubmit();
  }`);
  if (!(await page.evaluate(`document.querySelector('form').checkValidity()`))) return 'held back';
  return (await page.textContent('output:not(:text("Sending…"))')) ?? '';
}

/** As the recipe shows it, or else as it is copied into a page. */
async function formOf(website: Website): Promise<string> {
  const { recipe, site } = website;
  if (recipe.form === undefined) return readFile(join(site.examples, 'form.html'), 'utf8');
  return (await fetch(website.url(recipe.form))).text();
}
