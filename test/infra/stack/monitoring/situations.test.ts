import { beforeAll, expect, test } from 'vitest';
import { type AlarmName, alarms } from '../../../../infra/stack/monitoring/alarms.ts';
import { everyOption, templateWith } from '../service-template.ts';
import { type AlarmProperties, firstAlarm, isInAlarm, type PeriodSum } from './alarm-evaluator.ts';
import { busy, metricsOf, misfit, quiet, type Situation, withOldKey } from './situation.ts';

/** They look back for a day or more: the tests below and lead-table.test.ts set them off. */
const ofDays: readonly string[] = ['BackupCopyFailed', 'BackupMissing', 'KeyExpiresSoon'];
const replayed = (Object.keys(alarms) as AlarmName[]).filter((name) => !ofDays.includes(name));

let byName: ReadonlyMap<string, AlarmProperties>;
beforeAll(async () => {
  const template = await templateWith({ ...everyOption, noCapturesHours: 3 });
  byName = new Map(
    Object.values(template.findResources('AWS::CloudWatch::Alarm'))
      .map(({ Properties }) => withRuleNames(Properties as AlarmProperties))
      .map((one) => [one.AlarmName.replace('lead-service-test-', ''), one]),
  );
}, 120_000);

/** Blocks of two rules are one metric name with two dimensions: names each after its rule. */
const withRuleNames = (alarm: AlarmProperties): AlarmProperties =>
  JSON.parse(
    JSON.stringify(alarm).replace(
      /"Dimensions":(\[[^\]]*"Name":"Rule","Value":"(RequestsPerAddress|KnownAttackers)"[^\]]*\]),"MetricName":"BlockedRequests"/g,
      '"Dimensions":$1,"MetricName":"$2"',
    ),
  );

/** The alarms that go off within so many minutes. */
function goingOff(situation: Situation, minutes: number): readonly AlarmName[] {
  const sums = metricsOf(situation);
  return replayed.filter((name) => firstAlarm(byName.get(name)!, sums, minutes / 5) !== undefined);
}

/** What happens, the alarms that go off for it, and within how many minutes if it is not 15. */
type SituationCase = [string, Situation, readonly AlarmName[], number?];
const situations: readonly SituationCase[] = [
  ['nothing is wrong', { ...busy, certificateDays: 31 }, []],
  ['nothing is wrong and few call', quiet, []],
  ['nobody calls but the heartbeat', { calls: 0 }, [], 55],
  ['one call of 100,000 fails', { ...busy, failures: 1 }, []],
  [
    'a service of ten calls an hour is fully down',
    { ...quiet, failures: 10 },
    ['FailuresContinue'],
  ],
  [
    'a busy service is fully down',
    { ...busy, failures: 120_000 },
    ['ServerErrors', 'FailuresContinue'],
  ],
  [
    'an endpoint with 0.9 % of the traffic is wholly broken',
    { ...busy, failures: 1080 },
    ['FailuresContinue'],
  ],
  ['one call of 900 fails', { ...busy, failures: 132 }, ['FailuresContinue']],
  [
    'all keys of a busy service are unknown',
    { ...busy, unauthorized: 120_000, capturesUnauthorized: 12_000 },
    ['CallersUnauthorized', 'CapturesUnauthorized'],
    25,
  ],
  [
    'all keys of a service of ten calls an hour are unknown',
    { ...quiet, unauthorized: 10, capturesUnauthorized: 10 },
    ['CallersUnauthorized', 'CapturesUnauthorized'],
    25,
  ],
  [
    'a field that all forms lack became required',
    { ...misfit(20), captures: 20 },
    ['CapturesInvalid', 'CapturesKeepFailing'],
    30,
  ],
  [
    'website keys, which send a tenth of the calls, lack the scope',
    { ...busy, capturesUnauthorized: 12_000, knownKeyRefused: 12_000 },
    ['CapturesUnauthorized', 'KnownKeyRefused'],
    20,
  ],
  ['one enquiry of three is sent with a revoked key', withOldKey(200), ['KnownKeyRefused']],
  ['one enquiry of ten is sent with a revoked key', withOldKey(60), ['KnownKeyRefused']],
  ['one enquiry of a hundred is sent with a revoked key', withOldKey(6), ['KnownKeyRefused'], 30],
  ['one enquiry an hour is sent with a revoked key', withOldKey(1), ['KnownKeyRefused'], 125],
  ['the form of a third of the enquiries lacks a field', misfit(200), ['CapturesKeepFailing'], 30],
  ['the form of a tenth of the enquiries lacks a field', misfit(60), ['CapturesKeepFailing'], 30],
  ['the form of a hundredth of them lacks a field', misfit(6), ['CapturesKeepFailing'], 60],
  ['the form of one enquiry an hour lacks a field', misfit(1), ['CapturesKeepFailing'], 305],
  [
    'a scanner tries a thousand unknown keys an hour',
    { ...busy, unauthorized: 1000, capturesUnauthorized: 1000 },
    [],
    400,
  ],
  ['visitors mistype one enquiry of twenty', { ...busy, capturesInvalid: 600 }, [], 400],
  [
    'the throttle of an endpoint refuses a twentieth of the calls',
    { ...busy, gatewayRefusals: 6000 },
    ['GatewayThrottled'],
  ],
  [
    'other services use up the limit of the account',
    { calls: 3000, captures: 0, gatewayRefusals: 2400 },
    ['GatewayThrottled'],
  ],
  ['a robot tries ten unknown addresses a minute', { ...quiet, gatewayRefusals: 600 }, []],
  ['no heartbeat is sent', { ...busy, heartbeats: 'missing' }, ['HeartbeatFailed']],
  ['the address is dead', { calls: 0, heartbeats: 'unanswered' }, ['HeartbeatFailed']],
  ['another reply arrives', { calls: 0, heartbeats: 'spoiled' }, ['HeartbeatFailed'], 30],
  ['the certificate ends in 20 days', { ...quiet, certificateDays: 20 }, ['CertificateExpires']],
  [
    'captures are over the hourly limit',
    { ...busy, capturesRateLimited: 60 },
    ['CapturesRateLimited'],
  ],
  ['an organization is not ready for captures', { ...busy, notReady: 60 }, ['CaptureNotReady']],
  [
    'the firewall refuses a server for its rate',
    { ...busy, RequestsPerAddress: 60 },
    ['RequestsBlocked'],
  ],
  [
    'the firewall takes the websites for attackers',
    { calls: 600, captures: 100, KnownAttackers: 600 },
    ['RequestsBlocked'],
  ],
  ['a scanner is blocked on a busy service', { ...busy, KnownAttackers: 600 }, []],
  [
    'the account has no concurrent executions left',
    { ...busy, Throttles: 60 },
    ['ReadingFunctionsThrottled', 'WritingFunctionsThrottled'],
  ],
  [
    'one partition of the table is throttled',
    { ...busy, tableThrottled: 132, failures: 132 },
    ['FailuresContinue', 'TableThrottled'],
  ],
  [
    'DynamoDB fails',
    { ...busy, tableFailed: 600, failures: 600 },
    ['FailuresContinue', 'TableFailed'],
  ],
  ['DynamoDB fails once in a while', { ...busy, tableFailed: 12, failures: 12 }, []],
  ['many callers write one lead', { ...busy, contended: 600 }, ['TransactionsRefused']],
  ['a capture is given up now and then', { ...busy, contended: 12 }, []],
  ['calls are slow', { ...busy, Latency: 4000 }, ['SlowAnswers']],
  ['calls are as fast as ever', { ...busy, Latency: 300 }, []],
  ['the bus refuses events', { ...busy, IteratorAge: 600_000 }, ['EventsLate']],
  ['events come a second late', { ...busy, IteratorAge: 1000 }, []],
  [
    'events were given up',
    { ...busy, ApproximateNumberOfMessagesVisible: 1 },
    ['EventsUndelivered'],
  ],
  ['a scanner is blocked on a quiet service', { ...quiet, KnownAttackers: 60 }, []],
];

