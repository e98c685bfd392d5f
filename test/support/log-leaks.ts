/**
 * Patterns that no log may contain. Tests create keys of the service's form, and send phones of the default country, emails, and the names
 * of `person()` and of `sampleSettings`. Ids, times and request ids of log lines have none of these shapes.
 */
const shapes = {
  'an API key': /leads_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}/,
  'a phone': /(?<![0-9A-Za-z.-])\+?(?:91)?[6-9]\d{9}(?![0-9A-Za-z-])/,
  'an email': /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/,
  'a name': /\bPerson \d+|\bAsha\b|\bRavi\b|\bMeera\b/,
} as const;

/** The lines of a log that contain what they must not, each with its kind; the leak itself is masked. */
export function leaksIn(log: string): string[] {
  return log.split('\n').flatMap((line) =>
    Object.entries(shapes)
      .filter(([, shape]) => shape.test(line))
      .map(([what, shape]) => `${what} in the log: ${line.replace(shape, '▒▒▒').slice(0, 500)}`),
  );
}

/** Checks the log of every service that a test starts, at its end. @throws Error with each line that leaks */
export function assertNoLeaks(log: string): void {
  const leaks = leaksIn(log);
  if (leaks.length > 0) throw new Error(leaks.slice(0, 10).join('\n'));
}
