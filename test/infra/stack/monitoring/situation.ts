import type { MetricName } from '../../../../shared/observability/metrics.ts';
import type { PeriodSum } from './alarm-evaluator.ts';

/** What the callers meet. Counts are by the hour, and come evenly. */
export interface Situation extends Partial<Readonly<Record<Counted, number>>> {
  readonly calls: number;
  /** Of the calls. */
  readonly captures?: number;
  /** Server errors other than NOT_READY. */
  readonly failures?: number;
  /** By the gateway itself: its throttle, and unknown addresses. */
  readonly gatewayRefusals?: number;
  /** Of every period. */
  readonly Latency?: number;
  readonly IteratorAge?: number;
  readonly ApproximateNumberOfMessagesVisible?: number;
  /** By default answered. `unanswered`: the address is dead. `spoiled`: the function answers, but too late, or a proxy changes the response. */
  readonly heartbeats?: 'answered' | 'unanswered' | 'spoiled' | 'missing';
  /** The periods in which a deployment ends and the functions start cold. */
  readonly deploymentsIn?: readonly number[];
  /** The share of a verification that runs in each of the first periods. */
  readonly verificationsIn?: readonly number[];
}

/** Metrics of the log lines, of Lambda, and of the firewall, whose blocks come before there is a call. */
type Counted = MetricName | 'Throttles' | 'RequestsPerAddress' | 'KnownAttackers';

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

/** The most that a read-only verification adds to the metrics; `verify.integration.test.ts` counts what it does add. */
export const verification: Readonly<Record<string, number>> = {
  'AWS/ApiGateway Count': 25,
  'AWS/ApiGateway 4XXError': 30,
  'AWS/Lambda Invocations': 1,
  'LeadService refused': 25,
  'LeadService unauthorized': 20,
  'LeadService capturesUnauthorized': 1,
  'LeadService capturesInvalid': 0,
  'LeadService knownKeyRefused': 0,
  'LeadService capturesMismatched': 0,
};

/** What the heartbeat of each period adds to the metrics: to sums, or to numbers of values. */
const heartbeatAdds: Readonly<Record<string, readonly string[]>> = {
  'LeadService heartbeatAnswered SampleCount': ['answered', 'spoiled', 'unanswered'],
  'LeadService heartbeatAnswered': ['answered'],
  'AWS/ApiGateway Count': ['answered', 'spoiled'],
  'AWS/ApiGateway 4XXError': ['answered', 'spoiled'],
  'LeadService refused': ['answered', 'spoiled'],
  'LeadService unauthorized': ['answered', 'spoiled'],
};

/**
 * The metrics of a situation that begins with period 0. Gateway, Lambda and the firewall report counts of zero only while there are calls; a
 * metric of the log lines only when it applies.
 */
export function metricsOf(situation: Situation): PeriodSum {
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
  const { deploymentsIn = [], verificationsIn = [], heartbeats = 'answered' } = situation;
  return (metric, period) => {
    const name = metric.slice(metric.indexOf(' ') + 1);
    if (name === 'Latency' && deploymentsIn.includes(period)) return 4000;
    if (name in levels) return period < 0 ? undefined : levels[name];
    const upTo = (end: number): number =>
      Math.max(0, Math.ceil((end * Number(perHour[name] ?? 0)) / 12));
    const verified = Math.round((verification[metric] ?? 0) * (verificationsIn[period] ?? 0));
    const isBeat = heartbeatAdds[metric]?.includes(period < 0 ? 'answered' : heartbeats);
    const count = upTo(period + 1) - upTo(period) + verified + (isBeat ? 1 : 0);
    return count === 0 ? undefined : count;
  };
}
