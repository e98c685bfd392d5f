import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { goBack, stepsBack } from '../../../infra/deploy/go-back.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { node24, projectFolder } from '../../support/service-process.ts';
import { type StandInAws, standInFunctions, startStandInAws } from '../../support/stand-in-aws.ts';

let aws: StandInAws;
beforeAll(async () => {
  aws = await startStandInAws();
});
afterAll(() => aws.close());
beforeEach(() => {
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
  for (const name of standInFunctions) {
    aws.aliases.set(name, { FunctionVersion: '7' });
    aws.versions.set(name, [4, 6, 7]);
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  aws.refused.clear();
});
const first = standInFunctions[0] ?? '';

test('every function that serves an endpoint goes back to the version before the one in use', async () => {
  const lambda = new LambdaClient({});

  const steps = await stepsBack('leads', lambda);
  for (const step of steps) await goBack(step, lambda);

  expect(steps).toEqual(
    endpoints.map(({ name }) => ({
      endpoint: name,
      functionName: `leads-${name}`,
      from: 7,
      to: 6,
    })),
  );
  expect([...aws.aliases.values()].map(({ FunctionVersion }) => FunctionVersion)).toEqual(
    endpoints.map(() => '6'),
  );
});

test('a function without an earlier version stays, and a stack without any is refused', async () => {
  const lambda = new LambdaClient({});
  aws.versions.set(first, [7]);

  expect((await stepsBack('leads', lambda)).map(({ functionName }) => functionName)).toEqual(
    standInFunctions.slice(1),
  );

  for (const name of standInFunctions) aws.versions.set(name, [7]);
  await expect(stepsBack('leads', lambda)).rejects.toThrow(
    'No function of stack leads has an earlier version.',
  );
});

test('while CodeDeploy moves an alias nothing goes back, and the message says how to stop the release', async () => {
  aws.aliases.set(first, {
    FunctionVersion: '6',
    RoutingConfig: { AdditionalVersionWeights: { '7': 0.1 } },
  });

  await expect(stepsBack('leads', new LambdaClient({}))).rejects.toThrow(
    /^A release of leads-.* is under way\. Stop it, which rolls it back: aws deploy stop-deployment/,
  );
});

test('a function that Lambda does not move is named with the command that moves it', async () => {
  const lambda = new LambdaClient({});
  const [step] = await stepsBack('leads', lambda);
  if (!step) throw new Error('There is no step.');
  aws.refused.add(step.functionName);

  await expect(goBack(step, lambda)).rejects.toThrow(
    `aws lambda update-alias --function-name ${step.functionName} --name live --function-version 6`,
  );
});

test('npm run deploy -- --back --check says what would go back and changes nothing', async () => {
  const script = join(projectFolder, 'infra', 'deploy', 'deploy.ts');
  const child = spawn(node24, [script, '--back', '--check', '-c', 'serviceName=leads'], {
    env: { ...process.env, ...aws.environment },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [status] = await once(child, 'close');

  expect({ status, lines: stderr.trim().split('\n') }).toEqual({
    status: 0,
    lines: endpoints.map(({ name }) => `${name} would return from version 7 to 6.`),
  });
  expect(aws.aliases.get(first)).toEqual({ FunctionVersion: '7' });
});
