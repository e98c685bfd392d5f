import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { recordRunningService } from '../../../../infra/local/running-service.ts';
import { DocsServer } from '../../../../infra/openapi/page/server.ts';
import { endpoints } from '../../../../shared/contract/endpoints.ts';
import { chromium, withBrowser } from '../../../support/browser.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { json } from '../../admin/commands.ts';
import { useFolder } from '../../given-folder.ts';

const files = useFolder();

/** A page's server, which ends with the test, and its address. */
async function givenPage(
  ...[folder = files.path(), id]: Partial<ConstructorParameters<typeof DocsServer>>
) {
  const server = new DocsServer(folder, id);
  onTestFinished(() => server.stop());
  return { server, address: await server.listen(0) };
}

const pipelines = (address: string, apiKey?: string): Promise<Response> =>
  fetch(`${address}/api/v1/pipelines`, {
    headers: apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` },
  });

/** A local service with an organization, recorded in the folder. */
async function givenRunningService(): Promise<{ organization: { id: number } }> {
  const organization = await givenOrganization();
  const { baseUrl, environment } = service();
  recordRunningService(files.path(), { baseUrl, environment: { ...environment } });
  return { organization };
}

test('requests of the page have an API key of the organization that was named, until the page ends', async () => {
  const { organization } = await givenRunningService();
  const { server, address } = await givenPage(files.path(), organization.id);
  const pageKeys = async (): Promise<{ revokedAt: string | null }[]> => {
    const { items } = await json(organization, 'key list');
    return items.filter(({ label }: { label: string }) => label === 'reference page');
  };

  const answers = [await pipelines(address), await pipelines(address)];
  const during = await pageKeys();
  await server.stop();

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.headers.get('X-Request-Id')).toBeTruthy();
  expect(during.map(({ revokedAt }) => revokedAt)).toEqual([null]); // one for all requests
  expect((await pageKeys()).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(String)]);
});

test('a request of the page with its own API key keeps it', async () => {
  await givenRunningService();
  const { address } = await givenPage();

  expect((await pipelines(address, 'leads_live_wrong')).status).toBe(401);
});

test('the refusal of a port in use names the command of the page', async () => {
  const { address } = await givenPage();
  const port = Number(new URL(address).port);

  await expect(new DocsServer(files.path()).listen(port)).rejects.toThrow(
    `--port ${port}: the port is in use: name another port, or 0 for a free one: npm run docs -- --port 0`,
  );
});

const pageWidth = 'document.documentElement.scrollWidth';

if (!chromium)
  console.warn('Chromium is not installed: the reference page was NOT opened in a browser.');

test.skipIf(!chromium)(
  'in a browser the page lists the endpoints first, is as wide as a phone, and sends a request to its own server',
  { timeout: 120_000 },
  async () => {
    await givenRunningService();
    const { address } = await givenPage();
    await withBrowser(async (browser) => {
      const page = await browser.newPage();
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(address);
      await page.getByText('Create a lead').last().waitFor();
      const topOf = async (selector: string) =>
        (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN;
      expect(await topOf('.opblock')).toBeLessThan(844); // on the first screen of a phone
      expect(await topOf('#api-keys')).toBeGreaterThan(await topOf('[id$="list-users"]'));
      await page.click('a[href="#syncing"]');
      // The page scrolls smoothly, which takes a second, and longer on a busy machine.
      await expect.poll(() => topOf('#syncing'), { timeout: 30_000 }).toBeLessThan(844);
      for (const { name } of endpoints) {
        await page.click(`[id$="${name}"] .opblock-summary-control`);
        await page.locator(`[id$="${name}"] .response`).first().waitFor();
        // A wide table or sample scrolls, not the page.
        expect([name, await page.evaluate(pageWidth)]).toEqual([name, 390]);
        await page.click(`[id$="${name}"] .opblock-summary-control`);
      }
      await page.setViewportSize({ width: 1200, height: 800 });
      await page.click('a[href$="list-pipelines"]');
      await page.click('[id$="list-pipelines"]:has(.responses-table .response) .execute');
      const status = page.locator('.live-responses-table tbody .response-col_status');
      expect(await status.innerText()).toMatch(/200|429/);

      expect(requested).toContain(`${address}/swagger-ui-bundle.js`);
      expect(requested).toContain(`${address}/api/v1/pipelines`);
      const isOwn = (url: string) => url.startsWith(`${address}/`) || /^(data|blob):/.test(url);
      expect(requested.filter((url) => !isOwn(url))).toEqual([]);
    });
  },
);

test('a request for an organization that does not exist says so', async () => {
  await givenRunningService();
  const { address } = await givenPage(files.path(), 2_147_483_647);

  expect(await (await pipelines(address)).text()).toBe(
    '--organization 2147483647: the local service has no organization 2147483647 with an active user.\n',
  );
});

test('without a local service, the page opens, and its requests say what to start', async () => {
  const { address } = await givenPage(files.path('empty'));

  expect((await fetch(address)).status).toBe(200);
  const answer = await pipelines(address);
  expect([answer.status, await answer.text()]).toEqual([
    502,
    'No local service runs on .local: start it with npm start.\n',
  ]);
});

test('a page of another site, or of another port, reaches neither the page nor the service', async () => {
  const { port } = new URL((await givenPage()).address);
  const statusOf = async (path: string, headers: Record<string, string>) => {
    const sent = request({ host: '127.0.0.1', port, path, headers }).end();
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    reply.resume();
    return reply.statusCode;
  };

  expect([
    await statusOf('/', { Host: `rebound.example:${port}` }),
    await statusOf('/api/v1/pipelines', { Host: `rebound.example:${port}` }),
    await statusOf('/', { 'Sec-Fetch-Site': 'cross-site' }),
    await statusOf('/api/v1/pipelines', { 'Sec-Fetch-Site': 'same-site' }),
  ]).toEqual([403, 403, 403, 403]);
});
