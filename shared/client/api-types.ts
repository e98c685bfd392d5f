// Made by `npm run openapi` from the endpoints and their schemas: change those.

export interface CreateLeadRequest {
  /** Values by field key. An unknown key is refused, and the error lists the valid keys. The value of `source` is a source ID, that of `assigned_to` a user ID. Without an owner, the organization's assignment rules choose one. */
  readonly fields: { readonly [key: string]: FieldValue };
  /** Default: the starting stage of the lead's pipeline. A stage determines the pipeline. */
  readonly stageId?: number | undefined;
  /** Default: the organization's default pipeline. With `stageId`, the stage must belong to this pipeline. */
  readonly pipelineId?: number | undefined;
}

export interface CaptureRequest {
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
}

export interface UpdateLeadRequest {
  /** Only the fields to change, by field key. An unknown key is refused, and the error lists the valid keys. null clears a field. */
  readonly fields?: { readonly [key: string]: FieldValue } | undefined;
  /** A stage of another pipeline moves the lead into that pipeline. */
  readonly stageId?: number | undefined;
  /** Moves the lead to this pipeline, at `stageId` (one of its stages) or at its starting stage. */
  readonly pipelineId?: number | undefined;
}

export interface NewNote {
  /** The note. */
  readonly text: string;
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
  readonly fields: { readonly [key: string]: FieldValue };
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface StageRef {
  readonly id: number;
  readonly name: string;
  /** What reaching the stage means in this organization. */
  readonly meaning: 'open' | 'won' | 'lost';
}

export interface NamedRef {
  readonly id: number;
  readonly name: string;
}

export interface Stage {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** Position within its pipeline. */
  readonly order: number;
  /** What reaching the stage means in this organization. */
  readonly meaning: 'open' | 'won' | 'lost';
  /** True when new leads of its pipeline start here. */
  readonly isDefault: boolean;
  /** The pipeline that the stage belongs to. */
  readonly pipelineId: number;
}

export interface Pipeline {
  readonly id: number;
  readonly name: string;
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

/** A field's value. Its type depends on the field's type. */
export type FieldValue = string | number | boolean | readonly string[] | null;

export interface LeadResponse {
  readonly lead: Lead;
}

export interface LeadPage {
  readonly items: readonly Lead[];
  /** Send it as `cursor` to get the next page. It is null on the last page. */
  readonly nextCursor: number | null;
}

export interface CaptureResponse {
  readonly lead: CaptureResult;
}

export interface NoteResponse {
  readonly note: Note;
}

export interface LeadFieldList {
  readonly items: readonly LeadField[];
}

export interface StageList {
  readonly items: readonly Stage[];
}

export interface PipelineList {
  readonly items: readonly Pipeline[];
}

export interface NamedRefList {
  readonly items: readonly NamedRef[];
}

/** A condition on one field. The valid operators depend on the type of the field. */
export type LeadFilter =
  | {
      /** A field key. */
      readonly field: string;
      readonly operator: 'is_empty' | 'is_not_empty' | 'is_true' | 'is_false';
    }
  | {
      /** A field key. */
      readonly field: string;
      readonly operator: 'contains' | 'equals' | 'gt' | 'lt' | 'on' | 'before' | 'after';
      readonly value: FilterValue;
    }
  | {
      /** A field key. */
      readonly field: string;
      readonly operator: 'between';
      readonly values: readonly [FilterValue, FilterValue];
    }
  | {
      /** A field key. */
      readonly field: string;
      readonly operator: 'is_any_of' | 'has_any_of';
      readonly values: readonly [FilterValue, ...FilterValue[]];
    };

/** A string, a number, a date as `YYYY-MM-DD`, the value of an option, or the ID of a source or a user. */
export type FilterValue = string | number;
