/** Something that would make a deployment fail, and the command to run next. */
export interface FailedCheck {
  readonly issue: string;
  readonly next: string;
}

export interface CheckResult {
  readonly failedChecks: readonly FailedCheck[];
  /** What does not stop a deployment, but should be changed before many requests come. */
  readonly warnings: readonly FailedCheck[];
  /** What could not be checked; it does not stop a deployment. */
  readonly unknown: readonly string[];
}

/** The account and region of a deployment. */
export interface DeploymentTarget {
  readonly account: string;
  readonly region: string;
}

export const clientTimeouts = {
  maxAttempts: 2,
  requestHandler: {
    connectionTimeout: 5000,
    requestTimeout: 10_000,
    throwOnRequestTimeout: true,
    socketTimeout: 10_000,
  },
};

/** Runs a check. If AWS does not allow or answer its requests, its subject is unknown. */
export async function attemptCheck(
  subject: string,
  check: () => Promise<readonly FailedCheck[]>,
): Promise<CheckResult> {
  try {
    return { failedChecks: await check(), warnings: [], unknown: [] };
  } catch (error) {
    const { name, message } = error as Error;
    return {
      failedChecks: [],
      warnings: [],
      unknown: [`${subject} could not be checked (${name}: ${message}).`],
    };
  }
}
