import { describe, expect, test } from 'vitest';
import { type AlarmProperties, isAlarmOf, metricMath } from './alarm-evaluator.ts';

/** Rows of AWS's tables: X breaches, 0 does not, - is missing; the newest last. */
describe('missing data', () => {
  test.each<[string, number, AlarmProperties['TreatMissingData'], boolean]>([
    ['0 - X - X', 3, 'breaching', false],
    ['0 - X - X', 2, 'notBreaching', true],
    ['- - - - -', 3, 'breaching', true],
    ['- - - - -', 3, 'notBreaching', false],
    ['0 X X - X', 3, 'notBreaching', true],
    ['- - X - -', 3, 'breaching', true],
    ['- - X - -', 3, 'notBreaching', false],
    ['0 0 X 0 X', 2, 'notBreaching', true],
    ['0 - X - -', 2, 'breaching', true],
    ['0 - X - -', 2, 'notBreaching', false],
    ['- - - - 0', 2, 'breaching', true],
  ])('of %s, %d of 3 with %s: %s', (row, DatapointsToAlarm, TreatMissingData, expected) => {
    const points = row
      .split(' ')
      .reverse()
      .map((point) => (point === '-' ? undefined : point === 'X'));
    const alarm = { EvaluationPeriods: 3, DatapointsToAlarm, TreatMissingData };

    expect(isAlarmOf(alarm, points)).toBe(expected);
  });
});

describe('metric math', () => {
  const metrics = new Map([
    ['some', 4],
    ['none', undefined],
  ]);
  test.each<[string, number | undefined]>([
    ['some / 0', undefined],
    ['some + none', undefined],
    ['FILL(none, 0) + some', 4],
    ['IF(some >= 4, 0.5, 0)', 0.5],
    ['IF(some < 4, 1, none)', undefined],
  ])('%s is %s', (expression, expected) => {
    expect(metricMath(expression, metrics)).toBe(expected);
  });

  test.each(['some +', 'MAX(some)', 'some some', 'other', 'IF(none >= 1, 1, 0)'])(
    'an expression that the evaluator does not know is refused: %s',
    (expression) => {
      expect(() => metricMath(expression, metrics)).toThrow();
    },
  );
});
