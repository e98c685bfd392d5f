import { expect } from 'vitest';
import { Checks } from '../../../../infra/verify/check.ts';
import { readOnlyChecks } from '../../../../infra/verify/read-only-checks.ts';
import { startServiceProcess } from '../../../support/service-process.ts';
import type { MinuteSum } from './alarm-evaluator.ts';

/** What the callers meet. Calls come evenly: `callsPerHour` of them, of which `capturesPerHour` are captures. */
export interface Situation {
  readonly callsPerHour: number;
  readonly capturesPerHour?: number;
  /** Of all calls, evenly spread. */
  readonly failuresPerHour?: number;
  readonly notReadyPerHour?: number;
  readonly unknownKeysPerHour?: number;
  readonly capturesUnauthorizedPerHour?: number;
  readonly capturesInvalidPerHour?: number;
  readonly capturesRateLimitedPerHour?: number;
  /** Of the captures with 401: those of a key that is known. */
  readonly knownKeyRefusedPerHour?: number;
  /** Of the invalid captures: those that lack a field, or have an unknown one. */
  readonly capturesMismatchedPerHour?: number;
  /** By the gateway itself: its throttle, and unknown addresses. */
  readonly gatewayRefusalsPerHour?: number;
  /** By the firewall, before they are calls. */
  readonly overRatePerHour?: number;
  readonly attackersPerHour?: number;
  /** Functions that Lambda did not start. */
  readonly functionThrottlesPerHour?: number;
  /** Calls that failed because DynamoDB throttled, because it failed, and because other requests wrote the same item. */
  readonly throttledPerHour?: number;
  readonly tableFailuresPerHour?: number;
  readonly contendedPerHour?: number;
  /** Of every minute. */
  readonly latencyP99Ms?: number;
  readonly iteratorAgeMs?: number;
  readonly deadLetters?: number;
  /** By default answered. `unanswered`: the address is dead. `spoiled`: the function answers, but too late, or a proxy changes the response. */
  readonly heartbeats?: 'answered' | 'unanswered' | 'spoiled' | 'missing';
  readonly certificateDays?: number;
  /** When a deployment ends and the functions start cold, and when a verification runs: minutes after the beginning. */
  readonly deploymentsAt?: readonly number[];
  readonly verificationsAt?: readonly number[];
}

export const busy = { callsPerHour: 120_000, capturesPerHour: 12_000 };
export const quiet = { callsPerHour: 10, capturesPerHour: 10 };
/** Of 600 enquiries an hour, so many come from one organization of several, all of whose enquiries are refused. */
const several = { callsPerHour: 1000, capturesPerHour: 600 };
export const withOldKey = (perHour: number): Situation => ({
  ...several,
  capturesUnauthorizedPerHour: perHour,
  knownKeyRefusedPerHour: perHour,
});
export const misfit = (perHour: number): Situation => ({
  ...several,
  capturesInvalidPerHour: perHour,
  capturesMismatchedPerHour: perHour,
});

/** What one read-only verification adds to the metrics. */
export type Verification = Readonly<Record<string, number>>;

/** Metrics of the log lines that a verification may add to. */
const counted = [
  'refused',
  'unauthorized',
  'capturesUnauthorized',
  'capturesInvalid',
  'knownKeyRefused',
  'capturesMismatched',
];

