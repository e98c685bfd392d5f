import { beforeAll } from 'vitest';
import { call } from '../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';

const stage = (id: number, meaning: string, more: object = {}) => ({
  id,
  name: `Stage ${id}`,
  slug: `s${id}`,
  order: id,
  meaning,
  ...more,
});

/** Two pipelines of three stages, each with one that is no longer active, and a third pipeline where nothing can start. */
export const pipelines = [
  {
    id: 1,
    name: 'One',
    order: 1,
    isDefault: true,
    stages: [
      stage(12, 'won'),
      stage(11, 'open', { isDefault: true }),
      stage(13, 'lost', { active: false }),
    ],
  },
  {
    id: 2,
    name: 'Two',
    order: 2,
    stages: [
      stage(21, 'open', { isDefault: true }),
      stage(22, 'lost'),
      stage(23, 'open', { active: false }),
    ],
  },
  {
    id: 3,
    name: 'Closed',
    order: 3,
    stages: [stage(31, 'open', { isDefault: true, active: false }), stage(32, 'won')],
  },
];

export let organization: GivenOrganization;

/** Makes an organization with these pipelines for the tests of this file. */
export function useInactiveStages(): void {
  beforeAll(async () => {
    organization = await givenOrganization({ pipelines });
  });
}

export const create = (place: object, fields: object = {}) =>
  call('create-lead', {
    apiKey: organization.writer,
    body: { fields: { ...person(), ...fields }, ...place },
  });

export const update = (leadId: number, body: object) =>
  call('update-lead', { apiKey: organization.writer, leadId, body });
