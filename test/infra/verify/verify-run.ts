import { type CheckResult, linesOfResults } from '../../../infra/verify/check.ts';
import { apiKeyPattern } from '../../../shared/organization/api-key.ts';
import { inherited, node24, runProgram } from '../../support/service-process.ts';

/** Verify sends five requests at once. No test needs them to race. */
export const workersPerFunction = 2;

export interface VerifyReply {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** Runs `npm run verify` with these variables. @throws Error when it prints an API key */
export async function verify(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<VerifyReply> {
  const { status, stdout, stderr } = await runProgram(node24, ['infra/verify/main.ts', ...args], {
    env: { ...inherited(), ...environment },
  });
  if (new RegExp(apiKeyPattern).test(`${stdout}${stderr}`))
    throw new Error('verify printed an API key.');
  return { status, lines: stdout.trimEnd().split('\n'), stderr };
}

/** The lines of checks that failed. */
export const failedLines = ({ lines }: Pick<VerifyReply, 'lines'>): readonly string[] =>
  lines.filter((line) => line.startsWith('✗'));

export const linesOf = (results: readonly CheckResult[]): string[] => results.map(linesOfResults());
