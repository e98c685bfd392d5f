import { Duration, Fn } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricWithAlarmSupport } from 'cdk-monitoring-constructs';
import type { ServiceOptions } from '../service-options.ts';
import { backupJobs, type Metrics, sum } from './metrics.ts';

/**
 * An alarm goes off if the value is at least `from`, or less than `below`, in `datapoints` of the last `periods` periods. By default, there
 * is one period, and all of them count. A missing value counts as below, unless `missingIsFine`.
 */
type Threshold = (
  | { readonly from: number }
  | { readonly below: number; readonly missingIsFine?: true }
) & {
  /** A number, or the option that holds it. */
  readonly datapoints?: number | 'noCapturesHours';
  readonly periods?: number;
};

/**
 * Six hours in periods of five minutes, for failures that are rare but last until somebody acts. Within one hour, an organization with one
 * enquiry an hour would never reach several periods. A busy organization reaches them just as soon in either case. A whole day would also
 * catch an organization with three enquiries a day. But the alarm would stay on for a day after the correction, and hide the next
 * organization's failures.
 */
const sixHours = 72;

/**
 * The definition of an alarm. The name of an alarm and of its metric are both public, and some differ: `CapturesKeepFailing` watches
 * `capturesMismatched`. This row connects them.
 */
export interface Alarm {
  /** The section of the dashboard, and the graph in it that shows the metric. */
  readonly graph: readonly [section: string, title: string];
  readonly metric: (of: Metrics) => MetricWithAlarmSupport | undefined;
  /** Metrics without an alarm on the same graph. */
  readonly beside?: (of: Metrics) => readonly MetricWithAlarmSupport[];
  /** Another graph, which helps to find the reason. */
  readonly details?: readonly [title: string, (of: Metrics) => MetricWithAlarmSupport[]];
  readonly threshold: Threshold;
  /** The threshold as a sentence. */
  readonly when: string;
  /** What to do. */
  readonly act: string;
  /** The option that switches the alarm on. */
  readonly only?: keyof ServiceOptions;
  /** The heading in OPERATE.md that says more. @default the table of symptoms */
  readonly runbook?: string;
}

const goBack =
  'If the failures began with a deployment, go back to the release before: "git switch --detach RELEASE && npm run deploy", with its tag or commit.';
const noExecutionsLeft =
  'The account has no concurrent executions left (a new account has 10). Request more under Service Quotas, "Concurrent executions", and check whether another function of the account uses them all.';

/**
 * Every alarm: what it watches, when it goes off, and what to do. The dashboard follows from the rows, in their order. The description in
 * CloudWatch has the sentences, and a test writes them to ALARMS.md. In their words NAME, BASE_URL, VAULT and HOURS stand for the service's own.
 */
