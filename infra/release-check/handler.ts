import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CodeDeployClient,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { EndpointName } from '../../shared/endpoints.ts';
import { unknownKeyEvent, versionIssue } from './version-issue.ts';

/** What CodeDeploy sends to the function of a lifecycle event. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

/** The new versions: ARN by endpoint, as JSON. */
export const versionsVariable = 'RELEASED_VERSIONS';
/** A new permission takes effect within seconds (IAM user guide, "Changes that I make are not always immediately visible"). */
const permittedWithinMs = 40_000;
const pauseMs = 2000;

const lambda = new LambdaClient({});
const codeDeploy = new CodeDeployClient({});

/**
 * CodeDeploy's `BeforeAllowTraffic`: calls every new version with an unknown API key, and lets the release go on only if each answers as
 * the contract says. Always reports: without a report CodeDeploy waits for an hour.
 */
export async function handler({
  DeploymentId: deploymentId,
  LifecycleEventHookExecutionId: lifecycleEventHookExecutionId,
}: HookEvent): Promise<void> {
  const issues = await issuesOf(versionsIn(process.env[versionsVariable]));
  for (const issue of issues) console.error(JSON.stringify({ deploymentId, issue }));
  const status = issues.length === 0 ? 'Succeeded' : 'Failed';
  console.log(JSON.stringify({ deploymentId, status }));
  await oncePermitted(() =>
    codeDeploy.send(
      new PutLifecycleEventHookExecutionStatusCommand({
        deploymentId,
        lifecycleEventHookExecutionId,
        status,
      }),
    ),
  );
}

/** Repeats a call that AWS does not allow yet. */
async function oncePermitted<T>(call: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + permittedWithinMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isDenied = error instanceof Error && error.name === 'AccessDeniedException';
      if (!isDenied || Date.now() > giveUpAt) throw error;
      await pause(pauseMs);
    }
  }
}

const versionsIn = (text = '{}'): [EndpointName, string][] =>
  Object.entries(JSON.parse(text) as Record<EndpointName, string>) as [EndpointName, string][];

async function issuesOf(versions: readonly [EndpointName, string][]): Promise<string[]> {
  if (versions.length === 0) return [`${versionsVariable} names no version`];
  const issues = await Promise.all(
    versions.map(async ([name, version]) => {
      const issue = await issueOf(name, version);
      return issue === undefined ? [] : [`${version} (${name}) ${issue}`];
    }),
  );
  return issues.flat();
}

async function issueOf(name: EndpointName, version: string): Promise<string | undefined> {
  const Payload = Buffer.from(JSON.stringify(unknownKeyEvent(name, randomUUID())));
  try {
    const { Payload: result, FunctionError } = await oncePermitted(() =>
      lambda.send(new InvokeCommand({ FunctionName: version, Payload })),
    );
    const text = Buffer.from(result ?? []).toString();
    return FunctionError ? `failed (${FunctionError}): ${text}` : versionIssue(text);
  } catch (error) {
    const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
    return `could not be called (${kind}: ${message})`;
  }
}
