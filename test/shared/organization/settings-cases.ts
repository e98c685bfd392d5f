/** A small settings file with every kind of item, for tests that then make one thing of it wrong. */
export const northwind = () => ({
  id: 1,
  name: 'Northwind Academy',
  modules: ['crm'],
  users: [
    { id: 7, name: 'Asha Rao', active: true },
    { id: 8, name: 'Ravi Menon' },
    { id: 10, name: 'Nobody refers to me' },
  ],
  pipelines: [
    {
      id: 1,
      name: 'Admissions',
      order: 1,
      isDefault: true,
      stages: [
        { id: 11, name: 'New', slug: 'new', order: 1, meaning: 'open', isDefault: true },
        { id: 12, name: 'Joined', slug: 'joined', order: 2, meaning: 'won' },
      ],
    },
    { id: 2, name: 'Partners', order: 2, stages: [{ id: 21, name: 'New', slug: 'new', order: 1, meaning: 'open' }] },
  ],
  sources: [
    { id: 1, name: 'Website' },
    { id: 3, name: 'Fair' },
    { id: 4, name: 'Referral' },
  ],
  fields: [
    {
      key: 'course',
      label: 'Course',
      type: 'select',
      section: 'Interest',
      storage: 'custom',
      options: [
        { value: 'mba', label: 'MBA' },
        { value: 'ms', label: 'MS' },
      ],
    },
    {
      key: 'years',
      label: 'Years of work',
      type: 'number',
      section: 'Interest',
      storage: 'custom',
      showWhen: { field: 'course', equals: ['mba'] },
    },
    { key: 'city', label: 'City', type: 'text', section: 'About', storage: 'custom' },
  ],
  assignmentRules: [{ when: { field: 'source', equals: ['3'] }, users: [7, 8] }],
  keys: [{ label: 'reader', type: 'application', scopes: ['leads.read'], createdBy: 7 }],
});

/** Puts a value at a path such as `$.fields[0].options`, as JSON.parse would: `__proto__` becomes a property like any other. */
export function withValue(file: object, path: string, value: unknown): object {
  const steps = [...path.matchAll(/\.([A-Za-z_]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index));
  let place = file as Record<string | number, unknown>;
  for (const step of steps.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  const last = steps.at(-1) as string | number;
  if (value === undefined) delete place[last];
  else Object.defineProperty(place, last, { value, enumerable: true, configurable: true, writable: true });
  return file;
}
