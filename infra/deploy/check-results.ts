import { CheckError } from '../cli/command.ts';

/** Runs checks and collects what they find. */
export class CheckResults {
  /** What would make the deployment fail or lose data. */
  readonly failedChecks: CheckError[] = [];
  /** What could not be checked; it does not stop a deployment. */
  readonly unknown: string[] = [];

  /** @param check throws a CheckError if it fails. If AWS does not allow or answer its requests, the subject is unknown. */
  async check(subject: string, check: () => void | Promise<void>): Promise<void> {
    try {
      await check();
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      if (error instanceof CheckError) this.failedChecks.push(error);
      else this.unknown.push(`${subject} could not be checked (${name}: ${message}).`);
    }
  }
}
