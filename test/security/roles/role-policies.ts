import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Template } from 'aws-cdk-lib/assertions';
import { type EndpointName, endpointNamed } from '../../../shared/endpoints.ts';
import type { IamRequest } from './iam-request.ts';
import { type PolicyStatement, statementsOf } from './role-statements.ts';

/** All that a function's role may do with DynamoDB, as IAM reads it from the template, with the ARNs that a deployment has. */
export function policyOf(template: Template, name: EndpointName): readonly PolicyStatement[] {
  const { method, path } = endpointNamed(name);
  return statementsOf(template, `${method} ${path}`).filter(({ Action }) =>
    [Action].flat().some((action) => action.startsWith('dynamodb:')),
  );
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
