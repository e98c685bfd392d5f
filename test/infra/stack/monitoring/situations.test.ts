import { beforeAll, describe, expect, test } from 'vitest';
import type { AlarmName } from '../../../../infra/stack/monitoring/alarms.ts';
import { everyOption, templateWith } from '../service-template.ts';
import { type AlarmProperties, firstRing, MetricMath, type MinuteSum } from './alarm-evaluator.ts';

/** What the callers meet. Calls come evenly: `callsPerHour` of them, of which `capturesPerHour` are captures. */
interface Situation {
  readonly callsPerHour: number;
  readonly capturesPerHour?: number;
  /** Of all calls, evenly spread. */
  readonly failuresPerHour?: number;
  readonly notReadyPerHour?: number;
  readonly unknownKeysPerHour?: number;
  readonly capturesUnauthorizedPerHour?: number;
  readonly capturesInvalidPerHour?: number;
  readonly capturesRateLimitedPerHour?: number;
  /** By the firewall, before they are calls. */
  readonly overRatePerHour?: number;
  readonly attackersPerHour?: number;
  /** Functions that Lambda did not start. */
  readonly functionThrottlesPerHour?: number;
  readonly tableThrottlesPerHour?: number;
  readonly systemErrorsPerHour?: number;
  readonly transactionConflictsPerHour?: number;
  /** Of every minute. */
  readonly latencyP99Ms?: number;
  readonly iteratorAgeMs?: number;
  readonly deadLetters?: number;
}

/** How many of so many an hour come in one minute, evenly, the first one after `offset` minutes. */
const inMinute = (perHour: number, minute: number, offset: number): number => {
  const upTo = (end: number): number => Math.max(0, Math.ceil(((end - offset) * perHour) / 60));
  return upTo(minute + 1) - upTo(minute);
};

/** Gateway, Lambda and the firewall report counts of zero only while there are calls; a metric of the log lines only when it applies. */
function metricsOf(situation: Situation, offset: number): MinuteSum {
  const perHour: Record<string, number | undefined> = {
    'AWS/ApiGateway Count': situation.callsPerHour,
    'AWS/ApiGateway 5XXError': (situation.failuresPerHour ?? 0) + (situation.notReadyPerHour ?? 0),
    'AWS/Lambda Invocations': situation.capturesPerHour,
    'AWS/WAFV2 AllowedRequests': situation.callsPerHour,
    'AWS/WAFV2 RequestsPerAddress': situation.overRatePerHour,
    'AWS/WAFV2 KnownAttackers': situation.attackersPerHour,
    'LeadService notReady': situation.notReadyPerHour,
    'LeadService unauthorized': situation.unknownKeysPerHour,
    'LeadService capturesUnauthorized': situation.capturesUnauthorizedPerHour,
    'LeadService capturesInvalid': situation.capturesInvalidPerHour,
    'LeadService capturesRateLimited': situation.capturesRateLimitedPerHour,
    'AWS/Lambda Throttles': situation.functionThrottlesPerHour,
    'AWS/DynamoDB WriteThrottleEvents': situation.tableThrottlesPerHour,
    'AWS/DynamoDB SystemErrors': situation.systemErrorsPerHour,
    'AWS/DynamoDB TransactionConflict': situation.transactionConflictsPerHour,
  };
  const levels: Record<string, number | undefined> = {
    'AWS/ApiGateway Latency': situation.latencyP99Ms,
    'AWS/Lambda IteratorAge': situation.iteratorAgeMs,
    'AWS/SQS ApproximateNumberOfMessagesVisible': situation.deadLetters,
  };
  return (metric, minute) => {
    if (metric in levels) return minute < offset ? undefined : levels[metric];
    const count = minute < 0 ? 0 : inMinute(perHour[metric] ?? 0, minute, offset);
    return count === 0 ? undefined : count;
  };
}

