import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, type ErrorBody, errorBody } from '../../shared/contract/errors.ts';
import { activeFields, FieldIssues, readFields } from '../../shared/leads/fields.ts';
import { type Lead, presentLead } from '../../shared/leads/lead.ts';
import { placeLead } from '../../shared/leads/placement.ts';
import { organizationFrom } from '../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';

/** Examples that several endpoints share. They use the demo organization that `npm start` serves. */

const demoFile = join(import.meta.dirname, '..', 'local', 'demo-organization.json');
export const demo = organizationFrom(parseSettingsFile(readFileSync(demoFile, 'utf8')).settings, 1);

export const createdLead: Lead = {
  id: 4211,
  organizationId: demo.id,
  version: 1,
  fields: {
    name: 'Ananya Kulkarni',
    phone: '+919822012345',
    email: 'ananya@example.com',
    lead_type: 'student',
    source: 3,
    assigned_to: 1,
    course: 'mba',
    work_experience: 4,
    countries: ['ca', 'de'],
  },
  stageId: 11,
  pipelineId: 1,
  createdAt: '2026-11-02T09:15:30.120Z',
  updatedAt: '2026-11-02T09:15:30.120Z',
};
export const updatedLead: Lead = {
  ...createdLead,
  fields: { ...createdLead.fields, intake: '2027-08-01' },
  stageId: 12,
  updatedAt: '2026-11-03T11:40:02.518Z',
};
export const leadBody = (lead: Lead) => ({ lead: presentLead(demo, lead) });

/** The error body of a rule that refuses, so that the example equals the real response. */
export function refusedBy(rule: () => unknown): ErrorBody {
  try {
    rule();
  } catch (error) {
    if (error instanceof ApiError) return errorBody(error.code, error.message, error.details);
    throw error;
  }
  throw new Error('The rule of an error example refuses nothing.');
}

/** The error body of a rule that collects issues. */
export const refusedWith = (rule: (issues: FieldIssues) => unknown): ErrorBody =>
  refusedBy(() => {
    const issues = new FieldIssues();
    rule(issues);
    issues.throwIfAny();
  });

export const invalidField = refusedWith((issues) =>
  readFields(demo, { phone: '12345' }, activeFields(demo), issues),
);
export const refusedStage = refusedWith((issues) =>
  placeLead(demo, { stageId: 21, pipelineId: 1 }, issues),
);
export const duplicateLead = errorBody('DUPLICATE_LEAD', undefined, {
  leadId: createdLead.id,
  field: 'phone',
});
export const noSuchLead = errorBody('NOT_FOUND', 'There is no such lead in the organization.');

/** The end of a sentence about `fields`. */
export const fieldKeys =
  'by field key. An unknown key is refused, and the error lists the valid keys.';
