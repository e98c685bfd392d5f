import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../../support/service-process.ts';

export interface LintResult {
  /** A line for each fault. It begins with the template's place in the list: `0.yaml:`. */
  readonly found: readonly string[];
  readonly status: number | null;
}

/** A dependency that the CDK writes twice, from a function to its role, is not a fault. */
const options = ['--format', 'parseable', '--ignore-checks', 'W3005'];

/** A function's code in a template: its file, the name of its bundle and its commit. */
const codeHash = /\b[0-9a-f]{64}(?=\.zip)|\b[0-9a-f]{12}(?=["-]|\.dirty)/g;

/** The version of cfn-lint; undefined if it is not installed. */
export function cfnLintVersion(): string | undefined {
  const { stdout, status } = spawnSync('cfn-lint', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * What this version of cfn-lint finds in templates. It is kept: the linter computes for seconds, and only its version and the templates decide
 * about what it finds. `codeHash` decides about nothing, and changes with every change of a function.
 */
export function lint(version: string, templates: readonly string[]): LintResult {
  const texts = templates.map((template) =>
    template.replaceAll(codeHash, (hash) => hash.replaceAll(/[0-9a-f]/g, '0')),
  );
  const key = createHash('sha256')
    .update(JSON.stringify([version, options, texts]))
    .digest('hex');
  const folder = join(projectFolder, 'node_modules', '.cache', 'cfn-lint');
  const cacheFile = join(folder, `${key}.json`);
  if (existsSync(cacheFile)) return JSON.parse(readFileSync(cacheFile, 'utf8'));
  const result = run(texts);
  mkdirSync(folder, { recursive: true });
  const newFile = `${cacheFile}.${process.pid}`;
  writeFileSync(newFile, JSON.stringify(result));
  renameSync(newFile, cacheFile); // whole, for another run that reads it meanwhile
  return result;
}

/** One run for all: a start takes longer than a template. */
function run(texts: readonly string[]): LintResult {
  const folder = mkdtempSync(join(tmpdir(), 'cfn-lint-'));
  try {
    const files = texts.map((text, index) => {
      writeFileSync(join(folder, `${index}.yaml`), text);
      return `${index}.yaml`;
    });
    const { stdout, stderr, status, error } = spawnSync('cfn-lint', [...options, '--', ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    // 2, 4 and 8 are the bits of errors, warnings and hints: anything else did not lint.
    if (error || status === null || status % 2 === 1) throw error ?? new Error(stderr);
    return { found: stdout.trim().split('\n'), status };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
