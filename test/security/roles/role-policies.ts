import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Template } from 'aws-cdk-lib/assertions';
import { type EndpointName, endpointNamed } from '../../../shared/endpoints.ts';
import { type IamRequest, tableArn } from './iam-request.ts';

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}
export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** All that a function's role may do with DynamoDB, as IAM reads it from the template, with the ARNs that a deployment has. */
export function policyOf(template: Template, name: EndpointName): readonly PolicyStatement[] {
  const { method, path } = endpointNamed(name);
  const functions = Object.values(template.findResources('AWS::Lambda::Function')) as Resource[];
  const own = functions.find(({ Properties }) => Properties.Description === `${method} ${path}`);
  if (!own) throw new Error(`The template has no function for ${name}.`);
  const role = (own.Properties.Role as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][0];
  const policies = Object.values(template.findResources('AWS::IAM::Policy')) as Resource[];
  const [tableId = ''] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
  return policies
    .filter(({ Properties }) =>
      (Properties.Roles as { Ref: string }[]).some(({ Ref }) => Ref === role),
    )
    .flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: PolicyStatement[] }).Statement,
    )
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('dynamodb:')))
    .map((statement) => ({ ...statement, Resource: arnOf(statement.Resource, tableId) }));
}

/** @throws Error for an intrinsic function that the roles did not have before */
function arnOf(resource: unknown, tableId: string): string {
  const text = JSON.stringify(resource);
  const table = JSON.stringify({ 'Fn::GetAtt': [tableId, 'Arn'] });
  if (text === table) return tableArn;
  const index = text.match(/^\{"Fn::Join":\["",\[(.*),"(\/index\/\w+)"\]\]\}$/);
  if (index?.[1] === table) return `${tableArn}${index[2]}`;
  throw new Error(`The resource ${text} is neither the table nor one of its indexes.`);
}

export interface Decision {
  readonly isAllowed: boolean;
  /** The statements that allow the request. */
  readonly by: readonly string[];
}

/** A key without a policy that leaves the decision to IAM allows nobody. This is KMS's default, which the stack's key has. */
const defaultKeyPolicy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::123456789012:root' },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
};

/** Evaluates a request as IAM does, by a simulator that knows AWS's service authorization reference. @throws Error for an invalid request */
export async function decide(
  statements: readonly PolicyStatement[],
  { action, resource, context }: IamRequest,
): Promise<Decision> {
  const simulated = await runSimulation(
    {
      request: {
        principal: 'arn:aws:iam::123456789012:role/function',
        action,
        resource: { resource, accountId: '123456789012' },
        contextVariables: { ...context },
      },
      identityPolicies: [
        { name: 'role', policy: { Version: '2012-10-17', Statement: statements } },
      ],
      ...(action.startsWith('kms:') && { resourcePolicy: defaultKeyPolicy }),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (simulated.resultType === 'error')
    throw new Error(`${action} cannot be simulated: ${JSON.stringify(simulated)}`);
  // An action without resources has a result per pattern.
  const results = simulated.resultType === 'single' ? [simulated.result] : simulated.results;
  const allowing = results.flatMap(
    ({ analysis }) => analysis.identityAnalysis?.allowStatements ?? [],
  );
  return {
    isAllowed: simulated.overallResult === 'Allowed',
    by: allowing.map(({ statement }) => statement.sid() ?? ''),
  };
}
