import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Template } from 'aws-cdk-lib/assertions';
import { type EndpointName, endpointNamed } from '../../../../shared/contract/endpoints.ts';
import type { IamRequest } from './iam-request.ts';

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Region and account of every ARN here. */
const [region, account] = ['ap-south-1', '123456789012'];

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}
type Resources = Readonly<Record<string, Resource>>;

export const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:${region}:${account}:${resource}`;

/** The ARN that `Fn::GetAtt` gives, by the resource's type and the attribute. Names that CloudFormation would make are the logical IDs. */
const attributes: Readonly<Record<string, (id: string) => string>> = {
  'AWS::DynamoDB::Table Arn': () => arn('dynamodb', 'table/leads'),
  'AWS::DynamoDB::Table StreamArn': () => arn('dynamodb', 'table/leads/stream/2026'),
  'AWS::Events::EventBus Arn': () => arn('events', 'event-bus/lead-service-test'),
  'AWS::SQS::Queue Arn': () => arn('sqs', 'undelivered'),
  'AWS::KMS::Key Arn': () => arn('kms', 'key/1'),
  'AWS::Logs::LogGroup Arn': (id) => arn('logs', `log-group:${id}:*`),
};

/** A part of the template with the ARNs and names that a deployment has. @throws Error for an intrinsic function it does not know */
function deployed(value: unknown, resources: Resources): unknown {
  if (Array.isArray(value)) return value.map((one) => deployed(one, resources));
  if (typeof value !== 'object' || value === null) return value;
  const [[name = '', argument] = []] = Object.entries(value);
  if (name === 'Ref') return pseudoParameters[argument] ?? argument;
  if (name === 'Fn::Join') {
    const [separator, parts] = deployed(argument, resources) as [string, readonly string[]];
    return parts.join(separator);
  }
  if (name.startsWith('Fn::')) {
    const [id = '', attribute = ''] = argument as string[];
    const known = attributes[`${resources[id]?.Type} ${attribute}`];
    if (name !== 'Fn::GetAtt' || !known) throw new Error(`Not known: ${JSON.stringify(value)}`);
    return known(id);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, deployed(one, resources)]),
  );
}

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::AccountId': account,
};

/** All that the role of a function may do, as IAM reads it from the template. @param description of the function */
export function statementsOf(template: Template, description: string): PolicyStatement[] {
  const resources = template.toJSON().Resources as Resources;
  const all = Object.values(resources);
  const own = all.find(
    ({ Type, Properties }) =>
      Type === 'AWS::Lambda::Function' && Properties.Description === description,
  );
  if (!own) throw new Error(`The template has no function "${description}".`);
  const [role] = (own.Properties.Role as { 'Fn::GetAtt': string[] })['Fn::GetAtt'];
  return all
    .filter(({ Type, Properties }) => {
      const roles = (Properties?.Roles ?? []) as { Ref: string }[];
      return Type === 'AWS::IAM::Policy' && roles.some(({ Ref }) => Ref === role);
    })
    .flatMap(
      ({ Properties }) => (Properties.PolicyDocument as { Statement: PolicyStatement[] }).Statement,
    )
    .map((statement) => deployed(statement, resources) as PolicyStatement);
}

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
      Principal: { AWS: `arn:aws:iam::${account}:root` },
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
        principal: `arn:aws:iam::${account}:role/function`,
        action,
        resource: { resource, accountId: account },
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
