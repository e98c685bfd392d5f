/**
 * The contract's requests, responses and reasons as types, for the service and for the typed client. The client is a package without
 * dependencies, so these types are written here once. The compiler compares each of the service's schemas with its type (`schemaOf`).
 */

/** A field's value. Its type depends on the field's type. */
export type FieldValue = string | number | boolean | readonly string[] | null;

/** Values by field key. */
interface FieldValues {
  readonly [fieldKey: string]: FieldValue;
}

export interface CreateLeadRequest {
  /** The value of `source` is a source ID, that of `assigned_to` a user ID. Without an owner, the assignment rules choose one. */
  readonly fields: FieldValues;
  /** Default: the starting stage of the lead's pipeline. A stage determines the pipeline. */
  readonly stageId?: number | undefined;
  /** Default: the organization's default pipeline. With `stageId`, the stage must belong to this pipeline. */
  readonly pipelineId?: number | undefined;
}

interface CaptureAttribution {
  /** The page's full address with its query string. */
  readonly pageUrl?: string | undefined;
  readonly pageTitle?: string | undefined;
  readonly referrer?: string | undefined;
  readonly utmSource?: string | undefined;
  readonly utmMedium?: string | undefined;
  readonly utmCampaign?: string | undefined;
  readonly utmTerm?: string | undefined;
  readonly utmContent?: string | undefined;
  /** The form or button on the site. */
  readonly formName?: string | undefined;
}

/** An enquiry from a form. */
export interface CaptureRequest {
  readonly name: string;
  /** With country code. A number without one is read as an Indian number, and refused if India has no such number. */
  readonly phone: string;
  /** Finds an existing lead when the phone matches none. */
  readonly email?: string | undefined;
  /** The name of an active source. `Website` if omitted, or if no active source has the name. */
  readonly source?: string | undefined;
  /** For a new lead only. Default: the organization's default pipeline. */
  readonly pipelineId?: number | undefined;
  /** Shown on the lead's timeline with this enquiry. */
  readonly notes?: string | undefined;
  /** A dropdown's value is an option's value or label. Numbers, dates (`YYYY-MM-DD`) and yes/no values are parsed. */
  readonly fields?: FieldValues | undefined;
  readonly attribution?: CaptureAttribution | undefined;
  /** The website's own ID of the enquiry. It has the same effect as an idempotency key. */
  readonly externalId?: string | undefined;
}

export interface UpdateLeadRequest {
  /** Only the fields to change. null clears a field. */
  readonly fields?: FieldValues | undefined;
  /** A stage of another pipeline moves the lead into that pipeline. */
  readonly stageId?: number | undefined;
  /** Moves the lead to this pipeline, at `stageId` (one of its stages) or at its starting stage. */
  readonly pipelineId?: number | undefined;
}

export interface Lead {
  readonly id: number;
  readonly name: string;
  /** Unique per organization, in E.164 form. */
  readonly phone: string;
  /** Unique per organization, ignoring case. */
  readonly email: string | null;
  readonly leadType: 'student' | 'consultant';
  readonly stageId: number | null;
  /** The pipeline of the lead's stage. */
  readonly pipelineId: number;
  readonly sourceId: number | null;
  /** The owner's user ID. */
  readonly assignedTo: number | null;
  readonly stage: StageRef | null;
  readonly pipeline: NamedRef | null;
  readonly source: NamedRef | null;
  readonly owner: NamedRef | null;
  /** Every other active field by field key, custom fields included. Empty fields are omitted. */
  readonly fields: FieldValues;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NamedRef {
  readonly id: number;
  readonly name: string;
}

export interface StageRef extends NamedRef {
  readonly meaning: 'open' | 'won' | 'lost';
}

export interface Stage extends StageRef {
  readonly slug: string;
  /** Position within its pipeline. */
  readonly order: number;
  /** True when new leads of its pipeline start here. */
  readonly isDefault: boolean;
  /** The pipeline that the stage belongs to. */
  readonly pipelineId: number;
}

export interface Pipeline extends NamedRef {
  readonly order: number;
  /** New leads go into the default pipeline unless the request names a pipeline or a stage of another pipeline. */
  readonly isDefault: boolean;
}

export interface LeadField {
  /** The key of the field inside `fields`. */
  readonly key: string;
  readonly label: string;
  readonly type:
    | 'text'
    | 'textarea'
    | 'number'
    | 'date'
    | 'phone'
    | 'email'
    | 'url'
    | 'select'
    | 'multiselect'
    | 'checkbox'
    | 'lead_source'
    | 'user';
  readonly section: string;
  /** `column`: built in. `custom`: created by the organization. */
  readonly storage: 'column' | 'custom';
  /** For select and multiselect fields. Requests send the `value`. */
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
  }[];
  readonly requiredOnCreate: boolean;
  readonly requiredOnEdit: boolean;
  /** The field applies only when another field has one of the listed values. */
  readonly showWhen: {
    readonly field: string;
    readonly equals: readonly string[];
  } | null;
}

