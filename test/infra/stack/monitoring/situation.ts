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
  /** When a deployment ends and the functions start cold, and when a verification runs: minutes after the beginning. */
  readonly deploymentsAt?: readonly number[];
  readonly verificationsAt?: readonly number[];
}

/** What one read-only verification adds to the metrics. */
export type Verification = Readonly<Record<string, number>>;

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
    'AWS/Lambda Invocations': count('endpoint', 'capture-lead'),
    ...Object.fromEntries(
      ['unauthorized', 'capturesUnauthorized', 'capturesInvalid'].map((name) => [
        `LeadService ${name}`,
        count(name),
      ]),
    ),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** How many of so many an hour come in one minute, evenly, the first one after `offset` minutes. */
const inMinute = (perHour: number, minute: number, offset: number): number => {
  const upTo = (end: number): number => Math.max(0, Math.ceil(((end - offset) * perHour) / 60));
  return upTo(minute + 1) - upTo(minute);
};

/** Gateway, Lambda and the firewall report counts of zero only while there are calls; a metric of the log lines only when it applies. */
export function metricsOf(
  situation: Situation,
  offset: number,
  verification: Verification = {},
): MinuteSum {
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
    'LeadService tableThrottled': situation.throttledPerHour,
    'LeadService tableFailed': situation.tableFailuresPerHour,
    'LeadService contended': situation.contendedPerHour,
  };
  const levels: Record<string, number | undefined> = {
    'AWS/ApiGateway Latency': situation.latencyP99Ms,
    'AWS/Lambda IteratorAge': situation.iteratorAgeMs,
    'AWS/SQS ApproximateNumberOfMessagesVisible': situation.deadLetters,
  };
  const { deploymentsAt = [], verificationsAt = [] } = situation;
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
    const count = evenly + verifying(metric, minute - offset);
    return count === 0 ? undefined : count;
  };
}
