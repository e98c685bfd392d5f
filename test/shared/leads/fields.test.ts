import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RawValue } from '../../../shared/leads/field-values.ts';
import {
  activeFields,
  applyChanges,
  FieldIssues,
  isAskedFor,
  readFields,
  requireOnEdit,
} from '../../../shared/leads/fields.ts';
import type { FieldValues } from '../../../shared/leads/lead.ts';
import { newLeadFields, startCapturedLead, startLead } from '../../../shared/leads/new-lead.ts';
import * as nearestNames from '../../../shared/organization/nearest-name.ts';
import { customField, sampleOrganization, sampleSettings } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const organization = sampleOrganization();

function read(raw: Record<string, RawValue>, of = organization) {
  const issues = new FieldIssues();
  const changes = readFields(of, raw, activeFields(of), issues);
  issues.throwIfAny();
  return changes;
}

function requireOnCreate(...[of, fields]: [Parameters<typeof newLeadFields>[0], FieldValues]) {
  const issues = new FieldIssues();
  newLeadFields(of, fields, issues);
  issues.throwIfAny();
}

const withFields = (...fields: object[]) =>
  sampleOrganization({ fields: [...sampleSettings.fields, ...fields] });
const person = { name: 'Asha', phone: '+919876543210' };

test.each<[string, RawValue, RawValue]>([
  ['course', 'Product\u00a0Design\u200b', 'design'],
  ['interests', ['\u200ehostel', '\u200b'], ['hostel']],
  ['interests', 'Education\u2009loan, bank', ['loan']],
  ['wants_call', '\u200eYes\u00a0', true],
  ['budget', '\u22125\u200b', -5],
  ['start_on', '\u200e२०२६\u2011११\u2011२०\u00a0', '2026-11-20'],
  ['mentor', '\u200e8\u00a0', 8],
  [
    'portfolio',
    '\u200b\u00a0https://a.in/\u0645\u200c\u0647\u200e \u2060',
    'https://a.in/\u0645\u200c\u0647',
  ],
])('%s reads %j as people see it', (fieldKey, raw, value) =>
  expect(read({ [fieldKey]: raw })).toEqual({ [fieldKey]: value }),
);

describe('a key that is not an active field', () => {
  test.each(['old_notes', '__proto__', 'constructor', '', 'City'])(
    '%j is refused, the valid keys listed',
    async (fieldKey) => {
      const raw = JSON.parse(`{"city":"Pune",${JSON.stringify(fieldKey)}:"x"}`) as Record<
        string,
        RawValue
      >;

      const { details } = await refusalOf(() => read(raw));

      expect(Object.keys(details.fields!)).toEqual([fieldKey]);
      expect(details.validKeys).toEqual(activeFields(organization).map(({ key }) => key));
      expect(details.validKeys).not.toContain('old_notes');
    },
  );

  test('is reported with the key that was probably meant', async () => {
    const { details } = await refusalOf(() =>
      read({ coursee: 'mba', guardian_fone: '9876543210', zzzzzzzz: 1 }),
    );
    expect(details.fields!.coursee).toContain('did you mean course?');
    expect(details.fields!.guardian_fone).toContain('did you mean guardian_phone?');
    expect(details.fields!.zzzzzzzz).toBe('is not an active field.');
  });

  test('may be named as an inherited property is, where the organization has such a field', () => {
    expect(read({ hasOwnProperty: 'yes' })).toEqual({ hasOwnProperty: 'yes' });
    expect(applyChanges({}, read({ hasOwnProperty: 'yes' }))).toEqual({ hasOwnProperty: 'yes' });
  });

  test('is compared with the valid keys only ten times a request, however many there are', async () => {
    const many = sampleOrganization({
      fields: Array.from({ length: 1000 }, (_, n) =>
        customField(`field_number_${n}_of_a_long_list_of_them`, 'text'),
      ),
    });
    const raw = Object.fromEntries(
      Array.from({ length: 1500 }, (_, n) => [`fields_numbers_${n}_off_the_long_list_of_those`, 1]),
    );
    const nearestName = vi.spyOn(nearestNames, 'nearestName');
    onTestFinished(() => nearestName.mockRestore());

    const { details } = await refusalOf(() => read(raw, many));

    expect(nearestName).toHaveBeenCalledTimes(10);
    expect(Object.keys(details.fields!)).toHaveLength(20);
  });
});

