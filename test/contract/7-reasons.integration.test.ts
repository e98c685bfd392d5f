import { beforeAll, describe, expect, test } from 'vitest';
import type { FieldReason } from '../../shared/contract/types.ts';
import type { CallReply } from '../support/call.ts';
import { changeSettings, givenLead } from '../support/leads.ts';
import { givenOrganization, useOrganization } from '../support/organizations.ts';
import { person } from '../support/people.ts';
import { sampleSettings } from '../support/settings.ts';

const closedStages = [
  { id: 31, name: 'In', slug: 'in', order: 1, meaning: 'open', isDefault: true, active: false },
  { id: 32, name: 'Out', slug: 'out', order: 2, meaning: 'won' },
];
const organization = useOrganization({
  pipelines: [
    ...sampleSettings.pipelines,
    { id: 3, name: 'Closed', order: 3, stages: closedStages },
  ],
});
let leadId: number;
beforeAll(async () => {
  leadId = (await givenLead(organization)).id;
});

/** A request, and the field or the property for which it is refused. */
type Refused = readonly [send: () => Promise<CallReply>, name: string];
const capture = (body: object, name: string): Refused => [
  () => organization.capture({ ...person(), ...body }),
  name,
];
const create = (fields: object, name: string, place: object = {}): Refused => [
  () => organization.create({ fields: { ...person(), ...fields }, ...place }),
  name,
];
const update = (body: object, name: string): Refused => [
  () => organization.update(leadId, body),
  name,
];
const note = (body: object, name: string): Refused => [() => organization.note(leadId, body), name];
/** Of each endpoint that takes fields. */
const each = (fields: object, name: string): Refused[] => [
  capture({ fields }, name),
  create(fields, name),
  update({ fields }, name),
];
/** Of both that take a stage. */
const both = (place: object, name: string): Refused[] => [
  create({}, name, place),
  update(place, name),
];

/** The compiler refuses this table if a reason has no request. */
const requests = {
  required: [
    capture({ name: ' ' }, 'name'),
    capture({ phone: undefined }, 'phone'),
    create({ name: null }, 'name'),
    update({ fields: { phone: '' } }, 'phone'),
    note({}, 'text'),
  ],
  wrong_type: [
    capture({ email: 5 }, 'email'),
    note({ text: 5 }, 'text'),
    ...each({ city: 5 }, 'city'),
    ...each({ interests: 5 }, 'interests'),
    ...each({ course: {} }, 'course'),
  ],
  too_short: [capture({ phone: '12345' }, 'phone')],
  too_long: [
    capture({ notes: 'x'.repeat(5001) }, 'notes'),
    capture({ attribution: { utmTerm: 'x'.repeat(201) } }, 'attribution.utmTerm'),
    note({ text: 'x'.repeat(5001) }, 'text'),
  ],
  invalid_characters: [note({ text: 'a\0' }, 'text'), ...each({ city: '\ud800' }, 'city')],
  invalid_phone: [
    capture({ phone: 'call me' }, 'phone'),
    ...each({ guardian_phone: '1' }, 'guardian_phone'),
  ],
  invalid_email: [
    capture({ email: 'asha' }, 'email'),
    ...each({ work_email: 'asha' }, 'work_email'),
  ],
  invalid_url: each({ portfolio: 'example.com' }, 'portfolio'),
  invalid_number: each({ budget: 'much' }, 'budget'),
  invalid_date: each({ start_on: '2026-02-30' }, 'start_on'),
  invalid_checkbox: each({ wants_call: 'perhaps' }, 'wants_call'),
  invalid_id: [
    capture({ pipelineId: 0 }, 'pipelineId'),
    ...both({ pipelineId: 1.5 }, 'pipelineId'),
    ...both({ stageId: '11' }, 'stageId'),
  ],
  out_of_range: each({ budget: 2 ** 53 }, 'budget'),
  unknown_option: [
    ...each({ course: 'law' }, 'course'),
    ...each({ interests: ['x'] }, 'interests'),
  ],
  unknown_field: [...each({ town: 'Pune' }, 'town'), ...each({ old_notes: 'x' }, 'old_notes')],
  unknown_property: [
    capture({ nmae: 'x' }, 'nmae'),
    capture({ attribution: { gclid: 'x' } }, 'attribution.gclid'),
    note({ text: 'x', by: 'x' }, 'by'),
    ...both({ nmae: 'x' }, 'nmae'),
  ],
  not_accepted: ['name', 'phone', 'email', 'source', 'assigned_to'].map((key) =>
    capture({ fields: { [key]: 'x' } }, key),
  ),
  idempotency_key_reused: [
    [
      async () => {
        await organization.capture({ ...person(), externalId: 'used' });
        return organization.capture({ ...person(), externalId: 'used' });
      },
      'externalId',
    ],
  ],
  pipeline_not_found: [
    capture({ pipelineId: 99 }, 'pipelineId'),
    ...both({ pipelineId: 99 }, 'pipelineId'),
  ],
  stage_not_found: both({ stageId: 99 }, 'stageId'),
  stage_not_active: both({ stageId: 31 }, 'stageId'),
  stage_not_in_pipeline: both({ stageId: 32, pipelineId: 2 }, 'stageId'),
  no_starting_stage: both({ pipelineId: 3 }, 'pipelineId'),
  source_not_found: [
    create({ source: 99 }, 'source'),
    ...each({ second_source: 99 }, 'second_source'),
  ],
  source_not_active: [
    create({ source: 4 }, 'source'),
    ...each({ second_source: 4 }, 'second_source'),
  ],
  owner_not_found: [
    create({ assigned_to: 99 }, 'assigned_to'),
    update({ fields: { assigned_to: 99 } }, 'assigned_to'),
  ],
  owner_not_active: [
    create({ assigned_to: 9 }, 'assigned_to'),
    update({ fields: { assigned_to: 9 } }, 'assigned_to'),
  ],
  user_not_found: each({ mentor: 99 }, 'mentor'),
  user_not_active: each({ mentor: 9 }, 'mentor'),
  no_active_owner: [
    [
      async () => {
        const own = await givenOrganization();
        const users = sampleSettings.users.map((user) => ({ ...user, active: false }));
        await changeSettings(own, { users });
        return own.create({ fields: person() });
      },
      'assigned_to',
    ],
  ],
} satisfies Record<FieldReason, readonly Refused[]>;

describe('7 VALIDATION_FAILED: details.reasons has one for each refused field or property', () => {
  test.each(Object.entries<readonly Refused[]>(requests))(
    'the reason %s is that of each request that it describes',
    async (reason, refused) => {
      for (const [send, name] of refused) {
        const { status, body } = await send();
        const { code, details } = body.error;
        expect([status, code, details.reasons]).toEqual([
          422,
          'VALIDATION_FAILED',
          { [name]: reason },
        ]);
        expect(Object.keys(details.fields)).toEqual([name]);
        // Only an unknown field needs the list of the others.
        expect('validKeys' in details).toBe(reason === 'unknown_field');
      }
    },
  );
});
