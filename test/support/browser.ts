import { spawnSync } from 'node:child_process';
import { type BrowserContext, chromium as driver } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of an installed Chromium; undefined if none is installed. */
export const chromium: string | undefined = names
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '');

const timeout = 50_000; // a busy machine

/** Runs a test in a headless browser, and closes the browser. */
export async function withBrowser<T>(use: (browser: BrowserContext) => Promise<T>): Promise<T> {
  const args = ['--no-sandbox', '--disable-gpu'];
  const browser = await driver.launch({ executablePath: chromium ?? '', args, timeout });
  try {
    const context = await browser.newContext();
    context.setDefaultTimeout(timeout);
    return await use(context);
  } finally {
    await browser.close();
  }
}
