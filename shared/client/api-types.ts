// Made by `npm run client` from the endpoints and their schemas: change those.

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
