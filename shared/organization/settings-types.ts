import type { Scope } from '../endpoints.ts';
import type { ApiKeyType } from './api-key.ts';
import type { FieldType } from './field-kinds.ts';
import type { SettingsFile } from './settings-schema.ts';

export interface FieldOption {
  value: string;
  label: string;
  /** Being dropped: still shown for leads that have it, no longer offered or accepted. Never in a file. */
  retired?: true;
}

export interface SettingsField {
  key: string;
  label: string;
  type: FieldType;
  section: string;
  storage: 'column' | 'custom';
  /** Empty unless `select` or `multiselect`. */
  options: FieldOption[];
  requiredOnCreate: boolean;
  requiredOnEdit: boolean;
  showWhen: { field: string; equals: string[] } | null;
  active: boolean;
}

/** An organization's settings, whole: the file's lists (LOCAL.md, "The settings file") with every default filled in and the built-in fields in place. */
export interface Settings {
  id: number;
  name: string;
  modules: string[];
  users: SettingsFile['users'];
  pipelines: SettingsFile['pipelines'];
  sources: SettingsFile['sources'];
  /** In form order. */
  fields: SettingsField[];
  /** In the order they are tried. */
  assignmentRules: { when?: { field: string; equals: string[] }; users: number[] }[];
}

/** A key that `npm start` mints when it does not exist yet. */
export interface KeyRequest {
  label: string;
  type: ApiKeyType;
  scopes: Scope[];
  createdBy: number;
  /** ISO 8601, UTC. */
  expiresAt?: string;
}
