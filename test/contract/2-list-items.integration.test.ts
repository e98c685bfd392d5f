import { describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { givenLead } from '../support/leads.ts';
import { givenOrganization, useOrganization } from '../support/organizations.ts';
import { customField } from '../support/settings.ts';

const organization = useOrganization();

describe('2 list items: exactly the properties of their resource', () => {
  const showWhen = { field: 'course', equals: ['mba'] };

  test.each([
    ['StageRef', 'list-leads', 'stage', { id: 11, name: 'New', meaning: 'open' }],
    ['NamedRef of a pipeline', 'list-leads', 'pipeline', { id: 1, name: 'Admissions' }],
    ['NamedRef of an owner', 'list-leads', 'owner', { id: 7, name: 'Asha Rao' }],
  ] as const)('a %s has exactly its properties', async (_, name, property, expected) => {
    await givenLead(organization, { fields: { assigned_to: 7 }, pipelineId: 1 });

    const { body } = await call(name, { apiKey: organization.reader, query: { limit: 1 } });

    expect(body.items[0][property]).toEqual(expected);
  });

  test.each([
    [
      'Stage',
      'list-lead-stages',
      {
        id: 11,
        name: 'New',
        slug: 'new',
        order: 1,
        meaning: 'open',
        isDefault: true,
        pipelineId: 1,
      },
    ],
    ['Pipeline', 'list-pipelines', { id: 1, name: 'Admissions', order: 1, isDefault: true }],
    ['NamedRef of a source', 'list-lead-sources', { id: 3, name: 'Facebook Ads' }],
    ['NamedRef of a person', 'list-users', { id: 7, name: 'Asha Rao' }],
  ] as const)('a %s in its list has exactly its properties', async (_, name, expected) => {
    const { body } = await call(name, { apiKey: organization.reader });

    expect(body.items[0]).toEqual(expected);
  });

  test('a LeadField of a select with a condition, and one without, has exactly its properties', async () => {
    const own = await givenOrganization({
      fields: [
        customField('course', 'select', { options: [{ value: 'mba', label: 'MBA' }] }),
        customField('exam', 'date', {
          showWhen,
          requiredOnCreate: true,
          requiredOnEdit: true,
          label: 'Exam on',
        }),
      ],
    });

    const { body } = await call('list-lead-fields', { apiKey: own.website });

    const common = { section: 'Interest', storage: 'custom' };
    expect(body.items.slice(-2)).toEqual([
      {
        ...common,
        key: 'course',
        label: 'course',
        type: 'select',
        options: [{ value: 'mba', label: 'MBA' }],
        requiredOnCreate: false,
        requiredOnEdit: false,
        showWhen: null,
      },
      {
        ...common,
        key: 'exam',
        label: 'Exam on',
        type: 'date',
        options: [],
        requiredOnCreate: true,
        requiredOnEdit: true,
        showWhen,
      },
    ]);
  });

  test('a LeadField of a built-in field has storage column and the type that the contract names', async () => {
    const { body } = await call('list-lead-fields', { apiKey: organization.reader });

    const builtIn = body.items.filter(({ storage }: { storage: string }) => storage === 'column');
    expect(builtIn.map(({ key, type }: { key: string; type: string }) => [key, type])).toEqual([
      ['name', 'text'],
      ['phone', 'phone'],
      ['email', 'email'],
      ['source', 'lead_source'],
      ['assigned_to', 'user'],
      ['lead_type', 'select'],
    ]);
  });
});
