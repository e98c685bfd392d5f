/**
 * What no log may hold, by its shape: tests mint keys of the service's form, send phones of the default country, e-mails, and the names of
 * `person()` and of `sampleSettings`. Ids, times and request ids of a log's lines have none of these shapes.
 */
const shapes = {
  'an API key': /leads_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}/,
  'a phone': /(?<![0-9A-Za-z.-])\+?(?:91)?[6-9]\d{9}(?![0-9A-Za-z-])/,
  'an e-mail': /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/,
  'a name': /\bPerson \d+|\bAsha\b|\bRavi\b|\bMeera\b/,
} as const;

/** The lines of a log that hold what they may not, each with what it is; the find itself is blotted out. */
export function leaksIn(log: string): string[] {
  return log.split('\n').flatMap((line) =>
    Object.entries(shapes)
      .filter(([, shape]) => shape.test(line))
      .map(([what, shape]) => `${what} in the log: ${line.replace(shape, '▒▒▒').slice(0, 500)}`),
  );
}

/** Every service that a test starts is held to this at its end. @throws Error naming each line that holds what it may not */
export function assertNoLeaks(log: string): void {
  const leaks = leaksIn(log);
  if (leaks.length > 0) throw new Error(leaks.slice(0, 10).join('\n'));
}
