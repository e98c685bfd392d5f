/** Something that would make a deployment fail, and the command to run next. */
export interface FailedCheck {
  readonly issue: string;
  readonly next: string;
}

export interface CheckResult {
  readonly failedChecks: readonly FailedCheck[];
  /** What could not be checked; it does not stop a deployment. */
  readonly unknown: readonly string[];
}

/** Runs a check. If AWS does not allow or answer its requests, its subject is unknown. */
export async function attemptCheck(
  subject: string,
  check: () => Promise<readonly FailedCheck[]>,
): Promise<CheckResult> {
  try {
    return { failedChecks: await check(), unknown: [] };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const unknown = `${subject} could not be checked (${name}: ${message}).`;
    return { failedChecks: [], unknown: [unknown] };
  }
}
