import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { projectFolder } from '../../support/service-process.ts';

test.each([
  ['email', 'AWS::SNS::Topic', { Email: 'sales@example.com', CrmUrl: 'https://crm.example.com' }],
  ['queue', 'AWS::SQS::Queue', {}],
  ['firehose', 'AWS::KinesisFirehose::DeliveryStream', { BucketName: 'events' }],
])('the recipe %s can be part of a CDK stack', (name, target, more) => {
  const stack = new Stack(new App(), 'Consumer');
  new CfnInclude(stack, 'Recipe', {
    templateFile: join(projectFolder, 'infra', 'recipes', `${name}.yaml`),
    parameters: { EventBusName: 'leads', ...more },
  });

  const template = Template.fromStack(stack);

  template.hasResourceProperties('AWS::Events::Rule', {
    EventBusName: 'leads',
    EventPattern: Match.anyValue(),
  });
  expect(Object.keys(template.findResources(target))).not.toEqual([]);
});

const textOf = (...path: string[]): string =>
  readFileSync(join(projectFolder, 'infra', ...path), 'utf8');
const workflow = textOf('recipes', 'github-deploy.yaml');

test('the schema of GitHub workflows accepts the file, and refuses an unknown job in a changed one', () => {
  expect(validateWorkflow(workflow).errors).toEqual([]);
  expect(validateWorkflow(workflow.replace('needs: check', 'needs: chek')).errors).toHaveLength(1);
});

test('every command of the workflow is a script of package.json, or npm’s own', () => {
  const commands = [...workflow.matchAll(/run: npm (?:run )?(\w+)/g)].map(([, name]) => name);

  const [tests, proof, audit, sbom, ...others] = commands;
  expect([audit, sbom, ...others]).toEqual(['audit', 'sbom', 'deploy', 'verify', 'deploy']);
  expect([tests, proof]).toEqual(['test', 'prove']);
  expect(Object.keys(packageJson.scripts)).toEqual(
    expect.arrayContaining(['test', 'prove', ...others]),
  );
});

const provider = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
/** The simulator knows the condition keys of few issuers, and not GitHub's: the policy is evaluated as if Google had issued the token. */
const issuer = 'accounts.google.com';

/** Whether IAM lets a workflow with this subject in its token assume the role. */
async function mayAssume(sub: string, aud = 'sts.amazonaws.com'): Promise<boolean> {
  const policy = textOf('policies', 'trust-github.json')
    .replaceAll('token.actions.githubusercontent.com:', `${issuer}:`)
    .replaceAll('ACCOUNT', '123456789012')
    .replaceAll('OWNER', 'northwind')
    .replaceAll('REPOSITORY', 'leads')
    .replaceAll('ENVIRONMENT', 'production');
  const result = await runSimulation(
    {
      request: {
        principal: provider,
        action: 'sts:AssumeRoleWithWebIdentity',
        resource: {
          resource: 'arn:aws:iam::123456789012:role/deploy',
          accountId: '123456789012',
        },
        contextVariables: { [`${issuer}:sub`]: sub, [`${issuer}:aud`]: aud },
      },
      identityPolicies: [],
      resourcePolicy: JSON.parse(policy),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType === 'error') throw new Error(JSON.stringify(result));
  return result.overallResult === 'Allowed';
}

const environment = 'repo:northwind/leads:environment:production';
test.each([
  ['the environment of the repository', environment, undefined, true],
  ['another repository', 'repo:mallory/leads:environment:production', undefined, false],
  ['another environment', 'repo:northwind/leads:environment:test', undefined, false],
  ['a pull request', 'repo:northwind/leads:pull_request', undefined, false],
  ['a branch', 'repo:northwind/leads:ref:refs/heads/main', undefined, false],
  ['the environment with a token for another audience', environment, 'https://x', false],
])('of %s, the role trusts the right one alone', async (_, sub, aud, isTrusted) => {
  expect(await mayAssume(sub, aud)).toBe(isTrusted);
});