/** Every alarm but that of a day. */
const replayed = [
  'ServerErrors',
  'FailuresContinue',
  'CallersUnauthorized',
  'CapturesUnauthorized',
  'CapturesInvalid',
  'CapturesRateLimited',
  'CaptureNotReady',
  'NoCaptures',
  'RequestsBlocked',
  'SlowAnswers',
  'ReadingFunctionsThrottled',
  'WritingFunctionsThrottled',
  'TableThrottled',
  'TableFailed',
  'TransactionsRefused',
  'EventsUndelivered',
  'EventsLate',
] as const satisfies readonly AlarmName[];

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

/** The alarms that ring within so many minutes, wherever the situation begins within a period. */
function ringing(situation: Situation, minutes: number): { always: string[]; ever: string[] } {
  const offsets = [0, 1, 2, 3, 4];
  const rings = replayed.map((name) => {
    const alarm = byName.get(name)!;
    return {
      name,
      times: offsets.filter(
        (offset) => firstRing(alarm, metricsOf(situation, offset), minutes + offset) !== undefined,
      ).length,
    };
  });
  return {
    always: rings.filter(({ times }) => times === offsets.length).map(({ name }) => name),
    ever: rings.filter(({ times }) => times > 0).map(({ name }) => name),
  };
}

const busy = { callsPerHour: 120_000, capturesPerHour: 12_000 };
const quiet = { callsPerHour: 10, capturesPerHour: 10 };

describe('within 15 minutes, whenever a situation begins, these alarms ring and no other', () => {
  test.each<[string, Situation, readonly AlarmName[]]>([
    ['nothing is wrong', busy, []],
    ['nothing is wrong and few call', quiet, []],
    ['nobody calls', { callsPerHour: 0 }, []],
    ['one call of 100,000 fails', { ...busy, failuresPerHour: 1 }, []],
    [
      'a service of ten calls an hour is fully down',
      { ...quiet, failuresPerHour: 10 },
      ['FailuresContinue'],
    ],
    [
      'a busy service is fully down',
      { ...busy, failuresPerHour: 120_000 },
      ['ServerErrors', 'FailuresContinue'],
    ],
    [
      'an endpoint with 0.9 % of the traffic is wholly broken',
      { ...busy, failuresPerHour: 1080 },
      ['FailuresContinue'],
    ],
    ['one call of a thousand fails', { ...busy, failuresPerHour: 120 }, ['FailuresContinue']],
    [
      'all keys of a busy service are unknown',
      { ...busy, unknownKeysPerHour: 120_000, capturesUnauthorizedPerHour: 12_000 },
      ['CallersUnauthorized', 'CapturesUnauthorized'],
    ],
    [
      'all keys of a service of ten calls an hour are unknown',
      { ...quiet, unknownKeysPerHour: 10, capturesUnauthorizedPerHour: 10 },
      ['CallersUnauthorized', 'CapturesUnauthorized'],
    ],
    [
      'a field that all forms lack became required',
      { callsPerHour: 1000, capturesPerHour: 20, capturesInvalidPerHour: 20 },
      ['CapturesInvalid'],
    ],
    [
      'the keys of the websites, which send a tenth of the calls, lack the scope',
      { ...busy, capturesUnauthorizedPerHour: 12_000 },
      ['CapturesUnauthorized'],
    ],
    [
      'one enquiry of ten is sent with an old key',
      { callsPerHour: 1000, capturesPerHour: 600, capturesUnauthorizedPerHour: 60 },
      [],
    ],
    [
      'one enquiry of ten is invalid',
      { callsPerHour: 1000, capturesPerHour: 600, capturesInvalidPerHour: 60 },
      [],
    ],
    [
      'captures are over the hourly limit',
      { ...busy, capturesRateLimitedPerHour: 60 },
      ['CapturesRateLimited'],
    ],
    [
      'an organization is not ready for captures',
      { ...busy, notReadyPerHour: 60 },
      ['CaptureNotReady'],
    ],
    [
      'the firewall refuses a server for its rate',
      { ...busy, overRatePerHour: 60 },
      ['RequestsBlocked'],
    ],
    [
      'the firewall takes the websites for attackers',
      { callsPerHour: 600, capturesPerHour: 100, attackersPerHour: 600 },
      ['RequestsBlocked'],
    ],
    ['a scanner is blocked on a busy service', { ...busy, attackersPerHour: 600 }, []],
    [
      'the account has no concurrent executions left',
      { ...busy, functionThrottlesPerHour: 60 },
      ['ReadingFunctionsThrottled', 'WritingFunctionsThrottled'],
    ],
    [
      'one partition of the table is throttled',
      { ...busy, tableThrottlesPerHour: 120 },
      ['TableThrottled'],
    ],
    ['DynamoDB fails', { ...busy, systemErrorsPerHour: 600 }, ['TableFailed']],
    ['DynamoDB fails once in a while', { ...busy, systemErrorsPerHour: 12 }, []],
    [
      'many callers write one lead',
      { ...busy, transactionConflictsPerHour: 6000 },
      ['TransactionsRefused'],
    ],
    ['two people capture at once', { ...busy, transactionConflictsPerHour: 60 }, []],
    ['calls are slow', { ...busy, latencyP99Ms: 4000 }, ['SlowAnswers']],
    ['calls are as fast as ever', { ...busy, latencyP99Ms: 300 }, []],
    ['the bus refuses events', { ...busy, iteratorAgeMs: 600_000 }, ['EventsLate']],
    ['events come a second late', { ...busy, iteratorAgeMs: 1000 }, []],
    ['events were given up', { ...busy, deadLetters: 1 }, ['EventsUndelivered']],
    ['a scanner is blocked on a quiet service', { ...quiet, attackersPerHour: 60 }, []],
  ])('%s', (_, situation, expected) => {
    expect(ringing(situation, 15)).toEqual({ always: expected, ever: expected });
  });
});

