import type { Template } from 'aws-cdk-lib/assertions';

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

/** A value of the template as a text, with the ARNs and names that a deployment has. @throws Error for an intrinsic function it does not know */
function textOf(value: unknown, resources: Resources): string {
  if (typeof value === 'string') return value;
  const [[name, argument] = []] = Object.entries(value as object);
  if (name === 'Ref') return referenceTo(argument as string);
  if (name === 'Fn::Join') {
    const [separator, parts] = argument as [string, readonly unknown[]];
    return parts.map((part) => textOf(part, resources)).join(separator);
  }
  const [id = '', attribute = ''] = argument as string[];
  const known = attributes[`${resources[id]?.Type} ${attribute}`];
  if (name !== 'Fn::GetAtt' || !known) throw new Error(`Not known: ${JSON.stringify(value)}`);
  return known(id);
}

function referenceTo(id: string): string {
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::AccountId': account,
  };
  return pseudo[id] ?? id;
}

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
    .map((statement) => inDeployment(statement, resources));
}

function inDeployment(statement: PolicyStatement, resources: Resources): PolicyStatement {
  const { Resource, Condition } = statement;
  const values = (tests: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(tests).map(([key, one]) => [
        key,
        Array.isArray(one) ? one.map((each) => textOf(each, resources)) : textOf(one, resources),
      ]),
    );
  return {
    ...statement,
    Resource: [Resource].flat().map((one) => textOf(one, resources)),
    ...(Condition && {
      Condition: Object.fromEntries(
        Object.entries(Condition).map(([operator, tests]) => [operator, values(tests)]),
      ),
    }),
  };
}