describe('showWhen', () => {
  const shown = (field: string, equals: string[]) =>
    customField('extra', 'text', { showWhen: { field, equals }, requiredOnCreate: true });

  test.each<[string, string[], FieldValues, boolean]>([
    ['course', ['mba', 'design'], { course: 'design' }, true],
    ['course', ['mba'], { course: 'design' }, false],
    ['course', ['mba'], {}, false],
    ['interests', ['loan'], { interests: ['hostel', 'loan'] }, true],
    ['interests', ['loan'], { interests: ['hostel'] }, false],
    ['wants_call', ['false'], { wants_call: false }, true],
    ['source', ['3'], { source: 3 }, true],
    ['lead_type', ['consultant'], { lead_type: 'consultant' }, true],
    ['lead_type', ['student'], {}, true],
  ])('on %s = %j, with %j, asks for the field: %s', async (field, equals, fields, isAsked) => {
    const of = withFields(shown(field, equals));
    const given = { ...person, ...fields };

    if (!isAsked) requireOnCreate(of, given);
    else
      expect((await refusalOf(() => requireOnCreate(of, given))).details.fields).toEqual({
        extra: 'is required.',
      });
    if (field !== 'lead_type') expect(isAskedFor(of.fieldByKey.get('extra')!, given)).toBe(isAsked);
  });

  test('hides no value that was sent: it is checked and kept', async () => {
    const of = withFields(
      customField('extra', 'number', { showWhen: { field: 'course', equals: ['mba'] } }),
    );
    expect(read({ extra: '5' }, of)).toEqual({ extra: 5 });
    expect((await refusalOf(() => read({ extra: 'five' }, of))).details.fields).toHaveProperty(
      'extra',
    );
  });
});

describe('required on create', () => {
  test('is decided by the organization, for its active fields', async () => {
    const of = withFields(
      customField('budget_2', 'number', { requiredOnCreate: true }),
      customField('agreed', 'checkbox', { requiredOnCreate: true }),
      customField('gone', 'text', { requiredOnCreate: true, active: false }),
      customField('later', 'text', { requiredOnEdit: true }),
    );
    requireOnCreate(of, { ...person, budget_2: 0, agreed: false });
    expect((await refusalOf(() => requireOnCreate(of, person))).details).toMatchObject({
      fields: { budget_2: 'is required.', agreed: 'is required.' },
      reasons: { budget_2: 'required', agreed: 'required' },
    });
  });

  test('the owner never is, since the assignment rules choose one', async () => {
    const builtIn = (key: string, type: string) =>
      customField(key, type, { storage: 'column', requiredOnCreate: true });
    const of = withFields(builtIn('assigned_to', 'user'), builtIn('email', 'email'));
    expect((await refusalOf(() => requireOnCreate(of, person))).details.fields).toEqual({
      email: 'is required.',
    });
  });

  test('a lead type that is required must be sent, though a lead without one is a student', async () => {
    const of = withFields(
      customField('lead_type', 'select', {
        storage: 'column',
        requiredOnCreate: true,
        options: ['student', 'consultant'].map((value) => ({ value, label: value })),
      }),
    );
    const [stage] = of.stages;
    const create = (submitted: FieldValues) => () =>
      startLead(of, { submitted, stage }, new FieldIssues());
    const capture = (submitted: FieldValues) => () => startCapturedLead(of, submitted, undefined);

    for (const start of [create, capture]) {
      expect((await refusalOf(start(person))).details.fields).toEqual({
        lead_type: 'is required.',
      });
      expect(start({ ...person, lead_type: 'consultant' })().fields.lead_type).toBe('consultant');
    }
  });
});

test('a hidden field that is required on edit can be emptied only while it is hidden', () => {
  const showWhen = { field: 'course', equals: ['mba'] };
  const of = withFields(customField('hidden', 'text', { requiredOnEdit: true, showWhen }));
  const empty = (course: string) => () => {
    const issues = new FieldIssues();
    requireOnEdit(of, { ...person, hidden: 'filled', course }, { hidden: null }, issues);
    issues.throwIfAny();
  };

  expect(empty('design')).not.toThrow();
  expect(empty('mba')).toThrow('hidden cannot be emptied.');
});

test('the first of several problems of a field is reported', async () => {
  const issues = new FieldIssues();
  issues.add('city', 'required', 'is required.');
  issues.add('city', 'too_long', 'is too long.');
  const { details } = await refusalOf(() => issues.throwIfAny());
  expect(details.fields).toEqual({ city: 'is required.' });
});
