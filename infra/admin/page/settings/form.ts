import { html } from 'hono/html';
import type { SettingsIssue } from '../../../../shared/organization/settings-shape.ts';
import { doButton, type Html, options, type Part } from '../layout.ts';
import {
  type Column,
  type Draft,
  type List,
  lists,
  type Row,
  shownAs,
  stageList,
  type UserNames,
} from './rows.ts';

interface FormOf {
  readonly draft: Draft;
  readonly issues: readonly SettingsIssue[];
  readonly users: UserNames;
  /** The list that a button has changed. */
  readonly changed: string;
}

/** All settings as text. */
export function settingsText({ rows }: Draft): Part {
  const users = userNamesIn(rows);
  const textOf = ({ columns }: List, { item, stages }: Row): Html =>
    html`<h2><bdi>${item.name ?? item.label ?? 'Rule'}</bdi>${item.active === false && ' (inactive)'}</h2><dl>${columns.map(
      (column) => {
        const text = shownAs(column, item, users);
        return (
          text !== '' && html`<dt>${column.label}</dt><dd class="text" dir="auto">${text}</dd>`
        );
      },
    )}</dl>${stages.length > 0 && html`<div class="inner">${stages.map((stage) => textOf(stageList, stage))}</div>`}`;
  return lists.map((list) => {
    const own = rows[list.name] ?? [];
    return html`<details><summary>${list.title} (${own.length})</summary>${own.map((row) => textOf(list, row))}</details>`;
  });
}

const userNamesIn = (rows: Draft['rows']): UserNames =>
  new Map((rows.users ?? []).map(({ item }) => [item.id, String(item.name)]));

/** The form of all settings, each list with its rows. It is always sent as a whole, even to add or move a row. */
export function settingsForm(
  draft: Draft,
  issues: readonly SettingsIssue[],
  changed: string,
): Html {
  const of = { draft, issues, changed, users: userNamesIn(draft.rows) };
  const { rest, version } = draft;
  return html`<form method="post" id="settings"><input type="hidden" name="rest" value="${JSON.stringify(rest)}"><input type="hidden" name="version" value="${version}">
<p>${doButton('preview', 'Show what would change')}</p>
<label>Name of the organization <input name="name" value="${String(rest.name)}"></label>${refusal(of, 'name')}
${lists.map((list) => listPart(of, list))}
<p>${doButton('preview', 'Show what would change')}</p></form>`;
}

const isWithin = (path: string, issue: SettingsIssue): boolean =>
  `${inputOf(issue)}.`.startsWith(`${path}.`);

/** The name of the input or row to which an issue belongs: `users.3.name` for `$.users[3].name`. */
export const inputOf = ({ path }: SettingsIssue): string =>
  path.replace(/^\$\.?/, '').replace(/\[(\d+)\]/g, '.$1');

const refusal = ({ issues }: FormOf, name: string): Part =>
  issues
    .filter((issue) => inputOf(issue) === name)
    .map(({ message }) => html`<p class="bad" data-refused="${name}">${message}</p>`);

function listPart(of: FormOf, list: List): Html {
  const { draft, issues, changed } = of;
  const rows = draft.rows[list.name] ?? [];
  const isOpen =
    changed.split('.')[0] === list.name || issues.some((issue) => isWithin(list.name, issue));
  return html`<details id="${list.name}"${isOpen && html` open`}><summary>${list.title} (${rows.length})</summary>
${refusal(of, list.name)}${rowsPart(of, list, rows, list.name)}</details>`;
}

function rowsPart(of: FormOf, list: List, rows: readonly Row[], path: string): Html {
  const parts = rows.map((row, at) => rowPart(of, list, row, `${path}.${at}`));
  const add = doButton(
    `add:${path}`,
    `Add a ${list.noun}`,
    html` class="small" formaction="#${path.split('.')[0]}"`,
  );
  return html`${parts}<p>${add}</p>`;
}

function rowPart(of: FormOf, list: List, row: Row, path: string): Html {
  const { item, isNew, stages } = row;
  const ofRow = isNew ? `New ${list.noun}` : `${list.noun} ${Number(path.split('.').at(-1)) + 1}`;
  const name = String(item.name ?? item.label ?? '') || ofRow;
  const button = (verb: string, label: string): Html =>
    doButton(
      `${verb}:${path}`,
      label,
      html` class="small" formaction="#${path.split('.')[0]}" aria-label="${label} ${list.noun} ${name}"`,
    );
  const title = html`<bdi>${name}</bdi>${item.active === false && ' (inactive)'}${!isNew && item.type !== undefined && html` <small>${item.key}, ${item.type}</small>`}`;
  const inputs = html`<input type="hidden" name="${path}" value="${JSON.stringify(item)}">${isNew && html`<input type="hidden" name="${path}:new" value="yes">`}
<div class="grid">${columnsOf(list, row).map((column) => inputPart(of, column, row, path))}
<div>${button('up', 'Up')} ${button('down', 'Down')} ${(isNew || list.isRemovable) && button('remove', 'Remove')}</div></div>${refusal(of, path)}
${list.name === 'pipelines' && html`<div class="inner">${rowsPart(of, stageList, stages, `${path}.stages`)}</div>`}`;
  if (list.name !== 'fields') return html`<fieldset><legend>${title}</legend>${inputs}</fieldset>`;
  const isOpen = isNew || of.changed === path || of.issues.some((issue) => isWithin(path, issue));
  return html`<details${isOpen && html` open`}><summary>${title}</summary>${inputs}</details>`;
}

/** Only fields of a type with options have an input for them. The type of a new field is not known yet. */
const columnsOf = (list: List, { item, isNew }: Row): readonly Column[] =>
  list.columns.filter(
    ({ isForNew, kind }) =>
      isNew || !(isForNew || (kind === 'options' && !/select$/.test(String(item.type)))),
  );

function inputPart(of: FormOf, column: Column, { item }: Row, path: string): Html {
  const { kind, label } = column;
  const name = `${path}.${column.name}`;
  const text = shownAs(column, item, of.users);
  const shown = html`<input type="hidden" name="${name}:shown" value="${text}">`;
  if (kind === 'tick')
    return html`<div><label class="tick"><input type="checkbox" name="${name}" value="yes"${text && html` checked`}> ${label}</label>${shown}${refusal(of, name)}</div>`;
  const isOneLine = kind === 'text';
  const choices = typeof kind === 'object' ? kind.map((value) => ({ value, label: value })) : [];
  const input = isOneLine
    ? html`<input name="${name}" value="${text}" autocomplete="off">`
    : typeof kind === 'object'
      ? html`<select name="${name}">${options(choices, text)}</select>`
      : html`<textarea name="${name}" rows="${Math.min(8, text.split('\n').length + 1)}">
${text}</textarea>`;
  return html`<div><label>${label} ${input}</label>${shown}${refusal(of, name)}</div>`;
}
