import { expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import { FieldIssues } from '../../../shared/leads/fields.ts';
import type { FieldValues } from '../../../shared/leads/lead.ts';
import { newLeadId, startCapturedLead, startLead } from '../../../shared/leads/new-lead.ts';
import { sampleOrganization, sampleSettings } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const organization = sampleOrganization();
const idle = sampleOrganization({
  users: sampleSettings.users.map((user) => ({ ...user, active: false })),
});
const asha = { name: 'Asha', phone: '+919876543210' };
const everyone = { rule: 'everyone', userIds: [7, 8] };

test.each<[FieldValues, object, typeof everyone | undefined, typeof organization?]>([
  [{}, {}, everyone],
  [{ assigned_to: 8 }, {}, undefined],
  [{ assigned_to: 8 }, {}, undefined, idle],
  [{}, { mayLackOwner: true }, undefined],
  [{}, { mayLackOwner: true }, undefined, idle],
])(
  'a new lead with %j and %j gets an owner from %j',
  (fields, more, rotation, of = organization) => {
    const submitted = { ...asha, ...fields };
    const [stage] = of.stages;
    const start = startLead(of, { submitted, stage, ...more }, new FieldIssues());
    expect(start).toEqual({ fields: { ...submitted, lead_type: 'student' }, stage, rotation });
  },
);

test('a new lead without an owner and without an active user is refused', async () => {
  const start = (stage = idle.stages[0]) =>
    startLead(idle, { submitted: asha, stage }, new FieldIssues());
  const { details } = await refusalOf(() => start());
  expect(details).toMatchObject({
    fields: { assigned_to: 'is required: the organization has no active user to own new leads.' },
    reasons: { assigned_to: 'no_active_owner' },
  });
});

test('a new lead whose stage is refused has that issue, and otherwise a stage must not be missing', async () => {
  const issues = new FieldIssues();
  issues.add('stageId', 'stage_not_found', 'is none.');
  const start = (found: FieldIssues) => () =>
    startLead(idle, { submitted: asha, stage: undefined }, found);

  expect((await refusalOf(start(issues))).details.reasons).toEqual({ stageId: 'stage_not_found' });
  expect(start(new FieldIssues())).toThrow('A lead without a stage passed the rules.');
});

const closed = {
  ...organization,
  stages: organization.stages.filter(({ isDefault }) => !isDefault),
};
test.each<[typeof organization, number | undefined, string]>([
  [closed, undefined, 'The organization has no stage for new leads.'],
  [closed, 2, 'Pipeline 2 has no stage for new leads.'],
  [idle, undefined, 'The organization has no active user to own new leads.'],
])('a capture of a new lead is NOT_READY: $2', async (of, pipelineId, sentence) => {
  const { code, message } = await refusalOf(() => startCapturedLead(of, asha, pipelineId));
  expect([code, message]).toEqual(['NOT_READY', expect.stringContaining(sentence)]);
});

test.each([
  [undefined, 11],
  [2, 21],
])(
  'a captured lead with the pipeline %s starts at stage %i, with an owner of the rules',
  (pipelineId, id) =>
    expect(startCapturedLead(organization, asha, pipelineId)).toMatchObject({
      fields: { ...asha, lead_type: 'student' },
      stage: { id },
      rotation: everyone,
    }),
);

test('a new lead that is too large is refused, created or captured', async () => {
  const submitted = { ...asha, remarks: 'x'.repeat(limits.leadMaxBytes) };
  const [stage] = organization.stages;
  for (const start of [
    () => startLead(organization, { submitted, stage }, new FieldIssues()),
    () => startCapturedLead(organization, submitted, undefined),
  ])
    expect((await refusalOf(start)).details.reasons).toEqual({ remarks: 'too_long' });
});

test('the last lead ID is given out, and none after it', () => {
  expect(newLeadId(1, limits.idMax)).toBe(limits.idMax);
  expect(() => newLeadId(1, limits.idMax + 1)).toThrow(
    expect.objectContaining({
      name: 'LeadIdsExhaustedError',
      message: 'Organization 1 has no lead IDs left.',
    }),
  );
});
