const form =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * A date-time with an offset or `Z`, as epoch milliseconds; undefined for any other text, and for a date that does not exist: `Date.parse`
 * reads 30 February as 2 March. Rounds up to milliseconds, so that nothing before the moment counts as after it.
 */
export function parseDateTime(text: string): number | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [fraction = '', offset = 'Z'] = match.slice(7);
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (
    year < 1 ||
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysInMonth ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return undefined;
  const offsetMinutes =
    offset.toUpperCase() === 'Z' ? 0 : Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  if (offsetMinutes > 23 * 60 + 59 || Number(offset.slice(4)) > 59) return undefined;
  const millis = Math.ceil(Number(`0.${fraction || '0'}`) * 1000);
  const local =
    new Date(0).setUTCFullYear(year, month - 1, day) +
    ((hour * 60 + minute) * 60 + second) * 1000 +
    millis;
  return local - (offset.startsWith('-') ? -1 : 1) * offsetMinutes * 60_000;
}
