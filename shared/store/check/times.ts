/** The form in which every date-time is stored. */
const storedDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const isStoredDateTime = (value: unknown): value is string =>
  typeof value === 'string' && storedDateTime.test(value) && !Number.isNaN(Date.parse(value));

/** How far the clocks of the functions and of this machine may differ. */
export const clockMarginMs = 60_000;

/** The date-times among these that are in the future by this machine's clock, as sentences' ends. */
export const futureIssues = (times: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(times)
    .filter(([, at]) => isStoredDateTime(at) && Date.parse(at) > Date.now() + clockMarginMs)
    .map(
      ([name, at]) =>
        `has the ${name} ${at}, which is in the future: compare the clock of this machine with that of the writer`,
    );
