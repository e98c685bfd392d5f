import { Aws } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { CustomMetricWithAlarm, MetricWithAlarmSupport } from 'cdk-monitoring-constructs';
import type { LeadServiceProps, ServiceOptions } from '../service-options.ts';

/**
 * An alarm goes off at `from` or above, or below `below`, in `datapoints` of the last `periods` periods; by default in the last one, and
 * in each of them. A missing value counts as below, unless `missingIsFine`.
 */
type Threshold = (
  | { readonly from: number }
  | { readonly below: number; readonly missingIsFine?: true }
) & {
  /** A number, or the option that is this number. */
  readonly datapoints?: number | 'noCapturesHours';
  readonly periods?: number;
};

/**
 * Six hours in periods of five minutes: for what is rare, and lasts until somebody acts. In one hour, an organization with an enquiry an hour
 * would never reach several periods; a busy one reaches them as soon as it would then. A day would find an organization with three enquiries a
 * day, but keep the alarm on for a day after the correction, and hide the next organization's.
 */
const sixHours = 72;

/** What the sentences of an alarm leave open. Its description has the service's own values. */
export type AlarmValues = Readonly<Record<'NAME' | 'BASE_URL' | 'VAULT' | 'HOURS', string>>;

interface AlarmDefinition {
  readonly threshold: Threshold;
  /** The threshold as a sentence. */
  readonly when: string;
  /** What to do. */
  readonly act: string;
  /** The option that switches it on. */
  readonly only?: keyof LeadServiceProps;
  /** The heading in OPERATE.md that has more. @default the table of symptoms */
  readonly runbook?: string;
}

const goBack =
  'If the failures began with a deployment, go back to the release before: "git switch --detach RELEASE && npm run deploy", with its tag or commit.';
const noExecutionsLeft =
  'The account has no concurrent executions left (a new account has 10). Request more under Service Quotas, "Concurrent executions", and check whether another function of the account uses them all.';

