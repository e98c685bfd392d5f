import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { SettingsRejectedError } from '../../../shared/organization/settings-shape.ts';
import { define } from '../../support/generated/hostile.ts';
import { customField, sampleField, sampleSettings } from '../../support/settings.ts';

const [admissions, corporate] = sampleSettings.pipelines;

/** `sampleSettings` with few items, which cases name by their positions, and with one of what the sample does not have. */
export const smallFile = () =>
  structuredClone({
    ...sampleSettings,
    users: [
      { id: 7, name: 'Asha Rao', active: true },
      { id: 8, name: 'Ravi Iyer' },
      { id: 10, name: 'Nobody refers to me' },
    ],
    pipelines: [
      admissions,
      {
        ...corporate,
        stages: [{ id: 21, name: 'Enquiry', slug: 'enquiry', order: 1, meaning: 'open' }],
      },
    ],
    sources: [
      { id: 1, name: 'Website' },
      { id: 3, name: 'Fair' },
      { id: 4, name: 'Referral' },
    ],
    fields: [
      sampleField('course'),
      { ...customField('years', 'number'), showWhen: { field: 'course', equals: ['mba'] } },
      sampleField('city'),
    ],
    assignmentRules: [{ when: { field: 'source', equals: ['3'] }, users: [7, 8] }],
    keys: [{ label: 'reader', type: 'application', scopes: ['leads.read'], createdBy: 7 }],
  });

/** Puts a value at a path such as `$.fields[0].options`, as JSON.parse would: `__proto__` becomes a property like any other. */
export function withValue(file: object, path: string, value: unknown): object {
  const steps = [...path.matchAll(/\.([A-Za-z_]+)|\[(\d+)\]/g)].map(
    ([, name, index]) => name ?? Number(index),
  );
  let place = file as Record<string | number, unknown>;
  for (const step of steps.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  const last = steps.at(-1) as string | number;
  if (value === undefined) delete place[last];
  else define(place, String(last), value);
  return file;
}

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
