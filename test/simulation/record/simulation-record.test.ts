import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newTotals, type RandomTotals } from './random-totals.ts';
import { reliabilityPage } from './reliability-page.ts';
import { rangesText } from './seed-ranges.ts';
import {
  mergeRecord,
  readRecord,
  type SimulationRecord,
  writeRecord,
} from './simulation-record.ts';

const part = { commit: 'aaa', histories: 3, faults: 2, violations: 0 };
const pair = { ...part, redundant: 0, lastStates: 1, isWhole: true };

/** Histories of one commit, half a second and seven requests each. */
function totals(first: number, last: number, commit: string): RandomTotals {
  const histories = last - first + 1;
  const processorSeconds = histories / 2;
  return {
    ...newTotals(),
    seeds: [[first, last]],
    histories,
    requests: 7 * histories,
    processorSeconds,
    answers: { 'get-lead 200': histories },
    commits: { [commit]: histories },
    latest: { commit, histories, processorSeconds },
  };
}

function fileOf(content: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'record-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'record.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test('two records of other seeds become one, whose page names the ranges of seeds, and what each commit ran', () => {
  const record: SimulationRecord = { random: totals(1, 30_000, 'aaa'), pairs: { one: pair } };
  const other: SimulationRecord = {
    random: { ...totals(50_001, 79_000, 'bbb'), failed: { 50007: 2 }, violations: 2 },
    long: part,
    pairs: { one: { ...pair, histories: 9 }, two: pair },
  };

  mergeRecord(record, other);

  expect(record.random).toMatchObject({
    histories: 59_000,
    requests: 413_000,
    violations: 2,
    answers: { 'get-lead 200': 59_000 },
    commits: { aaa: 30_000, bbb: 29_000 },
    failed: { 50007: 2 },
  });
  expect(record).toMatchObject({ long: part, pairs: { one: pair, two: pair } });
  const page = reliabilityPage(record);
  expect(page).toContain('| histories | 59,000, seeds 1 to 30000 and 50001 to 79000 |');
  expect(page).toContain('| aaa (30,000), bbb (29,000) |');
});

test('how fast histories are is said of those of the commit that ran last', () => {
  const record: SimulationRecord = { random: totals(1, 10, 'aaa'), pairs: {} };
  const fast = { commit: 'bbb', histories: 10, processorSeconds: 0.4 };
  mergeRecord(record, { random: { ...totals(11, 20, 'bbb'), latest: fast }, pairs: {} });
  mergeRecord(record, { random: { ...totals(21, 30, 'bbb'), latest: fast }, pairs: {} });

  expect(reliabilityPage(record)).toContain(
    '| histories a second of processor time at commit bbb | 25 |',
  );
});

test('a record of seeds that another one has is not merged, and nothing of it is added', () => {
  const record: SimulationRecord = { random: totals(1, 30, 'aaa'), pairs: {} };
  const other: SimulationRecord = { random: totals(30, 40, 'aaa'), long: part, pairs: {} };

  expect(() => mergeRecord(record, other)).toThrow(
    'Seed 30 is in both records: its history would count twice.',
  );
  expect(record).toEqual({ random: totals(1, 30, 'aaa'), pairs: {} });
});

test('a record that was written before records held ranges of seeds is read', () => {
  const { seeds: _, latest: __, ...plain } = totals(5, 14, 'aaa');
  const file = fileOf({ random: { firstSeed: 5, ...plain }, pairs: {} });

  const record = readRecord(file);

  expect(record).toEqual({ random: totals(5, 14, 'aaa'), pairs: {} });
  writeRecord(file, record);
  expect(readRecord(file)).toEqual(record);
  expect(
    readRecord(fileOf({ random: { firstSeed: 5, ...plain, commits: { aaa: 4, bbb: 6 } } })).random,
  ).not.toHaveProperty('latest');
});

test('ranges of seeds are named in their order, and those that meet as one', () => {
  const record: SimulationRecord = { random: totals(21, 30, 'aaa'), pairs: {} };
  mergeRecord(record, { random: totals(1, 10, 'aaa'), pairs: {} });
  expect(rangesText(record.random?.seeds ?? [])).toBe('1 to 10 and 21 to 30');
  mergeRecord(record, { random: totals(11, 20, 'aaa'), pairs: {} });
  expect(rangesText(record.random?.seeds ?? [])).toBe('1 to 30');
});
