import {
  type CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import type { FailedCheck } from './failed-check.ts';

/** @returns undefined if there is no such stack */
export async function stackNamed(
  client: CloudFormationClient,
  StackName: string,
): Promise<Stack | undefined> {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks?.[0];
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'ValidationError' && message.includes('does not exist')) return undefined;
    throw error;
  }
}

export const outputOf = (stack: Stack | undefined, name: string): string | undefined =>
  stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;

/** The states of a stack in which CloudFormation refuses an update. */
export function failedStackChecks(own: Stack | undefined, stackName: string): FailedCheck[] {
  const status = own?.StackStatus ?? '';
  if (status === 'ROLLBACK_COMPLETE' || status === 'ROLLBACK_FAILED') {
    const issue = `The first deployment of the stack ${stackName} failed, so the stack cannot be updated.`;
    return [
      {
        issue,
        next: `aws cloudformation delete-stack --stack-name ${stackName}   (a table that it created is kept)`,
      },
    ];
  }
  if (status === 'DELETE_FAILED') {
    const issue = `The stack ${stackName} could not be deleted, so it cannot be updated.`;
    const next = `aws cloudformation delete-stack --stack-name ${stackName}   (its events name the resource that could not be deleted)`;
    return [{ issue, next }];
  }
  // REVIEW_IN_PROGRESS: a change set was created and never run. The CDK continues from there.
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS') {
    const issue = `The stack ${stackName} is being changed (${status}).`;
    return [
      { issue, next: `aws cloudformation wait ${waiterFor(status)} --stack-name ${stackName}` },
    ];
  }
  if (status === 'UPDATE_ROLLBACK_FAILED') {
    const issue = `An update of the stack ${stackName} failed, and its rollback failed too.`;
    return [
      { issue, next: `aws cloudformation continue-update-rollback --stack-name ${stackName}` },
    ];
  }
  return [];
}

/** The waiter of the AWS CLI for a status. `stack-create-complete` also ends when a failed creation has been rolled back, with status 255. */
function waiterFor(status: string): string {
  if (status.startsWith('UPDATE_ROLLBACK_')) return 'stack-rollback-complete';
  if (status.startsWith('IMPORT_')) return 'stack-import-complete';
  const change = /^(UPDATE|DELETE)_/.exec(status)?.[1] ?? 'CREATE';
  return `stack-${change.toLowerCase()}-complete`;
}
