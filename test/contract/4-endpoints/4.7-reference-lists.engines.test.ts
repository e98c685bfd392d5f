import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../../shared/contract/endpoints.ts';
import { settingsPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { call } from '../../support/call.ts';
import { changeSettings, givenLead } from '../../support/leads.ts';
import { givenOrganization, useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { goodRequests, referenceLists } from '../../support/requests.ts';
import { customField } from '../../support/settings.ts';
import { table } from '../../support/table.ts';

const stage = (id: number, order: number, more: object = {}) => ({
  id,
  name: `Stage ${id}`,
  slug: `s${id}`,
  order,
  meaning: 'open',
  ...more,
});
/** Everything in another order than the one it is to be answered in, and an inactive item in every list. */
const jumbled = {
  users: [
    { id: 1, name: 'meera' },
    { id: 2, name: 'Ünal' },
    { id: 3, name: 'Asha' },
    { id: 4, name: 'Gone', active: false },
    { id: 5, name: 'asha' },
  ],
  sources: [
    { id: 1, name: 'Website' },
    { id: 2, name: 'facebook' },
    { id: 3, name: 'Fair 10' },
    { id: 4, name: 'Fair 9' },
    { id: 5, name: 'Gone', active: false },
  ],
  pipelines: [
    {
      id: 1,
      name: 'Last',
      order: 9,
      stages: [stage(11, 2), stage(12, 1, { isDefault: true }), stage(13, 3, { active: false })],
    },
    {
      id: 2,
      name: 'First',
      order: -1,
      isDefault: true,
      stages: [stage(21, 5, { meaning: 'lost' }), stage(22, 4, { meaning: 'won' })],
    },
    { id: 3, name: 'Empty', order: 5, stages: [] },
  ],
  fields: [
    customField('zeta', 'text'),
    customField('email', 'email', { storage: 'column', label: 'Mail' }),
    customField('alpha', 'number'),
    customField('gone', 'text', { active: false }),
  ],
};

const organization = useOrganization(jumbled);
const items = async (name: EndpointName, property: string, own = organization) => {
  const { status, body } = await call(name, { apiKey: own.reader });
  expect([status, Object.keys(body)]).toEqual([200, ['items']]);
  return body.items.map((item: Record<string, unknown>) => item[property]);
};

describe('4.7 reference lists: active items, in the contract’s order', () => {
  test('lead-fields are in form order, with the built-in ones that the settings leave out first', async () => {
    const keys = ['name', 'phone', 'source', 'assigned_to', 'lead_type', 'zeta', 'email', 'alpha'];

    expect(await items('list-lead-fields', 'key')).toEqual(keys);
  });

  test('lead-stages are in pipeline order, each pipeline’s stages in order', async () => {
    expect(await items('list-lead-stages', 'id')).toEqual([22, 21, 12, 11]);
  });

  test('pipelines are in pipeline order', async () => {
    expect(await items('list-pipelines', 'id')).toEqual([2, 3, 1]);
  });

  test('lead-sources are sorted by name', async () => {
    expect(await items('list-lead-sources', 'name')).toEqual([
      'facebook',
      'Fair 9',
      'Fair 10',
      'Website',
    ]);
  });

  test('users are sorted by name', async () => {
    expect(await items('list-users', 'name')).toEqual(['Asha', 'asha', 'meera', 'Ünal']);
  });

  test('pipelines and stages have isDefault, and stages have a meaning', async () => {
    expect(await items('list-pipelines', 'isDefault')).toEqual([true, false, false]);
    expect(await items('list-lead-stages', 'isDefault')).toEqual([false, false, true, false]);
    expect(await items('list-lead-stages', 'meaning')).toEqual(['won', 'lost', 'open', 'open']);
  });
});

describe('4.7 reference lists: no parameters and no body', () => {
  test.each(referenceLists)('%s ignores parameters', async (name) => {
    const plain = await call(name, { apiKey: organization.reader });
    const asked = await call(name, { apiKey: organization.reader, query: 'limit=1&cursor=x' });

    expect([asked.status, asked.body]).toEqual([200, plain.body]);
  });

  test.each(referenceLists)(
    '%s of an organization without items is an empty list',
    async (name) => {
      const own = await givenOrganization({
        pipelines: [],
        sources: [],
        fields: [],
        users: [{ id: 7, name: 'Asha', active: false }],
      });

      const { status, body } = await call(name, { apiKey: own.reader });

      expect([status, body.items.length]).toEqual([200, name === 'list-lead-fields' ? 6 : 0]);
    },
  );
});

describe('4.7 a settings change takes effect on the very next request', () => {
  test('a new custom field appears at once, and create, update, capture and filter accept it', async () => {
    const own = await givenOrganization();
    const field = customField('passport', 'text');
    const send = { fields: { passport: 'Z1' } };
    const made = await own.create({ fields: person() });
    const leadId = made.body.lead.id;
    const filter = JSON.stringify([{ field: 'passport', operator: 'equals', value: 'z1' }]);
    const requests = [
      () => own.create({ fields: { ...person(), passport: 'Z1' } }),
      () => own.update(leadId, send),
      () => own.capture({ ...person(), ...send }),
      () => own.list({ filter }),
    ];
    const before = [];
    for (const request of requests) before.push((await request()).status);

    await changeSettings(own, { fields: [...own.settings.fields, field] });
    const listed = await items('list-lead-fields', 'key', own);
    const after = [];
    for (const request of requests) after.push((await request()).status);

    expect(before).toEqual([422, 422, 422, 400]);
    expect(listed.at(-1)).toBe('passport');
    expect(after).toEqual([201, 200, 201, 200]);
  });

  test('deactivated fields, stages, sources and users leave the lists and are refused', async () => {
    const own = await givenOrganization();
    const off = <T>(rows: readonly T[], isOff: (row: T) => boolean) =>
      rows.map((row) => (isOff(row) ? { ...row, active: false } : row));

    await changeSettings(own, {
      fields: off(own.settings.fields, ({ key }) => key === 'city'),
      sources: off(own.settings.sources, ({ id }) => id === 3),
      users: off(own.settings.users, ({ id }) => id === 8),
      pipelines: own.settings.pipelines.map((one) => ({
        ...one,
        stages: off(one.stages, ({ id }) => id === 12),
      })),
    });

    expect(await items('list-lead-fields', 'key', own)).not.toContain('city');
    expect(await items('list-lead-sources', 'id', own)).toEqual([1]);
    expect(await items('list-users', 'id', own)).toEqual([7]);
    expect(await items('list-lead-stages', 'id', own)).toEqual([11, 21]);
    const { body } = await own.create({
      fields: { ...person(), city: 'Pune', source: 3, assigned_to: 8 },
      stageId: 12,
    });
    expect(Object.keys(body.error.details.fields).sort()).toEqual([
      'assigned_to',
      'city',
      'source',
      'stageId',
    ]);
  });
});

test('every endpoint reads settings that an earlier release stored, without what is newer', async () => {
  const own = await givenOrganization();
  const { assignmentRules: _, ...others } = own.settings;
  const users = own.settings.users.map(({ id, name }) => ({ id, name }));
  const fields = own.settings.fields.map(({ showWhen, active, ...field }) => field);
  await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: { ...settingsPrimaryKey(own.id) },
      UpdateExpression: 'SET settings = :settings',
      ExpressionAttributeValues: { ':settings': { ...others, users, fields } },
    }),
  );
  const { id } = await givenLead(own);

  for (const { name, status, request } of goodRequests)
    expect(await call(name, { apiKey: own.writer, ...request(id) })).toMatchObject({ status });
});
