// Made by `npm run openapi` from the endpoints and their schemas: change those.

import type {
  CaptureRequest,
  CaptureResponse,
  CreateLeadRequest,
  LeadFieldList,
  LeadFilter,
  LeadPage,
  LeadResponse,
  NamedRefList,
  NewNote,
  NoteResponse,
  PipelineList,
  StageList,
  UpdateLeadRequest,
} from './api-types.ts';

/** The errors of every endpoint. */
export type CommonError =
  | 'KEY_IN_URL'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'HTTPS_REQUIRED'
  | 'RATE_LIMITED'
  | 'INTERNAL';

/** What each endpoint takes and returns, and the errors that it can answer with. */
export interface Operations {
  'list-leads': {
    query: {
      /** The maximum number of leads in a page. */
      readonly limit?: number | undefined;
      /** The `nextCursor` of the previous page. */
      readonly cursor?: number | undefined;
      /** Only leads changed at or after this time, with an offset or `Z`. Write `+` as `%2B`. */
      readonly updated_since?: string | undefined;
      /** Only leads in this stage. */
      readonly stage_id?: number | undefined;
      /** Only leads in this pipeline. */
      readonly pipeline_id?: number | undefined;
      /** Only leads from this source. */
      readonly source_id?: number | undefined;
      /** Only leads owned by this user. */
      readonly owner_id?: number | undefined;
      /** A JSON array of field filters, percent-encoded: at most 8000 characters and 10 filters, all of which must match. */
      readonly filter?: readonly LeadFilter[] | undefined;
    };
    body: undefined;
    response: LeadPage;
    errors: CommonError | 'INVALID_QUERY';
  };
  'create-lead': {
    query: undefined;
    body: CreateLeadRequest;
    response: LeadResponse;
    errors:
      | CommonError
      | 'INVALID_JSON'
      | 'DUPLICATE_LEAD'
      | 'PAYLOAD_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'VALIDATION_FAILED';
  };
  'capture-lead': {
    query: undefined;
    body: CaptureRequest;
    response: CaptureResponse;
    errors:
      | CommonError
      | 'INVALID_JSON'
      | 'INVALID_IDEMPOTENCY_KEY'
      | 'IDEMPOTENCY_IN_PROGRESS'
      | 'PAYLOAD_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'VALIDATION_FAILED'
      | 'NOT_READY';
  };
  'get-lead': {
    query: undefined;
    body: undefined;
    response: LeadResponse;
    errors: CommonError | 'NOT_FOUND';
  };
  'update-lead': {
    query: undefined;
    body: UpdateLeadRequest;
    response: LeadResponse;
    errors:
      | CommonError
      | 'INVALID_JSON'
      | 'NOT_FOUND'
      | 'DUPLICATE_LEAD'
      | 'PAYLOAD_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'VALIDATION_FAILED';
  };
  'add-note': {
    query: undefined;
    body: NewNote;
    response: NoteResponse;
    errors:
      | CommonError
      | 'INVALID_JSON'
      | 'NOT_FOUND'
      | 'PAYLOAD_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'VALIDATION_FAILED';
  };
  'list-lead-fields': {
    query: undefined;
    body: undefined;
    response: LeadFieldList;
    errors: CommonError;
  };
  'list-lead-stages': {
    query: undefined;
    body: undefined;
    response: StageList;
    errors: CommonError;
  };
  'list-pipelines': {
    query: undefined;
    body: undefined;
    response: PipelineList;
    errors: CommonError;
  };
  'list-lead-sources': {
    query: undefined;
    body: undefined;
    response: NamedRefList;
    errors: CommonError;
  };
  'list-users': {
    query: undefined;
    body: undefined;
    response: NamedRefList;
    errors: CommonError;
  };
}

export type OperationName = keyof Operations;

/** The address of each endpoint below the base address. */
export const routes = {
  'list-leads': { method: 'GET', path: '/api/v1/leads' },
  'create-lead': { method: 'POST', path: '/api/v1/leads' },
  'capture-lead': { method: 'POST', path: '/api/v1/leads/capture' },
  'get-lead': { method: 'GET', path: '/api/v1/leads/{leadId}' },
  'update-lead': { method: 'PATCH', path: '/api/v1/leads/{leadId}' },
  'add-note': { method: 'POST', path: '/api/v1/leads/{leadId}/notes' },
  'list-lead-fields': { method: 'GET', path: '/api/v1/lead-fields' },
  'list-lead-stages': { method: 'GET', path: '/api/v1/lead-stages' },
  'list-pipelines': { method: 'GET', path: '/api/v1/pipelines' },
  'list-lead-sources': { method: 'GET', path: '/api/v1/lead-sources' },
  'list-users': { method: 'GET', path: '/api/v1/users' },
} as const satisfies Record<OperationName, object>;
