import { type Organization, organizationFrom } from '../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';

const field = (key: string, type: string, more: object = {}) => ({
  key,
  label: key,
  type,
  section: 'Interest',
  storage: 'custom',
  ...more,
});

/** A settings file with a field of every type, two pipelines, and users, sources and fields that are inactive. */
export const sampleSettings = {
  id: 1,
  name: 'Northwind Academy',
  modules: ['crm'],
  users: [
    { id: 7, name: 'Asha Rao' },
    { id: 8, name: 'Ravi Iyer' },
    { id: 9, name: 'Meera Das', active: false },
  ],
  pipelines: [
    {
      id: 1,
      name: 'Admissions',
      order: 1,
      isDefault: true,
      stages: [
        { id: 11, name: 'New', slug: 'new', order: 1, meaning: 'open', isDefault: true },
        { id: 12, name: 'Enrolled', slug: 'enrolled', order: 2, meaning: 'won' },
      ],
    },
    {
      id: 2,
      name: 'Corporate',
      order: 2,
      stages: [
        { id: 21, name: 'Enquiry', slug: 'enquiry', order: 1, meaning: 'open', isDefault: true },
      ],
    },
  ],
  sources: [
    { id: 1, name: 'Website' },
    { id: 3, name: 'Facebook Ads' },
    { id: 4, name: 'Old fair', active: false },
  ],
  fields: [
    field('city', 'text'),
    field('remarks', 'textarea'),
    field('budget', 'number'),
    field('start_on', 'date'),
    field('guardian_phone', 'phone'),
    field('work_email', 'email'),
    field('portfolio', 'url'),
    field('course', 'select', {
      options: [
        { value: 'mba', label: 'MBA' },
        { value: 'design', label: 'Product Design' },
      ],
    }),
    field('interests', 'multiselect', {
      options: [
        { value: 'hostel', label: 'Hostel' },
        { value: 'loan', label: 'Education loan, bank' },
        { value: 'abroad', label: 'Study abroad' },
      ],
    }),
    field('wants_call', 'checkbox'),
    field('second_source', 'lead_source'),
    field('mentor', 'user'),
    field('hasOwnProperty', 'text'),
    field('old_notes', 'text', { active: false }),
  ] as object[],
  assignmentRules: [] as object[],
};

/**
 * The sample organization as the rules read it from a settings file.
 * @param changes properties of the file that replace the sample's
 */
export function sampleOrganization(changes: Partial<typeof sampleSettings> = {}): Organization {
  return organizationFrom(
    parseSettingsFile(JSON.stringify({ ...sampleSettings, ...changes })).settings,
    1,
  );
}

/** Another field for the sample, in the section of its other fields. */
export const customField = field;

/** A field of the sample by its key. */
export function sampleField(key: string): ReturnType<typeof field> {
  const found = (sampleSettings.fields as ReturnType<typeof field>[]).find(
    (one) => one.key === key,
  );
  if (!found) throw new Error(`sampleSettings has no field ${key}.`);
  return found;
}