/** Every alarm: when it goes off, and what to do. Its description in CloudWatch has these sentences; a test writes them to ALARMS.md. */
export const alarms = {
  ServerErrors: {
    threshold: { from: 1 },
    when: 'In 5 minutes, at least 3 calls and at least 1 % of the calls got a server error other than NOT_READY.',
    act: `Open "Failures" on the dashboard: each failure has its error and request ID; a time-out or crash has the log line of Lambda. ${goBack} If DynamoDB fails too, check AWS Health and wait: callers retry.`,
    runbook: 'go-back',
  },
  FailuresContinue: {
    threshold: { from: 0.1, datapoints: 2, periods: 3 },
    when: 'In 2 of 3 periods of 5 minutes with calls, at least 0.1 % of the calls got a server error other than NOT_READY.',
    act: `A small service or a single endpoint may be down. Open "Failures" on the dashboard, and see whether all failures have one endpoint. Run "npm run verify -- --stack NAME": it names what fails at each endpoint. ${goBack}`,
    runbook: 'go-back',
  },
  SlowAnswers: {
    threshold: { from: 3000, datapoints: 3 },
    when: 'In 3 consecutive periods of 5 minutes with calls, 1 % of the calls took longer than 3 s.',
    act: 'Open "Time per endpoint" on the dashboard. If only list-leads is slow, a caller lists many leads with a rare filter: find organizationId in the log. If all endpoints are slow, check for DynamoDB throttles, and raise memoryMb if most slow calls are cold starts.',
  },
  ReadingFunctionsThrottled: {
    threshold: { from: 1 },
    when: 'Lambda refused to start a reading function: callers got a 500.',
    act: noExecutionsLeft,
  },
  WritingFunctionsThrottled: {
    threshold: { from: 1 },
    when: 'Lambda refused to start a writing function: a create, update, note or capture got a 500.',
    act: `${noExecutionsLeft} No enquiry is lost if the website retries with its Idempotency-Key.`,
  },
  TableThrottled: {
    threshold: { from: 1, datapoints: 2 },
    when: 'For 10 minutes, in every 5 minutes, calls failed because DynamoDB throttled the table or an index.',
    act: 'One partition gets too many requests, or traffic grew faster than on-demand capacity. The log lines of failed calls name the table or index and the reason (throttling). Find the organization in the log by its calls. Stop an import that runs too fast. If the traffic is expected, raise the warm throughput of the table.',
    runbook: 'traffic-grows',
  },
  TableFailed: {
    threshold: { from: 5 },
    when: 'In 5 minutes, at least 5 calls failed because DynamoDB failed or did not answer.',
    act: 'Check AWS Health for DynamoDB in this region. There is nothing to repair: a write is complete or absent, and callers retry.',
  },
  TransactionsRefused: {
    threshold: { from: 5, datapoints: 3 },
    when: 'For 15 minutes, in every 5 minutes, at least 5 calls failed because other calls kept writing the same item.',
    act: 'Many callers write the same lead at once. Find the organization in the log (contended), and ask its developers whether a form or a sync job sends requests twice or in parallel.',
    runbook: 'an-organization-sends-too-much',
  },
  CaptureNotReady: {
    threshold: { from: 1 },
    when: "A website's enquiry was refused with NOT_READY: its organization has no stage for new leads, or no active user to own them.",
    act: 'Find organizationId in the log (code NOT_READY) and tell its administrator today. Every enquiry is refused until "organization apply" sets a default stage or an active user.',
  },
  CallersUnauthorized: {
    // Two verifications after a deployment reach three periods: on a quiet service, most calls of each get 401.
    threshold: { from: 50, datapoints: 4, periods: 5 },
    when: 'In 4 of 5 periods of 5 minutes with calls, at least half of the calls got 401.',
    act: 'If all organizations are affected, the service may use another table: compare tableName in cdk.json with the output TableName, and run "npm run admin -- organization list --stack NAME". If only one key is affected, "Refusals" on the dashboard names it and keyRefusal: it was revoked or has expired. If the key is unknown, only the endpoint is named: somebody is guessing keys, or sends a wrong one.',
  },
  CapturesUnauthorized: {
    // A verification sends one capture with an unknown key: two of them are all captures of two periods.
    threshold: { from: 50, datapoints: 3, periods: 4 },
    when: 'In 3 of 4 periods of 5 minutes with captures, at least half of the captures were refused with 401 or 403.',
    act: 'Enquiries are being lost. "Refusals" on the dashboard shows the organization and the key, if it is known. UNAUTHORIZED: the key was revoked or has expired (keyRefusal), or the website sends an unknown key. FORBIDDEN: the key lacks the scope leads.capture. Give the website a working key ("key create" if it was revoked, else "key rotate").',
  },
  KnownKeyRefused: {
    // No robot has a known key, so three refusals that are not one burst are enough.
    threshold: { from: 1, datapoints: 3, periods: sixHours },
    when: 'In 3 periods of 5 minutes within 6 hours, a known key was refused: with 401, because it has expired or was revoked in the last 7 days, or with 403.',
    act: 'One organization\'s calls fail, however few they are. "Refusals" on the dashboard names it, its key and the reason (keyRefusal). 401: give the caller a working key ("key create" if it was revoked, else "key rotate"). 403: the key lacks the scope, or the plan the module. If the caller is not the organization, revoke the key: its refusals count for 7 days. The alarm ends within 6 hours of the last refusal.',
    runbook: 'a-refused-key-is-still-used',
  },
  CapturesKeepFailing: {
    // A form's developer tries for a while; what fails in half an hour's periods is in use.
    threshold: { from: 1, datapoints: 6, periods: sixHours },
    when: 'In 6 periods of 5 minutes within 6 hours, a capture of a known key was refused with 422 because a field is missing or unknown.',
    act: 'A form does not fit its organization\'s settings: enquiries are being lost, however few they are. "Refusals" on the dashboard shows organization and key; the log line of a refusal names the fields. Compare them with the form and with "organization history": a field that became required or was removed is the usual reason ("organization undo"). The alarm ends within 6 hours of the last refusal.',
  },
  CapturesInvalid: {
    threshold: { from: 50, datapoints: 2, periods: 3 },
    when: 'In 2 of 3 periods of 5 minutes with captures, at least half of the captures were refused with 400, 413, 415 or 422.',
    act: 'Enquiries are being lost. "Refusals" on the dashboard shows code, organization and key; the log line of a refusal names the fields. Compare them with the form and with "organization history": a field that became required is the usual reason ("organization undo"). INVALID_JSON: the form\'s backend changed what it sends.',
  },
  CapturesRateLimited: {
    threshold: { from: 1 },
    when: 'A capture was refused because its key or organization is at its hourly limit.',
    act: 'Find organizationId and keyId in the log (code RATE_LIMITED). If a sync job uses the limit up, slow it down. If a robot fills in the form, protect the form. If the traffic is expected, raise requestsPerKeyPerHour or requestsPerOrganizationPerHour.',
    runbook: 'an-organization-sends-too-much',
  },
  GatewayThrottled: {
    // A robot that tries addresses for some minutes stays below it.
    threshold: { from: 100, datapoints: 2, periods: 3 },
    when: 'In 2 of 3 periods of 5 minutes, API Gateway itself refused at least 100 requests: with 429 by its throttle, or with 404 at unknown addresses.',
    act: 'If "Calls and refusals" on the dashboard shows a peak of calls, callers send more than requestsPerSecond to one endpoint: raise it, or ask the organization with the most calls to slow down. Without a peak, another API of the account may use up its limit (Service Quotas, API Gateway, "Throttle rate"), or a robot tries unknown addresses, which does no harm. accessLogs shows which. Callers retry a 429 after its Retry-After.',
  },
  HeartbeatFailed: {
    // One failure may be the network between the two; the second comes five minutes later.
    threshold: { below: 1, datapoints: 2 },
    when: 'In 2 consecutive periods of 5 minutes, no heartbeat got the right response at BASE_URL.',
    act: 'Callers may be unable to reach the service. The ERROR line in the log of the heartbeat function has the reason: DNS, certificate, time-out, status. From elsewhere, run "npm run verify -- --url" with this address. After "service stop" this is expected. Without an ERROR line the heartbeat itself did not run: see its function and its rule. When the option is switched on, the alarm can go off once before the first heartbeats.',
    only: 'heartbeat',
  },
  CertificateExpires: {
    threshold: { below: 30, missingIsFine: true },
    when: 'The certificate of the domain is valid for less than 30 days.',
    act: 'AWS Certificate Manager renews its own certificates earlier. Open the certificate there: usually the DNS record of its validation is missing. Add the record that it shows. An imported certificate is never renewed: import the new one under the same ARN. Afterwards no deployment is needed.',
    only: 'heartbeat',
  },
  NoCaptures: {
    threshold: { below: 1, datapoints: 'noCapturesHours' },
    when: 'No capture arrived for HOURS hours.',
    act: "Send an enquiry through each website's form. If it does not arrive, read the log of the form's backend: its address, key and network. If the forms work, raise noCapturesHours.",
    only: 'noCapturesHours',
  },
  RequestsBlocked: {
    threshold: { from: 20 },
    when: 'In 5 minutes, the firewall refused an address that sent too much, or at least 20 requests of known attackers, a fifth of all.',
    act: "In the metrics of AWS WAF, see which rule blocked (RequestsPerAddress or KnownAttackers). Ask the organizations whose calls stopped. A website on a shared address can be on AWS's list: its requests get 403. One server that sends for many organizations gets 429 and should slow down.",
    only: 'waf',
  },
  KeyExpiresSoon: {
    threshold: { from: 1 },
    when: 'An API key that is in use expires within 14 days.',
    act: 'Find keyId and organizationId in the log (keyExpiresSoon). Create a new key with "key rotate", have the caller switch to it, then revoke the old key. The alarm ends when the old key has not been used for a day.',
  },
  EventsUndelivered: {
    threshold: { from: 1 },
    when: 'Lambda could not publish some events for a day, and gave up.',
    act: 'The messages of the dead-letter queue name the time of the lost part. Write what happened since with "lead timelines --since TIME", and have the consumers read it. Find the reason in the log of publish-events. Then purge the queue.',
    only: 'events',
    runbook: 'events',
  },
  EventsLate: {
    threshold: { from: 300_000, datapoints: 2 },
    when: 'For 10 minutes, events waited more than 5 minutes to be published.',
    act: 'Find the error in the log of publish-events. If EventBridge refuses or fails, check AWS Health and the quota of PutEvents: Lambda retries for a day, and loses no event before that. A long import also delays events.',
    only: 'events',
    runbook: 'events',
  },
  BackupMissing: {
    threshold: { below: 1, datapoints: 2 },
    when: 'No backup was completed for 2 days, or the first one is still to come.',
    act: 'Run "aws backup list-backup-jobs --by-backup-vault-name VAULT": the status message of the last job is the reason. Back up at once by hand.',
    only: 'backup',
    runbook: 'back-up',
  },
  BackupCopyFailed: {
    threshold: { from: 1 },
    when: 'Within a day, copying a backup to another vault failed.',
    act: 'Run "aws backup list-copy-jobs --by-state FAILED": the status message is the reason, such as a vault whose access policy does not allow the copy. A copy of another service into the same vault sets the alarm off, too. The next backup is copied again; the failed copy is not.',
    only: 'backupCopyTo',
    runbook: 'back-up',
  },
} as const satisfies Record<string, AlarmDefinition>;

