import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../../shared/endpoints.ts';
import { templateWith } from './service-template.ts';

interface Resource {
  readonly DependsOn?: string | string[];
  readonly UpdatePolicy?: {
    readonly CodeDeployLambdaAliasUpdate: { readonly BeforeAllowTrafficHook: { Ref: string } };
  };
  readonly Properties: Readonly<Record<string, unknown>>;
}
interface Statement {
  readonly Action: unknown;
  readonly Resource: unknown;
}

let template: Template;
let checkId: string;
let check: Resource;
beforeAll(async () => {
  template = await templateWith();
  [[checkId, check]] = of('AWS::Lambda::Function').filter(([id]) =>
    id.includes('ReleasesCheck'),
  ) as [[string, Resource]];
}, 60_000);

const of = (type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][];
/** Its role's own statements, and those that let CodeDeploy call it. */
const statements = (policyId: RegExp): Statement[] =>
  of('AWS::IAM::Policy')
    .filter(([id]) => policyId.test(id))
    .flatMap(
      ([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
    );
const refIn = (value: unknown): unknown => (value as { Ref?: string }).Ref;

test('every alias moves only after the release check has let the new version pass', () => {
  const aliases = of('AWS::Lambda::Alias');

  expect(aliases).toHaveLength(endpoints.length);
  for (const [, { UpdatePolicy, DependsOn }] of aliases) {
    expect(UpdatePolicy?.CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook).toEqual({
      Ref: checkId,
    });
    // It knows the new versions, and CodeDeploy may call it, before an alias begins to move.
    expect(DependsOn).toEqual(
      expect.arrayContaining([checkId, expect.stringMatching(/^ServiceReleasesRoleDefaultPolicy/)]),
    );
  }
});

test('the release check has a name that AWS’s policy lets CodeDeploy call', () => {
  expect(check.Properties.FunctionName).toBe('CodeDeployHook_lead-service-production');
});

test('the release check is told the new version of each endpoint', () => {
  const { Variables } = check.Properties.Environment as {
    Variables: { RELEASED_VERSIONS: { 'Fn::Join': [string, unknown[]] } };
  };
  const [, parts] = Variables.RELEASED_VERSIONS['Fn::Join'];

  const versions = of('AWS::Lambda::Version').map(([id]) => id);
  const named = parts.map(refIn).filter((id) => id !== undefined);
  expect(named.sort()).toEqual(versions.sort());
  const text = parts.map((part) => (typeof part === 'string' ? part : 'arn')).join('');
  expect(Object.keys(JSON.parse(text))).toEqual(endpoints.map(({ name }) => name));
});

test('the role of the release check invokes the new versions, reports to CodeDeploy, logs, and no more', () => {
  const versions = of('AWS::Lambda::Version').map(([id]) => id);
  const granted = statements(/^ServiceReleasesCheckRoleDefaultPolicy/);

  const byAction = new Map(
    granted.map(({ Action, Resource }) => [[Action].flat().join(), [Resource].flat()]),
  );
  expect([...byAction.keys()].sort()).toEqual([
    'codedeploy:PutLifecycleEventHookExecutionStatus',
    'lambda:InvokeFunction',
    'logs:CreateLogStream,logs:PutLogEvents',
  ]);
  expect(byAction.get('lambda:InvokeFunction')?.map(refIn).sort()).toEqual(versions.sort());
  expect(
    JSON.stringify(byAction.get('codedeploy:PutLifecycleEventHookExecutionStatus')),
  ).not.toContain('*');
});
