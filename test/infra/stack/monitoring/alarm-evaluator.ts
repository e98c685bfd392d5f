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
  readonly Statistic?: 'Sum' | 'Maximum' | 'Minimum';
  /** Such as `p99`. */
  readonly ExtendedStatistic?: string;
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
 * What a metric has in one minute: its sum (the number of its values for a metric named `… SampleCount`), or the value of an alarm's other statistic; undefined if nothing was reported. A period then has
 * the sum of its minutes, or the largest value: a percentile of a period is at most that of its worst minute, and replays keep it constant.
 */
export type MinuteSum = (metric: string, minute: number) => number | undefined;

/** @returns the first minute, counted from 0, at whose end the alarm is in ALARM; undefined if it stays silent */
export function firstRing(
  alarm: AlarmProperties,
  minuteSum: MinuteSum,
  minutes: number,
): number | undefined {
  const periodMinutes = periodOf(alarm) / 60;
  for (let end = periodMinutes; end <= minutes; end += periodMinutes)
    if (isInAlarm(alarm, minuteSum, end)) return end;
  return undefined;
}

const periodOf = ({ Period, Metrics = [] }: AlarmProperties): number =>
  Period ?? Math.max(...Metrics.map(({ MetricStat }) => MetricStat?.Period ?? 0));

/** Whether the alarm is in ALARM at the end of a period. */
export function isInAlarm(alarm: AlarmProperties, minuteSum: MinuteSum, end: number): boolean {
  const periodMinutes = periodOf(alarm) / 60;
  const points = Array.from({ length: alarm.EvaluationPeriods + extraPeriods }, (_, back) => {
    const from = end - (back + 1) * periodMinutes;
    const value = valueOf(alarm, (metric) =>
      periodValue(alarm, valuesOf(minuteSum, metric, from, periodMinutes)),
    );
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

function valuesOf(
  minuteSum: MinuteSum,
  metric: string,
  from: number,
  minutes: number,
): readonly number[] {
  const values = Array.from({ length: minutes }, (_, index) => minuteSum(metric, from + index));
  return values.filter((value) => value !== undefined);
}

function periodValue(
  { Statistic, ExtendedStatistic }: AlarmProperties,
  values: readonly number[],
): number | undefined {
  if (values.length === 0) return undefined;
  if (Statistic === 'Minimum') return Math.min(...values);
  if (Statistic === 'Maximum' || ExtendedStatistic) return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0);
}

type Sums = (metric: string) => number | undefined;

/** @throws Error for a metric of DynamoDB's own */
function valueOf({ MetricName, Namespace, Metrics = [] }: AlarmProperties, sums: Sums) {
  const namespaces = [Namespace, ...Metrics.map(({ MetricStat }) => MetricStat?.Metric.Namespace)];
  if (namespaces.includes('AWS/DynamoDB'))
    throw new Error('Whether an alarm on AWS/DynamoDB ends is not known.');
  if (MetricName) return sums(`${Namespace} ${MetricName}`);
  const expression = Metrics.find(({ ReturnData }) => ReturnData !== false)?.Expression;
  if (expression === undefined) throw new Error('The alarm has no expression.');
  const byId = new Map<unknown, unknown>();
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
  return new MetricMath(expression, byId).value();
}

type Value = number | undefined;
type Operator = (left: number, right: number) => Value;

/** From the weakest to the strongest. A division by zero has no value. */
const precedence: readonly Readonly<Record<string, Operator>>[] = [
  { '>=': (left, right) => Number(left >= right), '<': (left, right) => Number(left < right) },
  { '+': (left, right) => left + right, '-': (left, right) => left - right },
  {
    '*': (left, right) => left * right,
    '/': (left, right) => (right === 0 ? undefined : left / right),
  },
];

/** Metric math of one period: numbers, metrics, `+ - * / >= <`, IF and FILL. What has a missing operand is missing. */
export class MetricMath {
  readonly #tokens: string[];
  readonly #metrics: ReadonlyMap<unknown, unknown>;

  constructor(expression: string, metrics: ReadonlyMap<unknown, unknown>) {
    this.#tokens = expression.match(/\d+(?:\.\d+)?|\w+|>=|[-+*/<(),]|\S/g) ?? [];
    this.#metrics = metrics;
  }

  value(): Value {
    const value = this.#binary(0);
    if (this.#tokens.length > 0) throw new Error(`Not understood: ${this.#tokens.join(' ')}`);
    return value;
  }

  #binary(level: number): Value {
    const operators = precedence[level];
    if (!operators) return this.#operand();
    let left = this.#binary(level + 1);
    for (let next = operators[this.#tokens[0] ?? '']; next; ) {
      this.#tokens.shift();
      const right = this.#binary(level + 1);
      left = left === undefined || right === undefined ? undefined : next(left, right);
      next = operators[this.#tokens[0] ?? ''];
    }
    return left;
  }

  #operand(): Value {
    const token = this.#tokens.shift() ?? '';
    if (token === '(') return this.#upTo(')');
    if (token === 'FILL') {
      const [value, otherwise] = this.#arguments(2);
      return value ?? otherwise;
    }
    if (token === 'IF') {
      const [condition, yes, no] = this.#arguments(3);
      if (condition === undefined) return undefined;
      return condition === 0 ? no : yes;
    }
    if (/^\d/.test(token)) return Number(token);
    if (!this.#metrics.has(token)) throw new Error(`Not a metric: ${token}`);
    return this.#metrics.get(token) as Value;
  }

  #arguments(count: number): Value[] {
    this.#expect('(');
    return Array.from({ length: count }, (_, index) => this.#upTo(index < count - 1 ? ',' : ')'));
  }

  #upTo(end: string): Value {
    const value = this.#binary(0);
    this.#expect(end);
    return value;
  }

  #expect(token: string): void {
    const found = this.#tokens.shift();
    if (found !== token) throw new Error(`Expected ${token}, found ${found}`);
  }
}