export type AlarmName = keyof typeof alarms;

/** The description of an alarm, which its email shows. CloudWatch allows 1,024 characters, and a domain can have 253 of them. */
export function alarmDescription(name: AlarmName, values: AlarmValues): string {
  const { when, act, runbook = 'a-bad-night' }: AlarmDefinition = alarms[name];
  const text = `${when} What to do: ${act} More: infra/OPERATE.md#${runbook}.`;
  const known = new Map(Object.entries(values));
  return text.replace(/\b[A-Z_]+\b/g, (word) => known.get(word) ?? word);
}

/** The service of an alarm. */
interface AlarmContext {
  readonly options: ServiceOptions;
  readonly stackName: string;
  readonly baseUrl: string;
}

/** The address of the service's dashboard in the AWS console. */
export const dashboardUrl = (serviceName: string): string =>
  `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${serviceName}`;

/** A metric with its alarm. */
export function alarmed(
  name: AlarmName,
  metric: MetricWithAlarmSupport,
  { options, stackName, baseUrl }: AlarmContext,
): CustomMetricWithAlarm {
  const { serviceName, noCapturesHours = 1 } = options;
  const threshold: Threshold = alarms[name].threshold;
  const { datapoints: number = 1 } = threshold;
  const datapoints = number === 'noCapturesHours' ? noCapturesHours : number;
  const isBelow = 'below' in threshold;
  const missingIsFine = !isBelow || threshold.missingIsFine;
  const values = { NAME: stackName, BASE_URL: baseUrl, VAULT: serviceName };
  const description = alarmDescription(name, { ...values, HOURS: String(noCapturesHours) });
  return {
    metric,
    alarmFriendlyName: name,
    addAlarm: {
      [name]: {
        threshold: isBelow ? threshold.below : threshold.from,
        comparisonOperator: isBelow
          ? ComparisonOperator.LESS_THAN_THRESHOLD
          : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingDataOverride: missingIsFine
          ? TreatMissingData.NOT_BREACHING
          : TreatMissingData.BREACHING,
        datapointsToAlarm: datapoints,
        evaluationPeriods: threshold.periods ?? datapoints,
        alarmNameOverride: `${serviceName}-${name}`,
        alarmDescriptionOverride: `${description} Dashboard: ${dashboardUrl(serviceName)}`,
      },
    },
  };
}
