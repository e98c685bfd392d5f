import { expect } from 'vitest';
import { Checks } from '../../../../infra/verify/check.ts';
import { readOnlyChecks } from '../../../../infra/verify/read-only-checks.ts';
import { startServiceProcess } from '../../../support/service-process.ts';
import type { MinuteSum } from './alarm-evaluator.ts';

/** What the callers meet. Counts are by the hour, and come evenly. */
export interface Situation extends Partial<Readonly<Record<Counted, number>>> {
  readonly calls: number;
  /** Of the calls. */
  readonly captures?: number;
  /** Server errors other than NOT_READY. */
  readonly failures?: number;
  /** By the gateway itself: its throttle, and unknown addresses. */
  readonly gatewayRefusals?: number;
  /** Of every minute. */
  readonly Latency?: number;
  readonly IteratorAge?: number;
  readonly ApproximateNumberOfMessagesVisible?: number;
  readonly certificateDays?: number;
  /** By default answered. `unanswered`: the address is dead. `spoiled`: the function answers, but too late, or a proxy changes the response. */
  readonly heartbeats?: 'answered' | 'unanswered' | 'spoiled' | 'missing';
  /** When a deployment ends and the functions start cold, and when a verification runs: minutes after the beginning. */
  readonly deploymentsAt?: readonly number[];
  readonly verificationsAt?: readonly number[];
}

/** Metrics of the log lines, of Lambda, and of the firewall, whose blocks come before there is a call. */
type Counted =
  | ('notReady' | 'unauthorized' | 'knownKeyRefused' | 'tableThrottled' | 'tableFailed')
  | ('capturesUnauthorized' | 'capturesInvalid' | 'capturesMismatched' | 'capturesRateLimited')
  | ('contended' | 'Throttles' | 'RequestsPerAddress' | 'KnownAttackers');

export const busy = { calls: 120_000, captures: 12_000 };
export const quiet = { calls: 10, captures: 10 };
/** Of 600 enquiries an hour, so many come from one organization of several, all of whose enquiries are refused. */
const several = { calls: 1000, captures: 600 };
export const withOldKey = (perHour: number): Situation => ({
  ...several,
  capturesUnauthorized: perHour,
  knownKeyRefused: perHour,
});
export const misfit = (perHour: number): Situation => ({
  ...several,
  capturesInvalid: perHour,
  capturesMismatched: perHour,
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

/** The same sums, each computed once: the alarms look at the same minutes, each many times. */
export function cached(sums: MinuteSum): MinuteSum {
  const known = new Map<string, Map<number, number | undefined>>();
  return (metric, minute) => {
    const minutes = known.get(metric) ?? new Map<number, number | undefined>();
    known.set(metric, minutes);
    if (!minutes.has(minute)) minutes.set(minute, sums(metric, minute));
    return minutes.get(minute);
  };
}

/** Gateway, Lambda and the firewall report counts of zero only while there are calls; a metric of the log lines only when it applies. */
export function metricsOf(
  situation: Situation,
  offset: number,
  verification: Verification = {},
): MinuteSum {
  const { calls, captures = 0, failures = 0, notReady = 0, gatewayRefusals = 0 } = situation;
  const { unauthorized, capturesUnauthorized, capturesInvalid = 0 } = situation;
  const { capturesRateLimited = 0, RequestsPerAddress = 0, KnownAttackers = 0 } = situation;
  const refused =
    (unauthorized ?? capturesUnauthorized ?? 0) + capturesInvalid + capturesRateLimited;
  const blocked = RequestsPerAddress + KnownAttackers;
  const { Latency, IteratorAge, ApproximateNumberOfMessagesVisible, certificateDays } = situation;
  const levels: Readonly<Record<string, number | undefined>> = {
    ...{ Latency, IteratorAge, ApproximateNumberOfMessagesVisible, certificateDays },
  };
  const perHour: Readonly<Record<string, unknown>> = {
    ...situation,
    ...{ Count: calls, Invocations: captures, refused },
    '4XXError': refused + blocked + gatewayRefusals,
    '5XXError': failures + notReady,
    ...{ BlockedRequests: blocked, AllowedRequests: calls },
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
    const name = metric.slice(metric.indexOf(' ') + 1);
    if (name === 'Latency' && deploymentsAt.includes(minute - offset)) return 4000;
    if (name in levels) return minute < offset ? undefined : levels[name];
    const evenly = minute < 0 ? 0 : inMinute(Number(perHour[name] ?? 0), minute, offset);
    const count = evenly + verifying(metric, minute - offset) + beating(metric, minute);
    return count === 0 ? undefined : count;
  };
}
