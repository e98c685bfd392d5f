import { SettingsRejectedError } from '../../shared/organization/settings-shape.ts';
import { ApiKeyError } from '../../shared/store/organizations/api-keys.ts';
import { SettingsChangedError } from '../../shared/store/organizations/apply-settings.ts';
import { RestoreError } from '../../shared/store/restore/restore-origin.ts';
import { ContentionError } from '../../shared/store/table/retry.ts';
import { ThrottledError, UnknownOutcomeError } from '../../shared/store/table/transact.ts';
import { awsFailure } from '../cli/aws.ts';
import { CommandError } from '../cli/command.ts';

/**
 * Explains a failure in one sentence that a person can act on. A refused settings file adds a line per issue. Never prints a stack trace.
 * @param environment names the table and the place where the SDK looked for it
 */
export function failureText(error: unknown, environment: NodeJS.ProcessEnv): string {
  if (error instanceof SettingsRejectedError)
    return [error.message, ...error.issues.map(({ path, message }) => `  ${path} ${message}`)].join(
      '\n',
    );
  if (
    error instanceof CommandError ||
    error instanceof SettingsChangedError ||
    error instanceof ApiKeyError ||
    error instanceof RestoreError
  )
    return error.message;
  if (error instanceof ContentionError)
    return 'Other requests kept changing the same items: run the command again in a moment.';
  if (error instanceof ThrottledError)
    return 'DynamoDB throttles the table: run the command again in a few minutes.';
  if (error instanceof UnknownOutcomeError)
    return 'It is unknown whether the last write was applied: DynamoDB did not answer it, and its retries were throttled, conflicted or met changed settings. Check whether it was, then run the command again in a few minutes.';
  return awsFailure(error, environment);
}
