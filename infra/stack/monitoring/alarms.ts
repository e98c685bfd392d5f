/**
 * THE alarm table: what each alarm says and what to do when it rings. The alarm's own description and OPERATE.md both have their
 * sentences from here; the metrics and thresholds stand in `monitoring.ts`.
 */
export interface AlarmDefinition {
  /** What is the case when it rings. */
  readonly rings: string;
  /** What to do then. */
  readonly act: string;
}

export const alarms = {
  ServerErrors: {
    rings: 'Of the calls in 5 minutes at least 3, and at least 1 %, got a server error (NOT_READY aside).',
    act: 'Open the dashboard\'s "Failures": each has its error and request id; one that timed out or crashed has the platform\'s line. If they began with a deployment, go back to the version before it; if DynamoDB fails too, see AWS Health and wait: callers retry.',
  },
  SlowAnswers: {
    rings: 'One call in a hundred took longer than 3 s, for 15 minutes.',
    act: 'Look at "Time per endpoint" on the dashboard. list-leads alone: somebody walks many leads with a rare filter, see organizationId in the log. All of them: see DynamoDB throttles, and raise memoryMb if most slow calls are cold starts.',
  },
  ReadingFunctionsThrottled: {
    rings: 'Lambda refused to start a reading function: callers got a 500.',
    act: 'The account has no concurrent executions left (a fresh one has 10). Ask for more under Service Quotas, "Concurrent executions"; look for another function of the account that takes them all.',
  },
  WritingFunctionsThrottled: {
    rings: 'Lambda refused to start a writing function: a create, update, note or capture got a 500.',
    act: 'As ReadingFunctionsThrottled. No enquiry is lost where the website retries with its Idempotency-Key.',
  },
  TableThrottled: {
    rings: 'DynamoDB throttled the table or an index, for 10 minutes.',
    act: 'One partition is too hot, or traffic doubled faster than on-demand capacity grows. The lines of failed calls name the table or index and the reason (throttling). Find the organization in the log by its calls; stop an import that does not pace itself; if it is real growth, pre-warm the table (warm throughput).',
  },
  TableFailed: {
    rings: 'DynamoDB itself failed 5 times or more in 5 minutes.',
    act: 'See AWS Health for DynamoDB in this region. Nothing to repair here: a write is whole or absent, and callers retry.',
  },
  TransactionsRefused: {
    rings: '100 writes or more met another one on the same item in 5 minutes, for 15 minutes.',
    act: "Many callers write the same lead at once. Find the lead's organization in the log (code IDEMPOTENCY_IN_PROGRESS), and ask its developers whether a form or a sync job sends everything twice or in parallel.",
  },
  CaptureNotReady: {
    rings:
      "A website's enquiry was refused with NOT_READY: its organization has no stage for new leads, or no active person to own them.",
    act: 'Find organizationId in the log (code NOT_READY) and tell its administrator today: every enquiry is refused until a starting stage or an active person is set, by "organization apply".',
  },
  KeyExpiresSoon: {
    rings: 'An API key that is in use expires within 14 days.',
    act: 'Find keyId and organizationId in the log (keyExpiresSoon). Create its successor, have the caller switch to it, then revoke the old key. It stays in alarm until a day has passed without the old key.',
  },
} as const satisfies Record<string, AlarmDefinition>;

export type AlarmName = keyof typeof alarms;

/** The sentences of an alarm as its e-mail shows them. CloudWatch takes 1,024 characters. */
export const alarmDescription = (name: AlarmName): string => `${alarms[name].rings} What to do: ${alarms[name].act}`;
