import { relative } from 'node:path';
import { Argument } from 'commander';
import { createVitest, type TestRunResult } from 'vitest/node';
import { CliCommand } from '../infra/cli/command.ts';
import { type Part, partOf, parts } from './parts.ts';
import { secondEngine } from './support/engine.ts';
import { projectFolder } from './support/service-process.ts';

/** `npm run prove`: all tests that `npm test` leaves out, or some parts of them. */
const names = parts.map(({ name }) => name);
const program = new CliCommand('npm run prove --')
  .description('runs the tests that npm test leaves out: all of them, or the parts that are named')
  .addArgument(new Argument('[PART...]', 'what to run').choices(names).default(names, 'all'))
  .option('--list', 'name the parts, with the seconds that each takes on two quiet cores')
  .option('--all', 'of simulator: every order of each pair, with every fault; takes hours')
  .notes(`
The last line says how many tests passed and failed. What this machine cannot run is named on stderr, and left out.
Status: 1 if a test failed, 2 for wrong usage.

Example:
  npm run prove -- simulator second-engine`)
  .parse();

const chosen: readonly string[] = program.processedArgs[0];
const { list, all } = program.opts<{ list?: true; all?: true }>();
if (all && !chosen.includes('simulator'))
  program.error("error: option '--all' needs the part simulator");
// The tests of the pairs read it, in processes of vitest.
if (all) process.env.EVERY_ORDER = 'true';
if (list) {
  const longest = Math.max(...names.map(({ length }) => length));
  for (const { name, seconds, proves } of parts)
    console.log(`${name.padEnd(longest)}  ${String(seconds).padStart(4)} s  ${proves}`);
  process.exit(0);
}
const wanted: Part[] = [];
for (const part of parts.filter(({ name }) => chosen.includes(name))) {
  const missing = part.projects.includes('second-engine') && (await secondEngine.missing());
  if (missing)
    process.stderr.write(`\nPassed over: ${part.name}: ${missing}: ${secondEngine.remedy}.\n\n`);
  else wanted.push(part);
}
const { passed, failed } = await run(wanted);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function run(wanted: readonly Part[]): Promise<{ passed: number; failed: number }> {
  const project = [...new Set(wanted.flatMap(({ projects }) => projects))];
  if (project.length === 0) return { passed: 0, failed: 0 };
  const vitest = await createVitest({ project, watch: false });
  await vitest.standalone(); // without it, no reporter is ready
  const all = await vitest.globTestSpecifications();
  const own = all.filter(({ moduleId, project: { name } }) => {
    const part = partOf(relative(projectFolder, moduleId), name);
    return part !== undefined && wanted.includes(part);
  });
  const result = await vitest.runTestSpecifications(own, true);
  await vitest.close();
  // Also set by a service that does not end as it should, or whose log leaks.
  const hasFailed = Number(process.exitCode ?? 0) > 0;
  const counted = countsOf(result);
  return { ...counted, failed: Math.max(counted.failed, hasFailed ? 1 : 0) };
}

function countsOf({ testModules, unhandledErrors }: TestRunResult): {
  passed: number;
  failed: number;
} {
  let passed = 0;
  let failed = unhandledErrors.length;
  for (const module of testModules) {
    const before = failed;
    for (const test of module.children.allTests()) {
      if (test.result().state === 'passed') passed += 1;
      if (test.result().state === 'failed') failed += 1;
    }
    // A file or a hook that failed before its tests.
    if (!module.ok() && failed === before) failed += 1;
  }
  return { passed, failed };
}