export const alarms = {
  GatewayThrottled: {
    graph: ['Calls', 'Calls and refusals'],
    metric: (of) => of.gatewayRefusals(),
    beside: (of) => [of.api('Count'), of.api('4XXError'), of.logged('rateLimited')],
    // A robot that tries addresses for a few minutes stays below this threshold.
    threshold: { from: 100, datapoints: 2, periods: 3 },
    when: 'In 2 of 3 periods of 5 minutes, API Gateway itself refused at least 100 requests: with 429 by its throttle, or with 404 at unknown addresses.',
    act: 'If "Calls and refusals" on the dashboard shows a peak of calls, callers send more than requestsPerSecond to one endpoint: raise it, or ask the organization with the most calls to slow down. Without a peak, another API of the account may use up its limit (Service Quotas, API Gateway, "Throttle rate"), or a robot tries unknown addresses, which does no harm. accessLogs shows which. Callers retry a 429 after its Retry-After.',
  },
  ServerErrors: {
    graph: ['Calls', 'Server errors'],
    metric: (of) => of.serverErrorShare(3),
    threshold: { from: 1 },
    when: 'In 5 minutes, at least 3 calls and at least 1 % of the calls got a server error other than NOT_READY.',
    act: `Open "Failures" on the dashboard: each failure has its error and request ID; a time-out or crash has the log line of Lambda. ${goBack} If DynamoDB fails too, check AWS Health and wait: callers retry.`,
    runbook: 'go-back',
  },
  FailuresContinue: {
    // For rare failures that do not stop. Counts several periods, so that a single failure does not set it off.
    graph: ['Calls', 'Server errors that continue'],
    metric: (of) => of.serverErrorShare(),
    threshold: { from: 0.1, datapoints: 2, periods: 3 },
    when: 'In 2 of 3 periods of 5 minutes with calls, at least 0.1 % of the calls got a server error other than NOT_READY.',
    act: `A small service or a single endpoint may be down. Open "Failures" on the dashboard, and see whether all failures have one endpoint. Run "npm run verify -- --stack NAME": it names what fails at each endpoint. ${goBack}`,
    runbook: 'go-back',
  },
  SlowAnswers: {
    graph: ['Calls', 'Response time'],
    metric: (of) => of.api('Latency', Stats.p(99)),
    beside: (of) => [of.api('Latency', Stats.p(50))],
    details: ['Time per endpoint, p99', (of) => of.durations()],
    threshold: { from: 3000, datapoints: 3 },
    when: 'In 3 consecutive periods of 5 minutes with calls, 1 % of the calls took longer than 3 s.',
    act: 'Open "Time per endpoint" on the dashboard. If only list-leads is slow, a caller lists many leads with a rare filter: find organizationId in the log. If all endpoints are slow, check for DynamoDB throttles, and raise memoryMb if most slow calls are cold starts.',
  },
  ReadingFunctionsThrottled: {
    graph: ['Calls', 'Functions'],
    metric: (of) => of.throttles('reading'),
    beside: (of) => [of.logged('coldStart')],
    threshold: { from: 1 },
    when: 'Lambda refused to start a reading function: callers got a 500.',
    act: noExecutionsLeft,
  },
  WritingFunctionsThrottled: {
    graph: ['Calls', 'Functions'],
    metric: (of) => of.throttles('writing'),
    threshold: { from: 1 },
    when: 'Lambda refused to start a writing function: a create, update, note or capture got a 500.',
    act: `${noExecutionsLeft} No enquiry is lost if the website retries with its Idempotency-Key.`,
  },
  CaptureNotReady: {
    graph: ['Calls', 'Needs attention'],
    metric: (of) => of.counted('notReady', 'not ready'),
    threshold: { from: 1 },
    when: "A website's enquiry was refused with NOT_READY: its organization has no stage for new leads, or no active user to own them.",
    act: 'Find organizationId in the log (code NOT_READY) and tell its administrator today. Every enquiry is refused until "organization apply" sets a default stage or an active user.',
  },
  KeyExpiresSoon: {
    graph: ['Calls', 'Needs attention'],
    metric: (of) =>
      of.counted('keyExpiresSoon', 'keys that expire soon').with({ period: Duration.days(1) }),
    threshold: { from: 1 },
    when: 'An API key that is in use expires within 14 days.',
    act: 'Find keyId and organizationId in the log (keyExpiresSoon). Create a new key with "key rotate", have the caller switch to it, then revoke the old key. The alarm ends when the old key has not been used for a day.',
  },
  CallersUnauthorized: {
    graph: ['Refusals', 'Unknown keys, % of the calls'],
    metric: (of) => of.unauthorizedShare(),
    // On a quiet service, two verifications after a deployment affect three periods, because most of their calls get 401.
    threshold: { from: 50, datapoints: 4, periods: 5 },
    when: 'In 4 of 5 periods of 5 minutes with calls, at least half of the calls got 401.',
    act: 'If all organizations are affected, the service may use another table: compare tableName in cdk.json with the output TableName, and run "npm run admin -- organization list --stack NAME". If only one key is affected, "Refusals" on the dashboard names it and keyRefusal: it was revoked or has expired. If the key is unknown, only the endpoint is named: somebody is guessing keys, or sends a wrong one.',
  },
  CapturesUnauthorized: {
    // One alarm per kind of refusal, because each has another remedy. Requests that the firewall blocks reach no function:
    // `RequestsBlocked` counts them.
    graph: ['Refusals', 'Captures refused, % of the captures'],
    metric: (of) => of.captureShare('capturesUnauthorized', '401 and 403'),
    // A verification sends one capture with an unknown key. On a quiet service, two verifications can be the only captures of two periods.
    threshold: { from: 50, datapoints: 3, periods: 4 },
    when: 'In 3 of 4 periods of 5 minutes with captures, at least half of the captures were refused with 401 or 403.',
    act: 'Enquiries are being lost. "Refusals" on the dashboard shows the organization and the key, if it is known. UNAUTHORIZED: the key was revoked or has expired (keyRefusal), or the website sends an unknown key. FORBIDDEN: the key lacks the scope leads.capture. Give the website a working key ("key create" if it was revoked, else "key rotate").',
  },
  CapturesInvalid: {
    graph: ['Refusals', 'Captures refused, % of the captures'],
    metric: (of) => of.captureShare('capturesInvalid', '422, 400, 413 and 415'),
    threshold: { from: 50, datapoints: 2, periods: 3 },
    when: 'In 2 of 3 periods of 5 minutes with captures, at least half of the captures were refused with 400, 413, 415 or 422.',
    act: 'Enquiries are being lost. "Refusals" on the dashboard shows code, organization and key; the log line of a refusal names the fields. Compare them with the form and with "organization history": a field that became required is the usual reason ("organization undo"). INVALID_JSON: the form\'s backend changed what it sends.',
  },
  KnownKeyRefused: {
    // For rare refusals that do not stop: one of several organizations may be losing every enquiry.
    graph: ['Refusals', 'Refusals that last'],
    metric: (of) => of.counted('knownKeyRefused', 'revoked or expired keys, and 403'),
    // No robot has a known key, so three refusals in different periods are enough.
    threshold: { from: 1, datapoints: 3, periods: sixHours },
    when: 'In 3 periods of 5 minutes within 6 hours, a known key was refused: with 401, because it has expired or was revoked in the last 7 days, or with 403.',
    act: 'One organization\'s calls fail, however few they are. "Refusals" on the dashboard names it, its key and the reason (keyRefusal). 401: give the caller a working key ("key create" if it was revoked, else "key rotate"). 403: the key lacks the scope, or the plan the module. If the caller is not the organization, revoke the key: its refusals count for 7 days. The alarm ends within 6 hours of the last refusal.',
    runbook: 'a-refused-key-is-still-used',
  },
  CapturesKeepFailing: {
    graph: ['Refusals', 'Refusals that last'],
    metric: (of) => of.counted('capturesMismatched', 'captures with missing or unknown fields'),
    // A developer's tests of a form end soon. A form that fails in six periods is in use.
    threshold: { from: 1, datapoints: 6, periods: sixHours },
    when: 'In 6 periods of 5 minutes within 6 hours, a capture of a known key was refused with 422 because a field is missing or unknown.',
    act: 'A form does not fit its organization\'s settings: enquiries are being lost, however few they are. "Refusals" on the dashboard shows organization and key; the log line of a refusal names the fields. Compare them with the form and with "organization history": a field that became required or was removed is the usual reason ("organization undo"). The alarm ends within 6 hours of the last refusal.',
  },
  CapturesRateLimited: {
    graph: ['Refusals', 'Captures over the limit'],
    metric: (of) => of.counted('capturesRateLimited', 'over the limit'),
    threshold: { from: 1 },
    when: 'A capture was refused because its key or organization is at its hourly limit.',
    act: 'Find organizationId and keyId in the log (code RATE_LIMITED). If a sync job uses the limit up, slow it down. If a robot fills in the form, protect the form. If the traffic is expected, raise requestsPerKeyPerHour or requestsPerOrganizationPerHour.',
    runbook: 'an-organization-sends-too-much',
  },
  NoCaptures: {
    graph: ['Refusals', 'Captures in an hour'],
    metric: (of) => sum([of.captures()], 'captures').with({ period: Duration.hours(1) }),
    threshold: { below: 1, datapoints: 'noCapturesHours' },
    when: 'No capture arrived for HOURS hours.',
    act: "Send an enquiry through each website's form. If it does not arrive, read the log of the form's backend: its address, key and network. If the forms work, raise noCapturesHours.",
    only: 'noCapturesHours',
  },
  RequestsBlocked: {
    graph: ['Refusals', 'Blocked by the firewall'],
    metric: (of) => of.blocked(),
    threshold: { from: 20 },
    when: 'In 5 minutes, the firewall refused an address that sent too many requests, or refused at least 20 requests, a fifth of all, from known attackers.',
    act: "In the metrics of AWS WAF, see which rule blocked (RequestsPerAddress or KnownAttackers). Ask the organizations whose calls stopped. A website on a shared address can be on AWS's list: its requests get 403. One server that sends for many organizations gets 429 and should slow down.",
    only: 'waf',
  },
  TableThrottled: {
    graph: ['Calls that the table failed', 'Throttled'],
    metric: (of) => of.counted('tableThrottled', 'calls that failed: throttled'),
    threshold: { from: 1, datapoints: 2 },
    when: 'For 10 minutes, in every 5 minutes, calls failed because DynamoDB throttled the table or an index.',
    act: 'One partition gets too many requests, or traffic grew faster than on-demand capacity. The log lines of failed calls name the table or index and the reason (throttling). Find the organization in the log by its calls. Stop an import that runs too fast. If the traffic is expected, raise the warm throughput of the table.',
    runbook: 'traffic-grows',
  },
  TableFailed: {
    graph: ['Calls that the table failed', 'Failed'],
    metric: (of) => of.counted('tableFailed', 'calls that failed: failed'),
    threshold: { from: 5 },
    when: 'In 5 minutes, at least 5 calls failed because DynamoDB failed or did not answer.',
    act: 'Check AWS Health for DynamoDB in this region. There is nothing to repair: a write is complete or absent, and callers retry.',
  },
  TransactionsRefused: {
    graph: ['Calls that the table failed', 'Contended'],
    metric: (of) => of.counted('contended', 'calls that failed: contended'),
    threshold: { from: 5, datapoints: 3 },
    when: 'For 15 minutes, in every 5 minutes, at least 5 calls failed because other calls kept writing the same item.',
    act: 'Many callers write the same lead at once. Find the organization in the log (contended), and ask its developers whether a form or a sync job sends requests twice or in parallel.',
    runbook: 'an-organization-sends-too-much',
  },
  EventsLate: {
    graph: ['Events', 'Events waiting, ms'],
    metric: ({ service }) =>
      service.events?.publisher.metric('IteratorAge', { statistic: Stats.MAXIMUM }),
    threshold: { from: 300_000, datapoints: 2 },
    when: 'For 10 minutes, events waited more than 5 minutes to be published.',
    act: 'Find the error in the log of publish-events. If EventBridge refuses or fails, check AWS Health and the quota of PutEvents: Lambda retries for a day, and loses no event before that. A long import also delays events.',
    only: 'events',
    runbook: 'events',
  },
  EventsUndelivered: {
    graph: ['Events', 'Events given up'],
    metric: ({ service }) => service.events?.undelivered.metricApproximateNumberOfMessagesVisible(),
    threshold: { from: 1 },
    when: 'Lambda could not publish some events for a day, and gave up.',
    act: 'The messages of the dead-letter queue name the time of the lost part. Write what happened since with "lead timelines --since TIME", and have the consumers read it. Find the reason in the log of publish-events. Then purge the queue.',
    only: 'events',
    runbook: 'events',
  },
  HeartbeatFailed: {
    graph: ['Heartbeat', 'Heartbeats answered'],
    metric: (of) => of.counted('heartbeatAnswered', 'heartbeats'),
    details: ['Heartbeat, ms', (of) => [of.logged('heartbeatMs', Stats.MAXIMUM)]],
    // A single failure may be the network's. The next heartbeat comes five minutes later.
    threshold: { below: 1, datapoints: 2 },
    when: 'In 2 consecutive periods of 5 minutes, no heartbeat got the right response at BASE_URL.',
    act: 'Callers may be unable to reach the service. The ERROR line in the log of the heartbeat function has the reason: DNS, certificate, time-out, status. From elsewhere, run "npm run verify -- --url" with this address. After "service stop" this is expected. Without an ERROR line the heartbeat itself did not run: see its function and its rule. When the option is switched on, the alarm can go off once before the first heartbeats.',
    only: 'heartbeat',
  },
  CertificateExpires: {
    graph: ['Heartbeat', 'Certificate, days left'],
    metric: (of) =>
      of.service.options.domainName ? of.logged('certificateDays', Stats.MINIMUM) : undefined,
    threshold: { below: 30, missingIsFine: true },
    when: 'The certificate of the domain is valid for less than 30 days.',
    act: 'AWS Certificate Manager renews its own certificates earlier. Open the certificate there: usually the DNS record of its validation is missing. Add the record that it shows. An imported certificate is never renewed: import the new one under the same ARN. Afterwards no deployment is needed.',
    only: 'heartbeat',
  },
  BackupMissing: {
    graph: ['Backups', 'Backups completed'],
    metric: ({ service: { backups } }) =>
      backups &&
      backupJobs('NumberOfBackupJobsCompleted', backups.vault.backupVaultName, 'backups completed'),
    threshold: { below: 1, datapoints: 2 },
    when: 'No backup was completed for 2 days, or the first one is still to come.',
    act: 'Run "aws backup list-backup-jobs --by-backup-vault-name VAULT": the status message of the last job is the reason. Back up at once by hand.',
    only: 'backup',
    runbook: 'back-up',
  },
  BackupCopyFailed: {
    graph: ['Backups', 'Copies failed'],
    metric: ({ service: { options } }) =>
      options.backupCopyTo
        ? backupJobs(
            'NumberOfCopyJobsFailed',
            Fn.select(6, Fn.split(':', options.backupCopyTo)),
            'copies failed',
          )
        : undefined,
    threshold: { from: 1 },
    when: 'Within a day, copying a backup to another vault failed.',
    act: 'Run "aws backup list-copy-jobs --by-state FAILED": the status message is the reason, such as a vault whose access policy does not allow the copy. A copy of another service into the same vault sets the alarm off, too. The next backup is copied again; the failed copy is not.',
    only: 'backupCopyTo',
    runbook: 'back-up',
  },
} as const satisfies Record<string, Alarm>;

export type AlarmName = keyof typeof alarms;