test('every alarm is replayed here or over a day', () => {
  expect([...replayed, 'KeyExpiresSoon'].sort()).toEqual([...byName.keys()].sort());
});

test('KeyExpiresSoon rings within a day of a key that is used once, and not without one', () => {
  const alarm = byName.get('KeyExpiresSoon')!;
  const usedAt =
    (at: number): MinuteSum =>
    (metric, minute) =>
      metric === 'LeadService keyExpiresSoon' && minute === at ? 1 : undefined;

  expect(firstRing(alarm, usedAt(700), 60 * 24)).toBe(60 * 24);
  expect(firstRing(alarm, usedAt(-1), 60 * 24)).toBeUndefined();
});

test('NoCaptures rings after the hours of the option, and stays silent while captures come', () => {
  const alarm = byName.get('NoCaptures')!;
  const silentFromHour = (hour: number): MinuteSum => {
    const before = metricsOf({ callsPerHour: 60, capturesPerHour: 60 }, 0);
    return (metric, minute) => (minute < 60 * hour ? before(metric, Math.abs(minute)) : undefined);
  };

  expect(firstRing(alarm, silentFromHour(2), 60 * 24)).toBe(60 * 5);
  expect(firstRing(alarm, silentFromHour(24), 60 * 24)).toBeUndefined();
});

describe('metric math', () => {
  const metrics = new Map([
    ['some', 4],
    ['none', undefined],
  ]);
  test.each<[string, number | undefined]>([
    ['1 + 2 * some', 9],
    ['100 * (some - 1) / 2', 150],
    ['8 / 4 / 2', 1],
    ['some / 0', undefined],
    ['some + none', undefined],
    ['FILL(none, 0) + some', 4],
    ['IF(some >= 4, 0.5, 0)', 0.5],
    ['IF(some < 4, 1, none)', undefined],
    ['IF(none >= 1, 1, 0)', undefined],
  ])('%s is %s', (expression, expected) => {
    expect(new MetricMath(expression, metrics).value()).toBe(expected);
  });

  test.each(['some +', 'MAX(some)', 'some some', 'other'])(
    'an expression that the evaluator does not know is refused: %s',
    (expression) => {
      expect(() => new MetricMath(expression, metrics).value()).toThrow();
    },
  );
});
