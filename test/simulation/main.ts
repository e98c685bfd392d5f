/** `npm run simulate`: the service's own code under a simulated DynamoDB, in as many histories as are wanted. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHistoryProcesses } from './explore/history-processes.ts';
import { longTime } from './explore/long-time.ts';
import { manyHistories } from './explore/many-histories.ts';
import { type Explored, explorePairs } from './explore/pairs.ts';
import { bundleVersions } from './explore/random-histories.ts';
import { type Report, type Summary, sumOf } from './explore/report.ts';
import { projectFolder } from './lambda/bundle-text.ts';
import { readOptions, type SimulateOptions } from './options.ts';
import { findPlantedBugs, tableHead } from './planted-bugs/run.ts';
import { reliabilityPage } from './record/reliability-page.ts';
import {
  currentCommit,
  mergeRecord,
  readRecord,
  type SimulationRecord,
  writeRecord,
} from './record/simulation-record.ts';
import { measureScale, scaleViolations } from './scale/scale.ts';
import { limitsTable, scalePage, scalePlot, scaleTable } from './scale/scale-page.ts';

const testFolder = join(projectFolder, 'test');
/** So many histories are lost at the most when a recorded run is broken off. */
const historiesPerSave = 25;

const isTerminal = process.stderr.isTTY === true;
let toldAt = 0;
const report: Report = {
  progress: (text) => {
    const now = performance.now();
    if (now - toldAt < (isTerminal ? 200 : 10_000)) return;
    toldAt = now;
    process.stderr.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  },
  print: (text) => void process.stdout.write(`${text}\n`),
};

const options = readOptions(process.argv.slice(2));
const record = options.record === undefined ? { pairs: {} } : readRecord(options.record);
const commit = options.record === undefined ? '' : currentCommit();
const save = (): void => {
  if (options.record !== undefined) writeRecord(options.record, record);
};

for (const file of options.merge) mergeRecord(record, readRecord(file));
if (options.merge.length > 0) save();

const summaries: Summary[] = [];
if (options.pairs) summaries.push(await pairs(record));
if (options.long) {
  const versions = await bundleVersions();
  record.long = { ...(await longTime(versions[0], report)), commit };
  summaries.push(record.long);
}
if (options.bugs) summaries.push(await bugs(record));
if (options.scale) summaries.push(await scale(options));
if (isRandomWanted(options)) summaries.push(await randomHistories(options, record));
save();
if (options.write && options.record !== undefined) {
  writeFileSync(join(testFolder, 'RELIABILITY.md'), reliabilityPage(record));
  report.print('Written: test/RELIABILITY.md');
}
const sum = sumOf(summaries);
if (isTerminal) process.stderr.write('\n');
report.print(`histories ${sum.histories}, faults ${sum.faults}, violations ${sum.violations}`);
process.exit(sum.violations > 0 ? 1 : 0);

function isRandomWanted({ minutes, histories, write, merge, ...parts }: SimulateOptions) {
  const isPartWanted = parts.pairs || parts.long || parts.bugs || parts.scale;
  const isOtherWanted = isPartWanted || write || merge.length > 0;
  return minutes !== undefined || histories !== undefined || !isOtherWanted;
}

/** The pairs that the record lacks. */
function pairs({ pairs: known }: SimulationRecord): Promise<Summary> {
  return explorePairs(report.print, {
    pairs: (name) => known[name] === undefined,
    onPair: (name, { histories, redundant, faults, states, isWhole, violations }: Explored) => {
      known[name] = {
        commit,
        histories,
        redundant,
        faults,
        lastStates: states.size,
        isWhole,
        violations: violations.length,
      };
      save();
    },
  });
}

async function scale({ write }: SimulateOptions): Promise<Summary> {
  const [bundles] = await bundleVersions();
  const measured = await measureScale(bundles);
  report.print(`${scaleTable(measured)}\n\n${limitsTable(measured)}`);
  const violations = scaleViolations(measured);
  for (const violation of violations) report.print(violation);
  if (write) {
    writeFileSync(join(testFolder, 'SCALE.md'), scalePage(measured));
    writeFileSync(join(testFolder, 'scale.svg'), scalePlot(measured));
    report.print('Written: test/SCALE.md, test/scale.svg');
  }
  return { histories: measured.proofs.length, faults: 0, violations: violations.length };
}

async function bugs(into: SimulationRecord): Promise<Summary> {
  report.print(tableHead.join('\n'));
  const rows: string[] = [];
  const found = await findPlantedBugs((row) => {
    rows.push(row);
    report.print(row);
  });
  into.bugs = { ...found, rows, commit };
  return found;
}

async function randomHistories(
  { seed, histories, minutes, processes }: SimulateOptions,
  into: SimulationRecord,
): Promise<Summary> {
  const before = into.random?.histories ?? 0;
  const wanted = histories ?? (minutes === undefined ? before + 200 : Number.POSITIVE_INFINITY);
  const runner = startHistoryProcesses(Math.min(processes, wanted), commit);
  const totals = await manyHistories(
    runner,
    {
      seed: seed ?? into.random?.seeds[0]?.[0] ?? 1,
      histories: wanted,
      ...(minutes !== undefined && { withinMs: minutes * 60_000 }),
      ...(into.random && { totals: into.random }),
      onHistory: (so) => {
        into.random = so;
        if (so.histories % historiesPerSave === 0) save();
      },
    },
    report,
  );
  runner.end();
  const { latest = totals } = totals;
  const perSecond = (latest.histories / latest.processorSeconds).toFixed(1);
  report.print(
    `${totals.requests} requests, ${totals.calls} calls, ${totals.simulatedHours.toFixed(1)} simulated hours, ${perSecond} histories a second of processor time`,
  );
  return totals;
}
