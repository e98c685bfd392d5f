/** A pattern of an event source mapping, as far as the service uses it: lists of texts and of prefixes, at any depth (AWS: Lambda event filtering). */
export type FilterPattern = { readonly [name: string]: FilterPattern | readonly FilterRule[] };
export type FilterRule = string | { readonly prefix: string };

/** Whether a record matches a pattern, as Lambda decides it: each part must have one of its values. */
export function matchesFilter(record: unknown, pattern: FilterPattern): boolean {
  return Object.entries(pattern).every(([name, part]) => {
    const value = (record as Readonly<Record<string, unknown>> | undefined)?.[name];
    return Array.isArray(part)
      ? part.some((rule: FilterRule) => matchesRule(value, rule))
      : matchesFilter(value, part as FilterPattern);
  });
}

const matchesRule = (value: unknown, rule: FilterRule): boolean =>
  typeof value === 'string' &&
  (typeof rule === 'string' ? value === rule : value.startsWith(rule.prefix));
