import { expect, test } from 'vitest';
import { givenPage, markup, send } from '../given-page.ts';

/** A form with a file, as a page of another site can send it without asking first. */
async function formWithFile(bytes: number) {
  const form = new FormData();
  form.append(':do', 'upload');
  form.append('file', new File([' '.padEnd(bytes)], 'leads.jsonl'));
  const encoded = new Response(form);
  const type = encoded.headers.get('Content-Type') ?? '';
  return { type, body: await encoded.bytes() };
}

test.each([
  [49_999_900, 303],
  [50_000_001, 422],
  [52_000_000, 413],
])(
  'a file of %i bytes answers %i, and a larger one is refused with a sentence',
  async (bytes, status) => {
    const page = await givenPage();
    const { type, body } = await formWithFile(bytes);
    const headers = { cookie: page.cookie, Origin: page.base, 'Content-Type': type };

    const reply = await send(`${page.base}/o/1/import`, { method: 'POST', headers, body });

    expect(reply.status).toBe(status);
    if (status !== 303) expect(reply.text).toContain('The file has more than 50 MB');
  },
);

test.each(markup)('the text %s in a file is shown as text', async (text) => {
  const page = await givenPage();
  const quoted = `"${text.replaceAll('"', '""')}"`;
  const file = new File(
    [`name,phone,${quoted}\n${quoted},98220,${quoted}\nA,1,B\n`],
    `${text}.csv`,
  );

  const proposed = await page.upload('/o/1/import', { ':do': 'upload', file });
  const [, state = ''] = / name="state" value="([^"]*)"/.exec(proposed.text) ?? [];
  const typed = { 'column.0': 'name', 'column.1': 'phone', 'column.2': text, country: text };
  const form = { ':do': 'import dry', state, ...typed, values: `${text} = ${text}1` };
  const refused = await page.post('/o/1/import', Object.entries(form));

  for (const reply of [proposed, refused, await page.get('/o/1/import')]) {
    expect(reply.text).toMatch(/&lt;|&#39;/);
    expect(reply.text).not.toMatch(/<script>|<b>x|<img/);
  }
});
