import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../../shared/endpoints.ts';
import { templateWith } from '../../infra/stack/service-template.ts';

type Resource = { readonly Properties: Readonly<Record<string, unknown>> };

let template: Template;
beforeAll(async () => {
  template = await templateWith();
}, 60_000);

test('the role of a function has no managed and no inline policy', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role')) as Resource[];
  const ofFunctions = roles.filter(({ Properties }) =>
    JSON.stringify(Properties.AssumeRolePolicyDocument).includes('lambda.amazonaws.com'),
  );

  expect(ofFunctions.length).toBeGreaterThanOrEqual(endpoints.length);
  for (const { Properties } of ofFunctions)
    expect([Properties.ManagedPolicyArns, Properties.Policies]).toEqual([undefined, undefined]);
});

test('the role of a function reaches DynamoDB and its own log, and no other service', () => {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')) as [
    string,
    Resource,
  ][];
  const actions = policies
    .filter(([id]) => !id.startsWith('ServiceReleases'))
    .flatMap(([, { Properties }]) =>
      (
        Properties.PolicyDocument as { Statement: { Action: string | string[] }[] }
      ).Statement.flatMap(({ Action }) => [Action].flat()),
    );

  expect(new Set(actions.map((action) => action.split(':')[0]))).toEqual(
    new Set(['dynamodb', 'logs']),
  );
});
