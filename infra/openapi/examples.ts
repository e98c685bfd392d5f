import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointName } from '../../shared/endpoints.ts';
import { type ErrorBody, type ErrorCode, type ErrorDetails, errorBody } from '../../shared/errors.ts';
import { activeFields } from '../../shared/leads/fields.ts';
import { type Lead, presentLead } from '../../shared/leads/lead.ts';
import { presentField, presentNamed, presentPipeline, presentStage } from '../../shared/leads/reference-lists.ts';
import { organizationFrom } from '../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';

/** An example of each request and answer: of the demo organization that `npm start` serves, in the shape the service itself presents. */

const demoFile = join(import.meta.dirname, '..', 'local', 'demo-organization.json');
const demo = organizationFrom(parseSettingsFile(readFileSync(demoFile, 'utf8')).settings, 1);

const created: Lead = {
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
const updated: Lead = {
  ...created,
  fields: { ...created.fields, intake: '2027-08-01' },
  stageId: 12,
  updatedAt: '2026-11-03T11:40:02.518Z',
};

/** Enough of a reference list to see its shape. */
const itemsShown = 3;
const some = <Item>(items: readonly Item[]): { items: Item[] } => ({ items: items.slice(0, itemsShown) });

const lead = (one: Lead) => ({ lead: presentLead(demo, one) });
const captured = (id: number, more: object) => ({ lead: { id, created: false, updated: false, ...more } });
const note = { text: 'Called back: prefers the evening.' };

interface EndpointExamples {
  readonly request?: Readonly<Record<string, unknown>>;
  /** By status, then by name. */
  readonly answers: Readonly<Record<number, Readonly<Record<string, unknown>>>>;
}

export const examples: Readonly<Record<EndpointName, EndpointExamples>> = {
  'list-leads': { answers: { 200: { 'last page': { items: [presentLead(demo, updated)], nextCursor: null } } } },
  'create-lead': {
    request: {
      'a student': {
        fields: {
          name: 'Ananya Kulkarni',
          phone: '+91 98220 12345',
          email: 'ananya@example.com',
          source: 3,
          course: 'mba',
          work_experience: 4,
          countries: ['ca', 'de'],
        },
      },
      'in a stage': { fields: { name: 'Rohan Joshi', phone: '+91 98220 54321' }, stageId: 21 },
    },
    answers: { 201: { created: lead(created) } },
  },
  'capture-lead': {
    request: {
      'an enquiry': {
        name: 'Ananya Kulkarni',
        phone: '098220 12345',
        email: 'ananya@example.com',
        source: 'Instagram',
        notes: 'Which intakes are open?',
        fields: { course: 'MBA', work_experience: 4 },
        attribution: {
          pageUrl: 'https://www.example.com/mba?utm_source=instagram',
          pageTitle: 'MBA abroad',
          utmSource: 'instagram',
          formName: 'Enquire now',
        },
        externalId: 'form-7-000183',
      },
    },
    answers: {
      200: {
        'filled in': captured(created.id, { updated: true }),
        'nothing to fill': captured(created.id, {}),
        archived: captured(3120, { archived: true }),
      },
      201: { 'a new lead': captured(created.id, { created: true }) },
    },
  },
  'get-lead': { answers: { 200: { 'a lead': lead(created) } } },
  'update-lead': {
    request: { 'move and set': { stageId: 12, fields: { intake: '2027-08-01' } }, clear: { fields: { email: null } } },
    answers: { 200: { changed: lead(updated) } },
  },
  'add-note': {
    request: { note },
    answers: { 201: { added: { note: { leadId: created.id, ...note, createdAt: '2026-11-03T11:41:20.259Z' } } } },
  },
  'list-lead-fields': { answers: { 200: { 'some fields': { items: ['phone', 'course', 'work_experience'].map(fieldNamed) } } } },
  'list-lead-stages': { answers: { 200: { 'some stages': some(demo.stages.map(presentStage)) } } },
  'list-pipelines': { answers: { 200: { pipelines: some(demo.pipelines.map(presentPipeline)) } } },
  'list-lead-sources': { answers: { 200: { 'some sources': some(presentNamed(demo.sources)) } } },
  'list-users': { answers: { 200: { 'some people': some(presentNamed(demo.users)) } } },
};

function fieldNamed(key: string) {
  const field = activeFields(demo).find((one) => one.key === key);
  if (!field) throw new Error(`The demo organization has no active field ${key}, which the API description shows.`);
  return presentField(field);
}

type ErrorExamples = Readonly<Record<string, ErrorBody>>;

const noSuchLead = 'There is no such lead in the organization.';
const fieldProblem = (code: ErrorCode, problems: Readonly<Record<string, string>>, more: ErrorDetails = {}): ErrorBody => {
  const sentences = Object.entries(problems).map(([name, problem]) => `${name} ${problem}`);
  return errorBody(code, sentences.join(' '), { fields: problems, ...more });
};
const invalidField = fieldProblem('VALIDATION_FAILED', {
  phone: 'must be a phone number with a country code; a number without one is read as an Indian number.',
});
const refusedStage = fieldProblem(
  'VALIDATION_FAILED',
  { stageId: 'belongs to pipeline 2, not to pipeline 1.' },
  { reason: 'STAGE_NOT_IN_PIPELINE', field: 'stageId' },
);
const duplicate = { duplicate: errorBody('DUPLICATE_LEAD', undefined, { leadId: created.id }) };

/** Errors that say more than the sentence of the error table, by endpoint and code. */
const ownErrorExamples: Readonly<Partial<Record<EndpointName, Partial<Record<ErrorCode, ErrorExamples>>>>> = {
  'list-leads': {
    INVALID_QUERY: {
      'a parameter': errorBody('INVALID_QUERY', 'limit takes an integer from 1 to 100.', {
        parameters: { limit: 'takes an integer from 1 to 100.' },
      }),
      'a filter': errorBody('INVALID_QUERY', 'filter[0] does not name an active field (did you mean city?).', {
        filters: [0],
        problems: ['filter[0] does not name an active field (did you mean city?).'],
      }),
    },
  },
  'create-lead': {
    DUPLICATE_LEAD: duplicate,
    VALIDATION_FAILED: { 'a field': invalidField, 'a stage': refusedStage },
  },
  'capture-lead': {
    VALIDATION_FAILED: {
      'an unknown field': fieldProblem(
        'VALIDATION_FAILED',
        { corse: 'is not an active field; did you mean course?' },
        { validKeys: ['city', 'course', 'work_experience', 'countries', 'intake'] },
      ),
      'another body': fieldProblem('VALIDATION_FAILED', {
        'Idempotency-Key': 'was used with a different body within the last 24 hours.',
      }),
    },
    NOT_READY: { 'no stage': errorBody('NOT_READY', 'The organization has no stage for new leads.') },
  },
  'get-lead': {
    NOT_FOUND: { 'no lead': errorBody('NOT_FOUND', 'There is no such lead in the organization, or it is archived.') },
  },
  'update-lead': {
    NOT_FOUND: { 'no lead': errorBody('NOT_FOUND', noSuchLead) },
    DUPLICATE_LEAD: duplicate,
    VALIDATION_FAILED: {
      'an emptied field': fieldProblem('VALIDATION_FAILED', { name: 'cannot be emptied.' }),
      'a stage': refusedStage,
    },
  },
  'add-note': {
    NOT_FOUND: { 'no lead': errorBody('NOT_FOUND', noSuchLead) },
    VALIDATION_FAILED: { 'too short': fieldProblem('VALIDATION_FAILED', { text: 'takes 1 to 5000 characters.' }) },
  },
};

/** Examples of an endpoint's error, by name; the code is the name where one says it all. */
export function errorExamples(name: EndpointName, code: ErrorCode): ErrorExamples {
  return ownErrorExamples[name]?.[code] ?? { [code]: errorBody(code) };
}
