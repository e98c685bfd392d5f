import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { runAdmin } from '../../infra/admin/program.ts';
import { type StandInAws, startStandInAws } from './aws/stand-in-aws.ts';

/** Runs admin commands of a test file against a stand-in for AWS. Its changes are cleared after each test, but for reserved concurrency. */
export function useStandInAws() {
  let aws: StandInAws | undefined;
  const standIn = (): StandInAws => {
    if (!aws) throw new Error('The stand-in for AWS starts before the first test.');
    return aws;
  };
  beforeAll(async () => {
    aws = await startStandInAws();
  });
  afterAll(() => aws?.close());
  beforeEach(() => {
    for (const [name, value] of Object.entries(standIn().environment)) vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    standIn().refused.clear();
    standIn().logs.clear();
    standIn().traces.clear();
  });
  return { aws: standIn, run: runAdminOnStack };
}

async function runAdminOnStack(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const status = await runAdmin(args, {
    environment: { ...process.env, LEADS_TABLE: undefined },
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    hasTerminal: false,
    localFolder: '/nowhere',
  });
  return { status, stdout, stderr };
}
