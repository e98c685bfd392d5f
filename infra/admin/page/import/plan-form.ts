import { html } from 'hono/html';
import { propertyHeadings, targetNamed } from '../../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { decimalMarks, listSeparators } from '../../files/cell-formats.ts';
import { dateFormats } from '../../files/written-times.ts';
import type { PlanFile } from '../../import/plan.ts';
import type { Form } from '../desk.ts';
import { type Choice, type Html, options, type Part, table } from '../layout.ts';
import type { Upload } from './upload.ts';

/** The formats of the whole file. A refusal names the command's option, so the label does too. */
const formats = [
  ['country', 'Country of phones without a country code', '--country'],
  ['dates', 'Dates', '--dates', dateFormats],
  ['decimal', 'Decimal mark', '--decimal', decimalMarks],
  ['timeZone', 'Zone of times without one', '--time-zone'],
  ['listSeparator', 'Between several options in a cell', '--list-separator', listSeparators],
] as const;

const chosenOf = (choices: readonly string[], chosen: string | undefined): Part =>
  options(
    choices.map((value) => ({ value, label: value })),
    chosen,
    '',
  );

/** The form in which a file's plan can be corrected. */
export function planForm(organization: Organization, { plan, columns, open, run }: Upload): Part {
  if (!plan) return html`<p>The file says how it is read: it needs no plan.</p>`;
  const missing = open.filter(({ column }) => column === null);
  const rows = columns.map(({ heading, values }, at) => [
    html`<bdi>${heading}</bdi>`,
    values.map((value) => html`<div><bdi>${value.slice(0, valueMaxChars)}</bdi></div>`),
    [
      columnInputs(
        organization,
        { heading, name: `column.${at}` },
        plan,
        run?.end?.refusedValues?.(heading),
      ),
      open
        .filter(({ column }) => column === heading)
        .map(({ why }) => html` <small>${why}</small>`),
    ],
  ]);
  return html`${missing.map(({ why }) => html`<p class="bad">${why}</p>`)}
${table('Columns', ['Column', 'First values', 'Read as'], rows)}
<details><summary>How the file is written</summary><div class="grid">${formats.map(
    ([name, label, option, choices]) =>
      html`<label>${label} (${option}) ${choices ? html`<select name="${name}">${chosenOf(choices, plan[name])}</select>` : html`<input name="${name}" value="${plan[name] ?? ''}">`}</label>`,
  )}${valuesInput('values', plan.values)}</div></details>`;
}

const valueMaxChars = 60;

/** @param refused values for which rows were refused; the input already lists them, to be replaced */
function columnInputs(
  organization: Organization,
  { heading, name }: { readonly heading: string; readonly name: string },
  { columns }: PlanFile,
  refused: Readonly<Record<string, string>> = {},
): Html {
  const planned = columns[heading] ?? '';
  const { to, dates, values } = typeof planned === 'string' ? { to: planned } : planned;
  const target = targetNamed(organization, to)?.name ?? to;
  const hasRefused = Object.keys(refused).length > 0;
  const isOpen = dates !== undefined || hasRefused || values !== undefined;
  return html`<select name="${name}" aria-label="${heading} is read as">${options(targets(organization), target, 'Leave out')}</select>
<details${isOpen && html` open`}><summary>Dates and values</summary><label>Dates <select name="${name}.dates">${chosenOf(dateFormats, dates)}</select></label>${valuesInput(`${name}.values`, values, refused)}</details>`;
}

type Values = NonNullable<PlanFile['values']>;

function valuesInput(name: string, values: Values = {}, refused: Values = {}): Html {
  const all = { ...refused, ...values };
  const lines = Object.entries(all).filter(hasLine).map(lineOf);
  const kept = withoutLine(values);
  return html`<label>Values, one a line: TEXT = VALUE reads TEXT as VALUE; nothing behind the = empties it <textarea name="${name}" rows="${Math.min(8, lines.length + 1)}">
${lines.join('\n')}</textarea></label>${Object.keys(kept).length > 0 && html`<small>Kept from the plan: <bdi>${JSON.stringify(kept)}</bdi></small>`}`;
}

type Replacement = readonly [text: string, value: string | null];

const lineOf = ([text, value]: Replacement): string => `${text} = ${value ?? ''}`;

/** Splits at the first `=` between blanks, or else at the last `=`. A line without one is read unchanged. */
function replacementIn(line: string): Replacement {
  const split = /^(.*?) =(?= |$)(.*)$/.exec(line) ?? /^(.*)=(.*)$/.exec(line);
  const [, text = line, value = line] = split ?? [];
  return [text.trim(), value.trim() || null];
}

/** Whether the line of a replacement is read as that replacement. One with a line break, for example, is not. */
function hasLine(replacement: Replacement): boolean {
  const [text, value] = replacementIn(lineOf(replacement));
  return text === replacement[0] && value === replacement[1];
}

/** The values of a plan that the form cannot show as lines. They stay as they are. */
const withoutLine = (values: Values = {}): Values =>
  Object.fromEntries(Object.entries(values).filter((one) => !hasLine(one)));

/** The targets of a column, except the IDs of another system. */
function targets({ fields }: Organization): Choice[] {
  const { leadId: _, mark: __, ...properties } = propertyHeadings;
  return [
    ...fields.map(({ key, label, section }) => ({ value: key, label, group: section })),
    ...Object.values(properties).map((value) => ({ value, label: value, group: 'Lead' })),
  ];
}

/** The plan that a form describes. */
export function planIn(form: Form, { columns, plan }: Upload): PlanFile {
  const text = (name: string): string | undefined => form.text(name).trim() || undefined;
  const entries = columns.map(({ heading }, at) => {
    const name = `column.${at}`;
    const dates = chosenIn(form, `${name}.dates`, dateFormats);
    const planned = plan?.columns[heading];
    const before = typeof planned === 'object' ? planned?.values : undefined;
    const values = valuesIn(form, `${name}.values`, before);
    const column = { to: form.text(name), dates, values };
    return [heading, column.to === '' ? null : column] as const;
  });
  return {
    columns: Object.fromEntries(entries),
    country: text('country')?.toUpperCase(),
    dates: chosenIn(form, 'dates', dateFormats),
    decimal: chosenIn(form, 'decimal', decimalMarks),
    timeZone: text('timeZone'),
    listSeparator: chosenIn(form, 'listSeparator', listSeparators),
    encoding: plan?.encoding,
    sheet: plan?.sheet,
    values: valuesIn(form, 'values', plan?.values),
  };
}

const chosenIn = <Choice>(form: Form, name: string, choices: readonly Choice[]) =>
  choices.find((choice) => choice === form.text(name));

/** The values of the lines, except those that are read unchanged, and the earlier values that have no line. */
function valuesIn(form: Form, name: string, before: Values | undefined): Values | undefined {
  const lines = form
    .text(name)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const replaced = lines.map(replacementIn).filter(([text, value]) => text !== value);
  const values = { ...withoutLine(before), ...Object.fromEntries(replaced) };
  return Object.keys(values).length > 0 ? values : undefined;
}
