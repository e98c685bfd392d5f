import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { SettingsRejectedError } from '../../../shared/organization/settings-shape.ts';

export function issuesOf(text: string): { path: string; message: string }[] {
  try {
    parseSettingsFile(text);
  } catch (error) {
    if (error instanceof SettingsRejectedError) return [...error.issues];
    throw error;
  }
  return [];
}

export const builtIn = (key: string, more: object = {}) => {
  const types: Record<string, string> = {
    name: 'text',
    phone: 'phone',
    email: 'email',
    lead_type: 'select',
  };
  return { key, label: key, type: types[key], section: 'Contact', storage: 'column', ...more };
};
