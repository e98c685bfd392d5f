import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildChangedFunctions, buildFiles, stampOf } from '../../../infra/bundle/build-record.ts';
import {
  bundleFile,
  bundleFolder,
  bundleReleaseCheck,
  distFolder,
  projectFolder,
  releaseCheckName,
} from '../../../infra/bundle/bundle.ts';
import { replaceFile } from '../../../infra/bundle/replace-file.ts';

/**
 * Builds what a stack uploads, unless the dist folder has it of exactly these sources: of the tests of a stack each file is a process of its
 * own, and to bundle takes longer than to synthesize.
 */
export async function buildForStack(): Promise<void> {
  await Promise.all([buildChangedFunctions(), buildReleaseCheck()]);
}

const releaseCheck = join(bundleFolder(releaseCheckName), bundleFile);
const recordFile = join(distFolder, '.release-check-record.json');
/** A clock of the file system may be this much behind the process's. */
const clockStepMs = 20;

async function buildReleaseCheck(): Promise<void> {
  if (await isBuilt()) return;
  const begunAtMs = Date.now();
  const { code, inputs } = await bundleReleaseCheck();
  await replaceFile(releaseCheck, code, distFolder);
  const files = [
    ...inputs.filter((input) => existsSync(resolve(projectFolder, input))),
    ...(await buildFiles()),
  ];
  const stamps = await Promise.all(files.map(stampOf));
  // A file may have changed since the build read it: the next one builds again.
  if (stamps.some((stamp) => !stamp || stamp.changedAtMs >= begunAtMs - clockStepMs)) return;
  const record = Object.fromEntries(files.map((file, index) => [file, stamps[index]?.text]));
  record[releaseCheck] = (await stampOf(releaseCheck))?.text;
  await replaceFile(recordFile, Buffer.from(JSON.stringify(record)));
}

async function isBuilt(): Promise<boolean> {
  if (!existsSync(recordFile)) return false;
  const record: Record<string, string> = JSON.parse(readFileSync(recordFile, 'utf8'));
  const unchanged = await Promise.all(
    Object.entries(record).map(async ([file, stamp]) => (await stampOf(file))?.text === stamp),
  );
  return unchanged.every(Boolean);
}
