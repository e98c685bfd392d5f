import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Organization } from '../../../shared/organization/organization.ts';
import type { Desk } from './desk.ts';

export type Html = ReturnType<typeof html>;
/** The values that a template accepts. Texts are escaped. */
export type Part = Html | string | number | false | undefined | readonly Part[];

const sections = [
  ['leads', 'Leads'],
  ['keys', 'Keys'],
  ['import', 'Import'],
  ['activity', 'Activity'],
  ['settings', 'Settings'],
] as const;

interface PageFrame {
  readonly title: string;
  readonly organization?: Organization;
  readonly status?: 200 | 403 | 404 | 413 | 422 | 500;
  /** Seconds after which a browser without scripts reloads the page. */
  readonly refreshAfter?: number;
}

/** A whole page. */
export function page(
  context: Context,
  { title, organization, status = 200, refreshAfter }: PageFrame,
  body: Part,
): Response | Promise<Response> {
  const { path } = context.req;
  const links = organization
    ? sections.map(([name, label]) => {
        const address = `/o/${organization.id}/${name}`;
        const isHere = path === address || path.startsWith(`${address}/`);
        return html`<a href="${address}"${isHere && html` aria-current="page"`}>${label}</a>`;
      })
    : [];
  if (refreshAfter !== undefined) context.header('Refresh', String(refreshAfter));
  return context.html(
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Lead service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<header>
<a class="skip" href="#main">Skip to the content</a>
<a class="home" href="/">${organization ? html`<bdi>${organization.name}</bdi>` : 'Lead service'}</a>
${organization && html`<nav aria-label="Views">${links}</nav>`}
</header>
<main id="main" tabindex="-1">
<h1><bdi>${title}</bdi></h1>
${body}
</main>
<footer>Times are UTC.</footer>
</body>
</html>`,
    status,
  );
}

/** A page that explains a failure. */
export const failurePage = (
  context: Context,
  sentence: string,
  status: 403 | 404 | 413 | 500,
): Response | Promise<Response> =>
  page(
    context,
    { title: status === 404 ? 'Not found' : 'That did not work', status },
    html`<p class="bad" role="alert">${sentence}</p>
<p><a href="/">All organizations</a></p>`,
  );

/** A message above a view: what was done, or why not. */
export const notice = (sentence: Part, isBad = false): Part =>
  sentence &&
  html`<p class="${isBad ? 'bad' : 'good'}" role="${isBad ? 'alert' : 'status'}">${sentence}</p>`;

/** A table that scrolls by itself. The first cell of a row is its heading. @param attributes the attributes of each row */
export const table = (
  label: string,
  headings: readonly string[],
  rows: readonly (readonly Part[])[],
  attributes: readonly Part[] = [],
): Html =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([name, ...cells], row) =>
      html`<tr${attributes[row]}><th scope="row">${name}</th>${cells.map((cell, at) => html`<td data-label="${headings[at + 1] ?? ''}">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;

/** A response that the browser saves as a file. */
export const download = (
  context: Context,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Response =>
  context.body(content, 200, {
    'Content-Type': name.endsWith('.json') ? 'application/json' : 'application/octet-stream',
    'Content-Disposition': `attachment; ${/^[\w.-]+$/.test(name) ? `filename="${name}"` : `filename*=UTF-8''${encodeURIComponent(name)}`}`,
  });

/** A JSON file, formatted like the output of commands. */
export const jsonFile = (context: Context, name: string, value: unknown): Response =>
  download(context, name, `${JSON.stringify(value, null, 2)}\n`);

export const listed = (sentences: readonly string[]): Html =>
  html`<ul>${sentences.map((sentence) => html`<li><bdi>${sentence}</bdi></li>`)}</ul>`;

export interface Choice {
  readonly value: string | number;
  readonly label: string;
  /** The heading of a group of choices. */
  readonly group?: string | undefined;
}

/** @param none the label of the empty choice, if there is one */
export function options(
  choices: readonly Choice[],
  chosen: string | number | undefined,
  none?: string,
): Part {
  const option = ({ value, label }: Choice): Html =>
    html`<option value="${value}"${String(value) === String(chosen) && html` selected`}>${label}</option>`;
  const groups = Map.groupBy(choices, ({ group }) => group);
  return [
    none !== undefined && option({ value: '', label: none }),
    ...[...groups].map(([group, own]) =>
      group === undefined
        ? own.map(option)
        : html`<optgroup label="${group}">${own.map(option)}</optgroup>`,
    ),
  ];
}

/** A text with a button that copies it; without scripts, only the text. */
export const copyable = (text: string, attribute: Part = ''): Html =>
  html`<span class="copyable"><code tabindex="0"${attribute}>${text}</code></span>`;

/** A button that submits its form with an action. @param what the action, as the value of `:do`, a name that no field can have */
export const doButton = (what: string, label: string, more: Part = ''): Html =>
  html`<button name=":do" value="${what}"${more}>${label}</button>`;

/** Active items, and the chosen one even if it is inactive. */
export const choicesOf = (
  items: readonly { readonly id: number; readonly name: string; readonly active?: boolean }[],
  chosen?: number,
): Choice[] =>
  items
    .filter(({ id, active = true }) => active || id === chosen)
    .map(({ id, name, active = true }) => ({
      value: id,
      label: active ? name : `${name} (inactive)`,
    }));

/** A time for people, in UTC as everywhere in the service. */
export const timeText = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time>`;

/** Explains why a form is missing. */
export const readOnlyNote = ({ isReadOnly }: Desk): Part =>
  isReadOnly && html`<p><small>Opened with --read-only: nothing can be changed here.</small></p>`;
