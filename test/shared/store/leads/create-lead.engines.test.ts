import { expect, test } from 'vitest';
import { limits } from '../../../../shared/contract/limits.ts';
import { setOrganizationBucket } from '../../../support/buckets.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';

test('an organization without lead IDs refuses only new leads', async () => {
  const organization = await givenOrganization();
  const { create, capture } = organization;
  const known = person();
  await capture(known, 'enquiry');
  await setOrganizationBucket(organization.id, { lastLeadId: limits.idMax - 1 });

  expect((await givenLead(organization)).id).toBe(limits.idMax);

  const answers = [
    await create({ fields: person() }),
    await capture(person()),
    await capture(known, 'enquiry'),
    await capture({ ...known, fields: { city: 'Pune' } }),
    await create({ fields: known }),
    await create({ fields: { name: 'No phone' } }),
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