export interface Note {
  readonly leadId: number;
  readonly text: string;
  readonly createdAt: string;
}

export interface CaptureResult {
  readonly id: number;
  /** True when a new lead was created. */
  readonly created: boolean;
  /** True when an existing lead had at least one empty field filled. */
  readonly updated: boolean;
  /** Present when the capture matched an archived lead, which stays unchanged. */
  readonly archived?: true;
}

/** The items of each reference list, by the end of its path. */
export interface ReferenceLists {
  readonly 'lead-fields': LeadField;
  readonly 'lead-stages': Stage;
  readonly pipelines: Pipeline;
  readonly 'lead-sources': NamedRef;
  readonly users: NamedRef;
}

export interface ItemsOf<Item> {
  readonly items: readonly Item[];
}

export interface LeadPage extends ItemsOf<Lead> {
  /** Send it as `cursor` to get the next page. It is null on the last page. */
  readonly nextCursor: number | null;
}
export type LeadResponse = { readonly lead: Lead };
export type CaptureResponse = { readonly lead: CaptureResult };
export type NoteResponse = { readonly note: Note };

/** A condition on a field, by its key. The valid operators depend on the type of the field. */
export type LeadFilter =
  | {
      readonly field: string;
      readonly operator: 'is_empty' | 'is_not_empty' | 'is_true' | 'is_false';
    }
  | {
      readonly field: string;
      readonly operator: 'contains' | 'equals' | 'gt' | 'lt' | 'on' | 'before' | 'after';
      readonly value: FilterValue;
    }
  | {
      readonly field: string;
      readonly operator: 'between';
      readonly values: readonly [FilterValue, FilterValue];
    }
  | {
      readonly field: string;
      readonly operator: 'is_any_of' | 'has_any_of';
      readonly values: readonly [FilterValue, ...FilterValue[]];
    };

/** A string, a number, a date as `YYYY-MM-DD`, the value of an option, or the ID of a source or a user. */
export type FilterValue = string | number;

/** The filters of a list, named as in the API. `filter` is a list of objects. */
export interface LeadListQuery {
  /** The maximum number of leads in a page. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: number | undefined;
  /** Only leads changed at or after this time, with an offset or `Z`. */
  readonly updated_since?: string | undefined;
  readonly stage_id?: number | undefined;
  readonly pipeline_id?: number | undefined;
  readonly source_id?: number | undefined;
  readonly owner_id?: number | undefined;
  /** At most 10 filters, all of which must match. */
  readonly filter?: readonly LeadFilter[] | undefined;
}

/**
 * Why a value is refused, for programs: `details.reasons` has a reason for each refused field or property. Programs compare reasons, so
 * none is ever renamed. The API reference says what each means.
 */
export type FieldReason =
  | 'required'
  | 'wrong_type'
  | 'too_short'
  | 'too_long'
  | 'invalid_characters'
  | 'invalid_phone'
  | 'invalid_email'
  | 'invalid_url'
  | 'invalid_number'
  | 'invalid_date'
  | 'invalid_checkbox'
  | 'invalid_id'
  | 'out_of_range'
  | 'unknown_option'
  | 'unknown_field'
  | 'unknown_property'
  | 'not_accepted'
  | 'idempotency_key_reused'
  | 'pipeline_not_found'
  | 'stage_not_found'
  | 'stage_not_active'
  | 'stage_not_in_pipeline'
  | 'no_starting_stage'
  | 'source_not_found'
  | 'source_not_active'
  | 'owner_not_found'
  | 'owner_not_active'
  | 'user_not_found'
  | 'user_not_active'
  | 'no_active_owner';

/** The reasons of a refused stage, pipeline, source, owner or user. */
export type ReferenceReason = Extract<
  FieldReason,
  `${'pipeline' | 'stage' | 'source' | 'owner' | 'user'}_not_${string}` | `no_${string}`
>;
