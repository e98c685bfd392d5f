// Made by `npm run client` from the endpoints and their schemas: change those.

import type {
  CaptureResult,
  FieldValue,
  Lead,
  LeadField,
  LeadFilter,
  NamedRef,
  Note,
  Pipeline,
  Stage,
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
    response: {
      readonly items: readonly Lead[];
      /** Send it as `cursor` to get the next page. It is null on the last page. */
      readonly nextCursor: number | null;
    };
    errors: CommonError | 'INVALID_QUERY';
  };
  'create-lead': {
    query: undefined;
    body: {
      /** Values by field key. An unknown key is refused, and the error lists the valid keys. The value of `source` is a source ID, that of `assigned_to` a user ID. Without an owner, the organization's assignment rules choose one. */
      readonly fields: { readonly [key: string]: FieldValue };
      /** Default: the starting stage of the lead's pipeline. A stage determines the pipeline. */
      readonly stageId?: number | undefined;
      /** Default: the organization's default pipeline. With `stageId`, the stage must belong to this pipeline. */
      readonly pipelineId?: number | undefined;
    };
    response: {
      readonly lead: Lead;
    };
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
    body: {
      /** The person's name. */
      readonly name: string;
      /** With country code. A number without one is read as an Indian number. Used with the email to find an existing lead. */
      readonly phone: string;
      /** Used to find an existing lead when the phone matches none. */
      readonly email?: string | undefined;
      /** The name of one of the organization's active sources, ignoring case. Default, and for any other name: `Website`. */
      readonly source?: string | undefined;
      /** For a new lead only: the pipeline it starts in. Default: the organization's default pipeline. */
      readonly pipelineId?: number | undefined;
      /** Shown on the lead's timeline with this enquiry. */
      readonly notes?: string | undefined;
      /** Values by field key. An unknown key is refused, and the error lists the valid keys. A dropdown's value is an option's value or label. Numbers, dates (`YYYY-MM-DD`) and yes/no values are parsed. */
      readonly fields?: { readonly [key: string]: FieldValue } | undefined;
      /** Where the enquiry came from, shown on the lead's timeline. */
      readonly attribution?:
        | {
            /** Full address of the page with its query string. */
            readonly pageUrl?: string | undefined;
            /** Title of the page. */
            readonly pageTitle?: string | undefined;
            /** The page that the visitor came from. */
            readonly referrer?: string | undefined;
            /** The `utm_source` of the visit. */
            readonly utmSource?: string | undefined;
            /** The `utm_medium` of the visit. */
            readonly utmMedium?: string | undefined;
            /** The `utm_campaign` of the visit. */
            readonly utmCampaign?: string | undefined;
            /** The `utm_term` of the visit. */
            readonly utmTerm?: string | undefined;
            /** The `utm_content` of the visit. */
            readonly utmContent?: string | undefined;
            /** The form or button on the site. */
            readonly formName?: string | undefined;
          }
        | undefined;
      /** The website's own ID of the enquiry. It has the same effect as `Idempotency-Key`, per API key. */
      readonly externalId?: string | undefined;
    };
    response: {
      readonly lead: CaptureResult;
    };
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
    response: {
      readonly lead: Lead;
    };
    errors: CommonError | 'NOT_FOUND';
  };
  'update-lead': {
    query: undefined;
    body: {
      /** Only the fields to change, by field key. An unknown key is refused, and the error lists the valid keys. null clears a field. */
      readonly fields?: { readonly [key: string]: FieldValue } | undefined;
      /** A stage of another pipeline moves the lead into that pipeline. */
      readonly stageId?: number | undefined;
      /** Moves the lead to this pipeline, at `stageId` (one of its stages) or at its starting stage. */
      readonly pipelineId?: number | undefined;
    };
    response: {
      readonly lead: Lead;
    };
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
    body: {
      /** The note. */
      readonly text: string;
    };
    response: {
      readonly note: Note;
    };
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
    response: {
      readonly items: readonly LeadField[];
    };
    errors: CommonError;
  };
  'list-lead-stages': {
    query: undefined;
    body: undefined;
    response: {
      readonly items: readonly Stage[];
    };
    errors: CommonError;
  };
  'list-pipelines': {
    query: undefined;
    body: undefined;
    response: {
      readonly items: readonly Pipeline[];
    };
    errors: CommonError;
  };
  'list-lead-sources': {
    query: undefined;
    body: undefined;
    response: {
      readonly items: readonly NamedRef[];
    };
    errors: CommonError;
  };
  'list-users': {
    query: undefined;
    body: undefined;
    response: {
      readonly items: readonly NamedRef[];
    };
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
