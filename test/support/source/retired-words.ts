/** Words that were replaced by those of the field: no identifier uses them. */

/** Parts of identifiers, in lower case, each with the word to use. */
export const retiredParts: Readonly<Record<string, string>> = {
  desk: 'context',
  deed: 'audit action',
  deeds: 'audit actions',
  beside: 'prefetch, or in parallel',
  remembered: 'prefetched or cached',
  question: 'query or lookup',
  questions: 'queries or lookups',
  findings: 'matches',
  drops: 'removals',
  uses: 'references',
  turn: 'rotation, or attempt',
  doubts: 'recheck',
  doubtful: 'to recheck',
  ledger: 'expected items',
  figures: 'metrics',
  obstacle: 'failed check',
  obstacles: 'failed checks',
  surroundings: 'process I/O',
  guiding: 'CLI',
  patience: 'time-out',
  stretch: 'chunk',
  walk: 'scan',
  walked: 'scanned',
  misfit: 'issue',
  problem: 'issue',
  problems: 'issues',
  fault: 'issue',
  faults: 'issues',
};

/** Whole identifiers, each with the word to use: a participle is not a noun. */
export const retiredNames: Readonly<Record<string, string>> = {
  lookAgain: 'retryOnConflict',
  metAnother: 'conflict',
  StillContended: 'ContentionError',
  CaptureTrace: 'CaptureRecord',
  Traces: 'IdentityPattern',
  personOfTurn: 'nextOwner',
  OrganizationBook: 'OrganizationSnapshot',
  LeadLedger: 'ExpectedItems',
  consumed: 'consumedCapacity',
  measured: 'withCapacityMetering',
  Answer: 'Reply',
  pace: 'rateLimiter',
  Reading: 'the name of what is read',
  refuseOutgrown: 'assertLeadFits',
  remains: 'relatedItems',
  changeLead: 'updateLead',
  CommandRefused: 'CommandError',
  NotReady: 'NotReadyError',
  PageEnded: 'PageEndedError',
  said: 'lines',
  shown: 'display',
  wanted: 'remaining or requested',
  given: 'requested',
  made: 'created',
};

/** Names of what is stored or sent (`TURN#` with its `turns`, `details.problems`; X-Ray's `Traces`), and of the platform's own functions. */
const kept = new Set([
  'isBetween',
  'turn',
  'turns',
  'turnPrimaryKey',
  'problems',
  'question',
  'Traces',
]);

const partsOf = (identifier: string): string[] =>
  identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[ _$]+/)
    .map((part) => part.toLowerCase());

/** The word to use in place of one that the identifier has; undefined when it has none that is retired. */
export function replacementOf(identifier: string): string | undefined {
  if (kept.has(identifier)) return undefined;
  if (Object.hasOwn(retiredNames, identifier)) return retiredNames[identifier];
  const part = partsOf(identifier).find((one) => Object.hasOwn(retiredParts, one));
  return part === undefined ? undefined : retiredParts[part];
}
