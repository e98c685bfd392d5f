import { request } from 'node:http';
import { expect, test } from 'vitest';
import { givenLead, givenPage, givenServer, markup, send } from './given-page.ts';

/** The page is closed to everyone but the browser that opened it. Each test is an attack. */

const addresses = [
  '/',
  '/page.css',
  '/page.js',
  '/o/1/leads',
  '/o/1/leads/1',
  '/o/1/leads/1?file=dossier',
  '/o/1/keys',
  '/o/1/settings',
  '/o/1/settings?file=settings',
  '/o/1/import',
  '/o/1/activity',
  '/nothing',
];

test.each(addresses)('without the cookie, %s answers 403 and says how to get in', async (path) => {
  const { base } = await givenPage();

  const { status, text, headers } = await send(base + path);

  expect(status).toBe(403);
  expect(text).toMatch(/start it again, and open the address that it prints\.\n$/);
  expect(headers).not.toHaveProperty('set-cookie');
});

test('the token works once, and is answered with the page and a cookie that scripts cannot read', async () => {
  const { url } = await givenServer();
  const port = new URL(url).port;

  const first = await send(url);
  const second = await send(url);

  expect([first.status, second.status]).toEqual([200, 403]);
  expect(first.text).toContain('<h1><bdi>Organizations</bdi></h1>');
  const [cookie = ''] = first.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    new RegExp(`^leads_${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
  );
  expect(url).not.toContain(cookie.split(/[=;]/)[1]);
});

test('two requests at the same moment cannot both use the token', async () => {
  const { url } = await givenServer();

  const replies = await Promise.all(Array.from({ length: 8 }, () => send(url)));

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('with the cookie, a spent token is ignored', async () => {
  const { url, cookie } = await givenPage();

  expect((await send(url, { headers: { cookie } })).status).toBe(200);
});

test.each([
  ['HEAD', undefined],
  ['POST', undefined],
  ['GET', 'wrong'],
  ['GET', ''],
])('a %s request with the token %s does not get in, and spends nothing', async (method, token) => {
  const { url, base } = await givenServer();
  const address = token === undefined ? url : `${base}/?token=${token}`;

  expect((await send(address, { method, headers: { Origin: base } })).status).toBe(403);
  expect((await send(url)).status).toBe(200);
});

test.each(['', 'x', 'leads_4012=x', 'undefined'])(
  'the cookie %j does not get in',
  async (value) => {
    const { base } = await givenPage();
    const name = `leads_${new URL(base).port}`;

    for (const cookie of [value, `${name}=${value}`, `${name}=undefined`])
      expect((await send(`${base}/`, { headers: { cookie } })).status).toBe(403);
  },
);

test.each([
  'localhost',
  'attacker.example',
  '127.0.0.1',
  '127.0.0.1.',
  '[::1]',
  '127.0.0.1:1',
  'a b',
])(
  'the host %s answers 403 with the right address, even with the cookie and a new token',
  async (host) => {
    const { base, cookie } = await givenPage();
    const other = await givenServer();
    const port = new URL(base).port;
    const named = /:\d+$/.test(host) || host === '127.0.0.1' ? host : `${host}:${port}`;

    for (const path of ['/', '/o/1/leads', '/page.js']) {
      const { status, text } = await send(base + path, { headers: { cookie, Host: named } });
      expect(status).toBe(403);
      expect(text).toContain(`http://127.0.0.1:${port}`);
    }
    expect((await send(other.url, { headers: { Host: named } })).status).toBe(403);
    expect((await send(other.url)).status).toBe(200);
  },
);

test('a request line with a whole address of another host reads no other page', async () => {
  const { base, cookie } = await givenPage();
  const { hostname, port } = new URL(base);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const path = 'http://attacker.example/o/1/keys';

  request({ hostname, port, path, headers: { cookie, Host: 'attacker.example' } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  }).end();

  expect(await promise).toBe(403);
});

test.each([
  undefined,
  'null',
  'https://attacker.example',
  'http://127.0.0.1',
  'http://127.0.0.1:1',
  'http://localhost:4012',
])('a form with the origin %s changes nothing', async (origin) => {
  const page = await givenPage();
  await givenLead(page);
  const headers = {
    cookie: page.cookie,
    'Content-Type': 'application/x-www-form-urlencoded',
    ...(origin !== undefined && { Origin: origin }),
  };

  for (const path of ['/o/1/leads/1', '/o/1/keys', '/o/1/settings', '/o/1/import'])
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const sent = { method, headers, body: ':do=archive&city=Pune' };
      expect((await send(page.base + path, sent)).status).toBe(403);
    }
  expect(await page.log()).toEqual(['organization apply']);
});

test('with --read-only there is no form that writes, and every writing request answers 404', async () => {
  const page = await givenPage(undefined, { isReadOnly: true });
  await givenLead(page);
  const paths = ['/', '/o/1/leads', '/o/1/leads/1', '/o/1/keys', '/o/1/settings', '/o/1/import'];

  for (const path of [...paths, '/o/1/activity']) {
    const { status, text } = await page.get(path);
    expect([path, status, /<form[^>]*method="post"/.test(text)]).toEqual([path, 200, false]);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      for (const Origin of [page.base, 'https://attacker.example']) {
        const sent = { method, headers: { cookie: page.cookie, Origin } };
        expect((await send(page.base + path, sent)).status).toBe(404);
      }
  }
});

test.each([
  '/nothing',
  '/o/1',
  '/o/1/leads/99',
  '/o/99/leads',
  '/o/x/leads',
  '/../package.json',
  '/o/1/leads/1/x',
])('the address %s answers 404', async (path) => {
  const page = await givenPage();

  expect((await page.get(path)).status).toBe(404);
});

test('every answer forbids scripts in the page, frames, other hosts and copies on disk', async () => {
  const page = await givenPage();
  const replies = [
    await page.get('/o/1/leads'),
    await page.get('/nothing'),
    await page.get('/page.css'),
    await send(`${page.base}/`),
    await send(`${page.base}/`, { headers: { Host: 'x' } }),
  ];

  for (const { headers } of replies) {
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; .*frame-ancestors 'none'/,
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('a page names no other host, and has no script, style or handler within itself', async () => {
  const page = await givenPage();
  await givenLead(page);

  for (const path of addresses.filter((one) => !/file=|page\.|nothing/.test(one))) {
    const { text } = await page.get(path);
    const loaded = [...text.matchAll(/<(?:link|script|img)[^>]*(?:src|href)="([^"]*)"/g)];
    expect(loaded.map(([, url]) => url)).toEqual(['data:,', '/page.css', '/page.js']);
    expect(text).not.toMatch(/<style|<script>|\son\w+=|style="/);
  }
});

test.each(markup)('the text %s of a stranger is shown as text', async (text) => {
  const page = await givenPage();
  await givenLead(page, { name: text, city: text, remarks: text });
  await page.post('/o/1/leads/1', [
    [':do', 'note'],
    ['note', text],
  ]);

  for (const path of [
    '/o/1/leads?columns=name,city,remarks',
    '/o/1/leads/1',
    `/o/1/leads?q=${encodeURIComponent(text)}&after=9`,
  ]) {
    const reply = await page.get(path);
    expect(reply.text).not.toContain(text);
    expect(reply.text).not.toMatch(/<script>|<b>x|<img/);
  }
});
