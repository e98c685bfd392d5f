import { html } from 'hono/html';
import { isAskedFor } from '../../../../shared/leads/fields.ts';
import type { FieldValue, Lead } from '../../../../shared/leads/lead.ts';
import { fieldKinds } from '../../../../shared/organization/field-kinds.ts';
import type { Field, Organization } from '../../../../shared/organization/organization.ts';
import { type Form, withStoredLines } from '../desk.ts';
import { choicesOf, type Html, options, type Part } from '../layout.ts';
import { shownValue, valueIn } from './values.ts';

/** The texts that inputs send, by field key and `stage`. */
export type Typed = ReadonlyMap<string, readonly string[]>;
/** Refusals as sentences, by field key and `stage`. */
export type Refusals = ReadonlyMap<string, Part>;

/** A lead's values as its form shows them. A browser drops line breaks in a single-line field. */
export function typedOf(organization: Organization, lead: Lead): Typed {
  const keys = [...activeFields(organization).map(({ key }) => key), 'stage'];
  return new Map(keys.map((key) => [key, textsOf(organization, key, valueIn(lead, key))]));
}

const activeFields = ({ fields }: Organization): Field[] => fields.filter(({ active }) => active);

function textsOf({ fieldByKey }: Organization, key: string, value: FieldValue | null): string[] {
  if (value === null) return [];
  if (typeof value === 'object') return [...value];
  const text = withStoredLines(String(value));
  return [fieldByKey.get(key)?.type === 'textarea' ? text : text.replaceAll('\n', '')];
}

const withoutEmpty = (texts: readonly string[]): string[] => texts.filter((text) => text !== '');

/** What the form sent for each of its inputs. An empty input has no text. */
export const typedIn = (organization: Organization, form: Form): Typed =>
  new Map(
    [...activeFields(organization).map(({ key }) => key), 'stage']
      .filter((key) => form.has(key))
      .map((key) => [key, withoutEmpty(form.all(key))]),
  );

/** The name of the input that keeps a field's value from when the form was opened. No field key has a colon. */
const openedName = (key: string): string => `opened:${key}`;

/** The values of the inputs when the form was opened. If a program does not send them, nothing is compared. */
export const openedIn = (typed: Typed, form: Form): Typed =>
  new Map(
    [...typed.keys()]
      .filter((key) => form.has(openedName(key)))
      .map((key) => [key, withoutEmpty(form.all(openedName(key)))]),
  );

export const isSameTyped = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

interface FormOf {
  readonly organization: Organization;
  readonly lead: Lead;
  /** The values that the inputs show: the lead's, or refused ones that were typed. */
  readonly typed: Typed;
  /** The values of the inputs when the form was opened. */
  readonly opened: Typed;
  readonly refusals: Refusals;
}

/** The form of a lead: its fields by section, and its stage. */
export function leadForm(of: FormOf): Html {
  const { organization, refusals } = of;
  const sections = Map.groupBy(activeFields(organization), ({ section }) => section);
  return html`<form method="post" class="lead">
<fieldset><legend>Stage</legend><div class="grid">${inputOf(of, 'stage', 'Stage', stageInput(of))}</div></fieldset>
${[...sections].map(
  ([section, fields]) =>
    html`<fieldset><legend><bdi>${section}</bdi></legend><div class="grid">${fields.map((field) =>
      inputOf(of, field.key, field.label, fieldInput(of, field)),
    )}</div></fieldset>`,
)}
<p><button name=":do" value="edit">Save</button>${refusals.size > 0 && html` <span class="bad">Nothing was saved.</span>`}</p>
</form>`;
}

const idOf = (key: string): string => `field-${key}`;

/** An input with its label, its refusal, and its value from when the form was opened. */
function inputOf(
  { opened, refusals, lead, organization }: FormOf,
  key: string,
  label: string,
  input: Html,
): Html {
  const refusal = refusals.get(key);
  const kept = opened.get(key) ?? [];
  const field = organization.fieldByKey.get(key);
  const isHidden = field && !isAskedFor(field, lead.fields);
  return html`<div class="field"><label for="${idOf(key)}"><bdi>${label}</bdi>${field?.requiredOnEdit && ' *'}${isHidden && html` <small>not asked for</small>`}</label>
${input}${refusal && html`<p class="bad" id="refused-${key}" data-refused="${key}">${refusal}</p>`}
${(kept.length === 0 ? [''] : kept).map((text) => html`<input type="hidden" name="${openedName(key)}" value="${text}">`)}</div>`;
}

const attributesOf = ({ refusals }: FormOf, key: string): Html =>
  html` id="${idOf(key)}" name="${key}"${refusals.has(key) && html` aria-invalid="true" aria-describedby="refused-${key}"`}`;

function stageInput(of: FormOf): Html {
  const { organization, lead, typed } = of;
  const choices = organization.stages
    .filter(({ id, active }) => active || id === lead.stageId)
    .map(({ id, name, pipelineId }) => ({
      value: id,
      label: name,
      group: organization.pipelineById.get(pipelineId)?.name,
    }));
  return html`<select${attributesOf(of, 'stage')}>${options(choices, typed.get('stage')?.[0])}</select>`;
}

/** Only the service applies rules and refuses values: a browser checks and corrects nothing. */
function fieldInput(of: FormOf, field: Field): Html {
  const { organization, typed } = of;
  const texts = typed.get(field.key) ?? [];
  const [text = ''] = texts;
  const attributes = attributesOf(of, field.key);
  const { references, hasOptions, isList } = fieldKinds[field.type];
  if (isList) return optionBoxes(of, field, texts);
  if (references !== null || hasOptions || field.type === 'checkbox') {
    const choices = choicesFor(organization, field, text);
    return html`<select${attributes}>${options(choices, text, field.key === 'lead_type' ? undefined : '')}</select>`;
  }
  if (field.type === 'textarea')
    return html`<textarea${attributes} rows="4">
${text}</textarea>`;
  return html`<input type="${inputTypes[field.type] ?? 'text'}"${attributes} value="${text}" dir="auto" autocomplete="off" spellcheck="false">`;
}

const inputTypes: Readonly<Partial<Record<Field['type'], string>>> = { date: 'date', phone: 'tel' };

function choicesFor(
  organization: Organization,
  { key, type, options: own }: Field,
  chosen: string,
) {
  const { references } = fieldKinds[type];
  if (references !== null) return choicesOf(organization[references], Number(chosen));
  if (type === 'checkbox')
    return [true, false].map((value) => ({
      value: String(value),
      label: shownValue(organization, key, value),
    }));
  return own.filter(({ value, retired }) => !retired || value === chosen);
}

/** A box for each option. An empty input shows that the form has the field, even if nothing is ticked. */
function optionBoxes(
  { refusals }: FormOf,
  { key, options: own }: Field,
  texts: readonly string[],
): Html {
  const boxes = own
    .filter(({ value, retired }) => !retired || texts.includes(value))
    .map(
      ({ value, label }) =>
        html`<label class="tick"><input type="checkbox" name="${key}" value="${value}"${texts.includes(value) && html` checked`}> <bdi>${label}</bdi></label>`,
    );
  return html`<input type="hidden" name="${key}" value=""><div class="boxes" role="group" id="${idOf(key)}" aria-label="${key}"${refusals.has(key) && html` aria-describedby="refused-${key}"`}>${boxes}</div>`;
}
