import type { Scope } from '../endpoints.ts';
import type { ApiKeyType } from './api-key.ts';
import type { FieldType } from './field-kinds.ts';
import type { SettingsFile } from './settings-schema.ts';

export interface FieldOption {
  value: string;
  label: string;
  /** Being removed: still shown for leads that have it, but no longer offered or accepted. Never in a file. */
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

/** An organization's settings: those of the file (LOCAL.md, "The settings file"), with every default filled in and all built-in fields. */
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

/** An API key that `npm start` creates if no key has its label. */
export interface KeyRequest {
  label: string;
  type: ApiKeyType;
  scopes: Scope[];
  createdBy: number;
  /** ISO 8601, UTC. */
  expiresAt?: string;
}
