import type { IncomingMessage } from 'node:http';
import type { Reply } from '../gateway/reply.ts';

/** Whether a person opened the listener's address in a browser. A deployed API has nothing there, and programs do not request HTML. */
export function asksForRootPage({ method, url, headers }: IncomingMessage): boolean {
  const ranges = (headers.accept ?? '').split(',').map((range) => range.trim().toLowerCase());
  return (
    method === 'GET' && url === '/' && ranges.some((range) => /^text\/html\s*(?:;|$)/.test(range))
  );
}

const rows = [
  ['npm run docs', 'the API reference, from which you can send requests'],
  ['npm run admin -- open', 'a page with the leads, keys and settings'],
  ['npm run admin -- --help', 'every command of an administrator'],
  ['npm run verify -- --url ADDRESS', 'one check for each endpoint'],
] as const;

const guides = [
  ['ten-minutes.md', 'ten minutes to a live form'],
  ['web-developer.md', 'connect a website'],
  ['integrator.md', 'write any other client'],
  ['data-engineer.md', 'copy leads into a warehouse'],
  ['administrator.md', 'look after settings, keys and leads'],
] as const;

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
dt { margin-top: .75rem; } dd { margin: 0; } code { font-size: .95em; overflow-wrap: anywhere; }`;

const list = (terms: readonly (readonly [term: string, meaning: string])[]): string =>
  `<dl>${terms.map(([term, meaning]) => `<dt><code>${term}</code></dt><dd>${meaning}</dd>`).join('\n')}</dl>`;

/** A page without further files. It names commands instead of linking, because the pages that they open have their own ports and tokens. */
export const rootPage: Reply = {
  status: 200,
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'"],
    ['Cache-Control', 'no-store'],
    ['X-Content-Type-Options', 'nosniff'],
  ],
  body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lead management service</title>
<style>${style}</style>
<main>
<h1>Lead management service</h1>
<p>The API answers here, under <code>/api/v1</code>. It has no pages: programs call it with an API key.
In the folder where you ran <code>npm start</code>, run:</p>
${list(rows)}
<h2>Guides</h2>
<p>They are files of the project, in <code>infra/guides</code>.</p>
${list(guides)}
</main>
</html>
`,
};
