import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { projectFolder } from '../lambda/bundle-text.ts';
import type { EngineRecord } from './engine-section.ts';
import { addTotals, type RandomTotals } from './random-totals.ts';

/** What an exploration found, and the commit whose code it ran. */
export interface PartRecord {
  readonly commit: string;
  readonly histories: number;
  readonly faults: number;
  readonly violations: number;
}

export interface PairRecord extends PartRecord {
  /** Runs that were broken off, since another one shows the same. */
  readonly redundant: number;
  readonly lastStates: number;
  readonly isWhole: boolean;
}

export interface BugsRecord extends PartRecord {
  /** Of the table, in Markdown. */
  readonly rows: readonly string[];
}

/** What was run and found so far: kept in a file, so that a long run can be broken off and go on. */
export interface SimulationRecord {
  random?: RandomTotals;
  long?: PartRecord;
  bugs?: BugsRecord;
  pairs: Record<string, PairRecord>;
  engine?: EngineRecord;
}

/** As records were before they held ranges: histories from one seed on. */
interface OneRange extends Omit<RandomTotals, 'seeds' | 'latest'> {
  readonly firstSeed: number;
}

interface StoredRecord extends Omit<SimulationRecord, 'random'> {
  readonly random?: RandomTotals | OneRange;
}

/** @returns an empty record when there is no such file */
export function readRecord(file: string): SimulationRecord {
  if (!existsSync(file)) return { pairs: {} };
  const { random, ...parts } = JSON.parse(readFileSync(file, 'utf8')) as StoredRecord;
  return { ...(random && { random: 'seeds' in random ? random : withRanges(random) }), ...parts };
}

function withRanges({ firstSeed, ...totals }: OneRange): RandomTotals {
  const { histories, processorSeconds } = totals;
  const [commit, ...others] = Object.keys(totals.commits);
  const isOfOneCommit = commit !== undefined && others.length === 0;
  return {
    seeds: histories > 0 ? [[firstSeed, firstSeed + histories - 1]] : [],
    ...totals,
    ...(isOfOneCommit && { latest: { commit, histories, processorSeconds } }),
  };
}

/** Adds another record's random histories, and the parts that the first lacks. @throws Error where both ran the same seed */
export function mergeRecord(into: SimulationRecord, other: SimulationRecord): void {
  if (into.random && other.random) addTotals(into.random, other.random);
  const { pairs } = into;
  Object.assign(into, { ...other, ...into, pairs: { ...other.pairs, ...pairs } });
}

/** Replaces the file at once: whoever reads it meanwhile, or dies here, finds a whole one. */
export function writeRecord(file: string, record: SimulationRecord): void {
  const next = `${file}.next`;
  writeFileSync(next, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(next, file);
}

/** The commit of the working copy; `+` behind it where files differ from it. */
export function currentCommit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: projectFolder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const commit = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}+`;
  } catch {
    return 'unknown';
  }
}
