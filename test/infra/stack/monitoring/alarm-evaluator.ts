/**
 * Evaluates synthesized alarms as CloudWatch does: M of N periods, missing data, and the part of metric math that the alarms use
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html, "Using metric math").
 * Alarms on AWS/DynamoDB are refused: the API reference and the user guide disagree about their missing data
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html, `TreatMissingData`).
 */
export interface AlarmProperties {
  readonly AlarmName: string;
  readonly Threshold: number;
  readonly ComparisonOperator: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold';
  readonly TreatMissingData: 'notBreaching' | 'breaching';
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Period?: number;
  readonly Metrics?: readonly MetricQuery[];
}
interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly ReturnData?: boolean;
  readonly MetricStat?: {
    readonly Period: number;
    readonly Stat?: string;
    readonly Metric: { readonly Namespace: string; readonly MetricName: string };
  };
}

/**
 * What a metric has in a period of five minutes, counted from 0: its sum (the number of its values for a metric named `… SampleCount`), or the
 * value of an alarm's other statistic; undefined if nothing was reported. A longer period has the sum.
 */
export type PeriodSum = (metric: string, period: number) => number | undefined;

/** @returns the first period, counted from 1, at whose end the alarm is in ALARM; undefined if it stays silent */
export function firstAlarm(
  alarm: AlarmProperties,
  sums: PeriodSum,
  periods: number,
): number | undefined {
  const length = lengthOf(alarm);
  for (let end = length; end <= periods; end += length) if (isInAlarm(alarm, sums, end)) return end;
  return undefined;
}

/** How many periods of five minutes make up one period of the alarm. */
const lengthOf = ({ Period, Metrics = [] }: AlarmProperties): number =>
  (Period ?? Math.max(...Metrics.map(({ MetricStat }) => MetricStat?.Period ?? 0))) / 300;

/** Whether the alarm is in ALARM at the end of this many periods. */
export function isInAlarm(alarm: AlarmProperties, sums: PeriodSum, end: number): boolean {
  const length = lengthOf(alarm);
  const points = Array.from({ length: alarm.EvaluationPeriods + extraPeriods }, (_, back) => {
    const from = end - (back + 1) * length;
    const value = valueOf(alarm, (metric) => {
      const values = Array.from({ length }, (_, at) => sums(metric, from + at));
      const reported = values.filter((one) => one !== undefined);
      return reported.length === 0 ? undefined : reported.reduce((sum, one) => sum + one, 0);
    });
    return value === undefined ? undefined : isBreaching(alarm, value);
  });
  return isAlarmOf(alarm, points);
}

/** How many periods before the N are read. AWS documents it only for its examples, whose alarms of three periods read five. */
const extraPeriods = 2;

/**
 * Whether points set an alarm off. If some are missing, older ones take their place: a missing point counts as `TreatMissingData` says only
 * if fewer than N points exist.
 * @param points whether each breaches, undefined if it is missing; the newest first
 */
export function isAlarmOf(
  {
    EvaluationPeriods,
    DatapointsToAlarm = EvaluationPeriods,
    TreatMissingData,
  }: Pick<AlarmProperties, 'EvaluationPeriods' | 'DatapointsToAlarm' | 'TreatMissingData'>,
  points: readonly (boolean | undefined)[],
): boolean {
  const existing = points.filter((point) => point !== undefined).slice(0, EvaluationPeriods);
  const missing = TreatMissingData === 'breaching' ? EvaluationPeriods - existing.length : 0;
  return existing.filter(Boolean).length + missing >= DatapointsToAlarm;
}

const isBreaching = (alarm: AlarmProperties, value: number): boolean =>
  alarm.ComparisonOperator === 'LessThanThreshold'
    ? value < alarm.Threshold
    : value >= alarm.Threshold;

/** @throws Error for a metric of DynamoDB's own */
function valueOf(
  { MetricName, Namespace, Metrics = [] }: AlarmProperties,
  sums: (metric: string) => number | undefined,
) {
  const namespaces = [Namespace, ...Metrics.map(({ MetricStat }) => MetricStat?.Metric.Namespace)];
  if (namespaces.includes('AWS/DynamoDB'))
    throw new Error('Whether an alarm on AWS/DynamoDB ends is not known.');
  if (MetricName) return sums(`${Namespace} ${MetricName}`);
  const expression = Metrics.find(({ ReturnData }) => ReturnData !== false)?.Expression;
  if (expression === undefined) throw new Error('The alarm has no expression.');
  const byId = new Map<string, number | undefined>();
  // Metrics of one name, such as throttles of each function: the first one has all that is counted.
  const counted = new Set<string>();
  for (const { Id, MetricStat } of Metrics) {
    if (!MetricStat) continue;
    const { Metric, Stat } = MetricStat;
    const statistic = Stat === 'SampleCount' ? ` ${Stat}` : '';
    const name = `${Metric.Namespace} ${Metric.MetricName}${statistic}`;
    byId.set(Id, counted.has(name) ? undefined : sums(name));
    counted.add(name);
  }
  return metricMath(expression, byId);
}

const compiled = new Map<string, CallableFunction>();

/**
 * Metric math of one period: numbers, metrics, `+ - * / >= <`, IF and FILL, which mean the same in JavaScript. What has a missing operand, or
 * is divided by zero, is missing.
 * @throws Error for a name that is not a metric, and for a comparison with a missing value, which no alarm makes
 */
export function metricMath(
  expression: string,
  metrics: ReadonlyMap<string, number | undefined>,
): number | undefined {
  const compared = (value: number): number => {
    if (Number.isNaN(value)) throw new Error(`A missing value is compared: ${expression}`);
    return value;
  };
  const scope: Readonly<Record<string, unknown>> = {
    FILL: (value: number, otherwise: number) => (Number.isNaN(value) ? otherwise : value),
    IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
    compared,
    ...Object.fromEntries([...metrics].map(([name, value]) => [name, value ?? Number.NaN])),
  };
  const source = expression.replaceAll(/IF\((.+?) (>=|<) /g, 'IF(compared($1) $2 ');
  const run = compiled.get(expression) ?? new Function(...Object.keys(scope), `return ${source};`);
  compiled.set(expression, run);
  const value = run(...Object.values(scope));
  return Number.isFinite(value) ? value : undefined;
}
