import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { DocsServer } from '../../../../infra/openapi/page/server.ts';
import { referencePage } from '../../../../infra/openapi/page/site.ts';
import { chromium, withPage } from './given-browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'docs-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the page names no other host for what it loads, and lets the browser ask none', () => {
  const html = referencePage('{}');

  const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
  expect(loaded.sort()).toEqual(['data:,', 'swagger-ui-bundle.js', 'swagger-ui.css']);
  expect(html).toContain(`content="default-src 'self';`);
});

test('the API description cannot end the script that it is in', () => {
  const openApi = JSON.stringify({ info: { description: '</script><b>' } });

  expect(referencePage(openApi)).not.toContain('</script><b>');
});

if (!chromium)
  console.warn('Chromium is not installed: the reference page was NOT opened in a browser.');

test.skipIf(!chromium)(
  'in a browser the page shows the endpoints, breaks no word in a table, and asks only its own server',
  { timeout: 60_000 },
  async () => {
    const server = new DocsServer(folder);
    try {
      const address = await server.listen(0);
      await withPage(address, async (page) => {
        const shown = async () => String(await page.evaluate('document.body.innerText'));
        while (!(await shown()).includes('Create a lead')) await pause(100);
        const brokenWords = `[...document.querySelectorAll('td, th')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth || clientWidth < 40).length`;
        expect(await page.evaluate(brokenWords)).toBe(0);
        expect(
          await page.evaluate(`getComputedStyle(document.querySelector('td')).wordBreak`),
        ).toBe('normal');
        await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');

        expect(page.requested).toContain(`${address}/swagger-ui-bundle.js`);
        const isOwn = (url: string) => url.startsWith(`${address}/`) || /^(data|blob):/.test(url);
        expect(page.requested.filter((url) => !isOwn(url))).toEqual([]);
      });
    } finally {
      await server.stop();
    }
  },
);
