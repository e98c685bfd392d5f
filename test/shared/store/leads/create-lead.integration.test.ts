import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { limits } from '../../../../shared/limits.ts';
import { usagePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { call } from '../../../support/call.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';

test('an organization whose lead ids are given out refuses new leads alone', async () => {
  const organization = await givenOrganization();
  const { id, writer, website } = organization;
  const known = person();
  const enquiry = { apiKey: website, body: known, headers: { 'Idempotency-Key': 'enquiry' } };
  await call('capture-lead', enquiry);
  await table().client.send(
    new UpdateCommand({
      TableName: table().name,
      Key: { ...usagePrimaryKey(id) },
      UpdateExpression: 'SET lastLeadId = :last',
      ExpressionAttributeValues: { ':last': limits.idMax - 1 },
    }),
  );

  expect((await givenLead(organization)).id).toBe(limits.idMax);

  const create = (fields: object) => call('create-lead', { apiKey: writer, body: { fields } });
  const capture = (body: object) => call('capture-lead', { apiKey: website, body });
  const answers = [
    await create(person()),
    await capture(person()),
    await call('capture-lead', enquiry),
    await capture({ ...known, fields: { city: 'Pune' } }),
    await create(known),
    await create({ name: 'No phone' }),
    await capture({ ...person(), fields: { nope: 1 } }),
  ];
  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [500, 'INTERNAL'],
    [500, 'INTERNAL'],
    [201, undefined],
    [200, undefined],
    [409, 'DUPLICATE_LEAD'],
    [422, 'VALIDATION_FAILED'],
    [422, 'VALIDATION_FAILED'],
  ]);
});