/** Runs the real checks against the service, and counts what its functions log. The gateway's own responses would only lower the shares. */
export async function countVerification(): Promise<Verification> {
  const service = await startServiceProcess();
  const checks = new Checks(() => undefined, new AbortController().signal);
  await readOnlyChecks(checks, service.ready.baseUrl);
  await service.end();
  expect(checks.results.filter(({ passed }) => !passed)).toEqual([]);
  const lines = service.printed.stderr
    .split('\n')
    .filter((line) => line.includes('"message":"answered"'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const count = (member: string, value?: unknown): number =>
    lines.filter((line) => (value === undefined ? member in line : line[member] === value)).length;
  return {
    'AWS/ApiGateway Count': lines.length,
    'AWS/ApiGateway 4XXError': checks.results.length,
    'AWS/Lambda Invocations': count('endpoint', 'capture-lead'),
    ...Object.fromEntries(counted.map((name) => [`LeadService ${name}`, count(name)])),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** How many of so many an hour come in one minute, evenly, the first one after `offset` minutes. */
const inMinute = (perHour: number, minute: number, offset: number): number => {
  const upTo = (end: number): number => Math.max(0, Math.ceil(((end - offset) * perHour) / 60));
  return upTo(minute + 1) - upTo(minute);
};

/** Each heartbeat is sent in the third minute of a period. What it adds to the metrics, sums and numbers of values: */
const heartbeatAdds: Readonly<Record<string, readonly string[]>> = {
  'LeadService heartbeatAnswered SampleCount': ['answered', 'spoiled', 'unanswered'],
  'LeadService heartbeatAnswered': ['answered'],
  'AWS/ApiGateway Count': ['answered', 'spoiled'],
  'AWS/ApiGateway 4XXError': ['answered', 'spoiled'],
  'LeadService refused': ['answered', 'spoiled'],
  'LeadService unauthorized': ['answered', 'spoiled'],
};

/** Gateway, Lambda and the firewall report counts of zero only while there are calls; a metric of the log lines only when it applies. */
export function metricsOf(
  situation: Situation,
  offset: number,
  verification: Verification = {},
): MinuteSum {
  const refusals = sum([
    situation.unknownKeysPerHour ?? situation.capturesUnauthorizedPerHour ?? 0,
    situation.capturesInvalidPerHour ?? 0,
    situation.capturesRateLimitedPerHour ?? 0,
  ]);
  const blocked = (situation.overRatePerHour ?? 0) + (situation.attackersPerHour ?? 0);
  const perHour: Record<string, number | undefined> = {
    'AWS/ApiGateway Count': situation.callsPerHour,
    'AWS/ApiGateway 4XXError': refusals + blocked + (situation.gatewayRefusalsPerHour ?? 0),
    'AWS/WAFV2 BlockedRequests': blocked,
    'LeadService refused': refusals,
    'LeadService knownKeyRefused': situation.knownKeyRefusedPerHour,
    'LeadService capturesMismatched': situation.capturesMismatchedPerHour,
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
    'LeadService tableThrottled': situation.throttledPerHour,
    'LeadService tableFailed': situation.tableFailuresPerHour,
    'LeadService contended': situation.contendedPerHour,
  };
  const levels: Record<string, number | undefined> = {
    'AWS/ApiGateway Latency': situation.latencyP99Ms,
    'AWS/Lambda IteratorAge': situation.iteratorAgeMs,
    'AWS/SQS ApproximateNumberOfMessagesVisible': situation.deadLetters,
    'LeadService certificateDays': situation.certificateDays,
  };
  const { deploymentsAt = [], verificationsAt = [], heartbeats = 'answered' } = situation;
  const beating = (metric: string, minute: number): number => {
    const outcomes = heartbeatAdds[metric] ?? [];
    const isBeat = minute % 5 === 2 || minute % 5 === -3;
    return isBeat && outcomes.includes(minute < offset ? 'answered' : heartbeats) ? 1 : 0;
  };
  /** Half of a verification's requests come in the next minute, so that it can lie on both sides of a period's end. */
  const verifying = (metric: string, minute: number): number => {
    const all = verification[metric] ?? 0;
    return sum(
      verificationsAt.map((at) =>
        minute === at ? Math.ceil(all / 2) : minute === at + 1 ? Math.floor(all / 2) : 0,
      ),
    );
  };
  return (metric, minute) => {
    if (metric === 'AWS/ApiGateway Latency' && deploymentsAt.includes(minute - offset)) return 4000;
    if (metric in levels) return minute < offset ? undefined : levels[metric];
    const evenly = minute < 0 ? 0 : inMinute(perHour[metric] ?? 0, minute, offset);
    const count = evenly + verifying(metric, minute - offset) + beating(metric, minute);
    return count === 0 ? undefined : count;
  };
}