test.each<SituationCase>([...situations])(
  'exactly these alarms go off when %s',
  (_, situation, expected, minutes = 15) => {
    expect(goingOff(situation, minutes)).toEqual(expected);
  },
);

test.each<SituationCase>(situations.filter(([, , expected]) => expected.length > 0))(
  'its alarms end in time, called or not: %s',
  (_, situation) => {
    const cause = metricsOf(situation);
    // In time: within 40 minutes, or the hours that the alarm watches.
    for (const afterwards of [metricsOf(busy), metricsOf({ calls: 0 })]) {
      const over: PeriodSum = (metric, period) => (period < 6 ? cause : afterwards)(metric, period);
      const on = replayed
        .filter((name) => name !== 'NoCaptures')
        .map((name) => byName.get(name)!)
        .filter((alarm) => isInAlarm(alarm, over, 6 + Math.max(8, alarm.EvaluationPeriods)));
      expect(on).toEqual([]);
    }
  },
);

const oneAMinute = { calls: 60, captures: 0 };
const services = {
  nobody: { calls: 0 },
  quiet,
  oneAMinute,
  captures: { ...oneAMinute, captures: 60 },
  busy,
};
/** A verification within one period or across the end of one, alone or followed by another six minutes later. */
const [half, rest] = [0.5, 0.49]; // only one of the two has the capture
const verifications = [
  [1],
  [half, rest],
  [1, 1],
  [half, rest, 1],
  [rest, half, 1],
  [1, half, rest],
];

test.each(Object.entries(services))(
  'no alarm goes off within 40 minutes of deployments and verifications on a service: %s',
  (_, service) => {
    for (const deploymentsIn of [[], [0], [0, 1], [0, 2]])
      for (const verificationsIn of [[], ...verifications])
        expect(goingOff({ ...service, deploymentsIn, verificationsIn }, 40)).toEqual([]);
  },
);

test('every alarm of the table, and no other, is in the template, and goes off in a test', () => {
  const goneOff = situations.flatMap(([, , expected]) => expected);

  expect(new Set([...goneOff, 'NoCaptures', ...ofDays])).toEqual(new Set(byName.keys()));
});

test('KeyExpiresSoon goes off within a day of a key that is used once, and not without one', () => {
  const alarm = byName.get('KeyExpiresSoon')!;
  const usedIn =
    (one: number): PeriodSum =>
    (metric, period) =>
      metric === 'LeadService keyExpiresSoon' && period === one ? 1 : undefined;

  expect(firstAlarm(alarm, usedIn(140), 12 * 24)).toBe(12 * 24);
  expect(firstAlarm(alarm, usedIn(-1), 12 * 24)).toBeUndefined();
});

test('NoCaptures goes off after the hours of the option, and stays silent while captures arrive', () => {
  const alarm = byName.get('NoCaptures')!;
  const silentFromHour = (hour: number): PeriodSum => {
    const before = metricsOf({ calls: 60, captures: 60 });
    return (metric, period) => (period < 12 * hour ? before(metric, Math.abs(period)) : undefined);
  };

  expect(firstAlarm(alarm, silentFromHour(2), 12 * 24)).toBe(12 * 5);
  expect(firstAlarm(alarm, silentFromHour(24), 12 * 24)).toBeUndefined();
});
