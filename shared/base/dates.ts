const form =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

/**
 * A date-time with an offset or `Z`, as epoch milliseconds; undefined for any other text, and for a date that does not exist. Truncates to
 * milliseconds, as the clock of `updatedAt` does, so that the two can be compared exactly.
 */
export function parseDateTime(text: string): number | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const [, date = '', time = '', second = '00', fraction = '', sign, hours, minutes] = match;
  const written = `${date}T${time}:${second}`;
  const local = Date.parse(`${written}Z`);
  // `Date.parse` reads 30 February as 2 March.
  const exists = !Number.isNaN(local) && new Date(local).toISOString().startsWith(written);
  const [offsetHours, offsetMinutes] = [Number(hours ?? 0), Number(minutes ?? 0)];
  if (!exists || date < '0001' || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000;
  const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
  return local + millis - (sign === '-' ? -offsetMs : offsetMs);
}
