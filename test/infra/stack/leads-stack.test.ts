import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type GatewayResponse,
  gatewayReply,
  gatewayResponses,
} from '../../../infra/gateway/responses.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { limits } from '../../../shared/limits.ts';
import { templateWith } from './service-template.ts';

let template: Template;

interface Resource {
  Type: string;
  DependsOn?: string[];
  Properties: Record<string, unknown>;
}
const resources = (type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][];

const roleOf = ({ Properties }: Resource): string =>
  (Properties.Role as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0];

beforeAll(async () => {
  template = await templateWith();
}, 60_000);

/** 'GET /api/v1/leads/{leadId}' to the logical id of the function behind it. */
function routes(): Map<string, string> {
  const parts = new Map(
    resources('AWS::ApiGateway::Resource').map(([id, { Properties }]) => [id, Properties]),
  );
  const pathOf = (id: string | undefined): string => {
    const part = id === undefined ? undefined : parts.get(id);
    return part ? `${pathOf((part.ParentId as { Ref?: string }).Ref)}/${part.PathPart}` : '';
  };
  return new Map(
    resources('AWS::ApiGateway::Method').map(([, { Properties }]) => [
      `${Properties.HttpMethod} ${pathOf((Properties.ResourceId as { Ref: string }).Ref)}`,
      /:lambda:path.*"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(
        JSON.stringify(Properties.Integration),
      )?.[1] ?? '',
    ]),
  );
}

describe('the routes', () => {
  test('the routes are the endpoints, and no others', () => {
    expect([...routes().keys()].sort()).toEqual(
      endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  test('each route leads to the function of its endpoint', () => {
    const described = new Map(
      resources('AWS::Lambda::Function').map(([id, { Properties }]) => [
        id,
        Properties.Description,
      ]),
    );

    for (const [route, functionId] of routes()) expect(described.get(functionId)).toBe(route);
  });

  test('the gateway waits longer than any function runs', () => {
    for (const [, { Properties }] of resources('AWS::ApiGateway::Method')) {
      const { Type, TimeoutInMillis } = Properties.Integration as {
        Type: string;
        TimeoutInMillis: number;
      };
      expect(Type).toBe('AWS_PROXY');
      expect(TimeoutInMillis).toBeGreaterThan(limits.functionTimeoutSeconds * 1000);
    }
  });

  test('the routes are open to API Gateway alone, by this API and its one stage', () => {
    const permissions = resources('AWS::Lambda::Permission').map(
      ([, { Properties }]) => Properties,
    );

    expect(permissions).toHaveLength(endpoints.length);
    expect(new Set(permissions.map(({ FunctionName }) => JSON.stringify(FunctionName))).size).toBe(
      endpoints.length,
    );
    for (const { Principal, SourceArn } of permissions) {
      expect(Principal).toBe('apigateway.amazonaws.com');
      expect(JSON.stringify(SourceArn)).toMatch(
        /"Ref":"ServiceApi\w+"},"\/",{"Ref":"ServiceApi\w*Stage/,
      );
    }
  });
});

test.each(endpoints)(
  'the function of $name has its own role, log, time-out and environment, and nothing reserved',
  ({ method, path }) => {
    const functions = resources('AWS::Lambda::Function').map(([, resource]) => resource);
    const own = functions.find(({ Properties }) => Properties.Description === `${method} ${path}`)!;
    const [[tableId]] = resources('AWS::DynamoDB::Table') as [[string, Resource]];

    expect(own.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: limits.functionTimeoutSeconds,
    });
    expect(own.Properties.Environment).toEqual({
      Variables: {
        LEADS_TABLE: { Ref: tableId },
        RELEASE: expect.stringMatching(/^[0-9a-f]{12}$/),
        SERVICE_NAME: 'lead-service-production',
        SERVICE_VERSION: expect.any(String),
        REQUESTS_PER_KEY_PER_HOUR: String(limits.requestsPerKeyPerWindow),
        REQUESTS_PER_ORGANIZATION_PER_HOUR: String(limits.requestsPerOrganizationPerWindow),
        NODE_OPTIONS: '--max-semi-space-size=2 --max-old-space-size=256',
        MALLOC_ARENA_MAX: '1',
      },
    });
    // A fresh account has ten concurrent executions in all.
    expect(own.Properties).not.toHaveProperty('ReservedConcurrentExecutions');
    expect(functions.filter((one) => roleOf(one) === roleOf(own))).toHaveLength(1);
    expect(template.findResources('AWS::IAM::Role')[roleOf(own)]?.Properties).not.toHaveProperty(
      'ManagedPolicyArns',
    );
    // The function waits for the policy of its role, so that no request meets an old one.
    const policies = resources('AWS::IAM::Policy')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Roles).includes(roleOf(own)))
      .map(([id]) => id);
    expect(policies).toHaveLength(1);
    expect(own.DependsOn).toEqual(expect.arrayContaining(policies));
    const { LogGroup } = own.Properties.LoggingConfig as { LogGroup: { Ref: string } };
    expect(template.findResources('AWS::Logs::LogGroup')[LogGroup.Ref]?.Properties).toMatchObject({
      RetentionInDays: 30,
    });
  },
);

test('a release with other options changes functions in place, and leaves every other resource', async () => {
  const after = await templateWith({ memoryMb: 512, requestsPerKeyPerHour: 100 });
  const [old, now] = [template, after].map(
    (one) => one.toJSON().Resources as Record<string, Resource>,
  ) as [Record<string, Resource>, Record<string, Resource>];

  const different = Object.entries(now).filter(
    ([id, one]) => JSON.stringify(old[id]) !== JSON.stringify(one),
  );

  expect(Object.keys(now)).toEqual(Object.keys(old));
  expect([...new Set(different.map(([, { Type }]) => Type))]).toEqual(['AWS::Lambda::Function']);
});

describe('the roles', () => {
  test('roles of endpoints allow the table, limited by partition key, and their own log; nothing else', () => {
    const ofEndpoints = resources('AWS::IAM::Policy').filter(
      ([id]) => !id.startsWith('ServiceReleases'),
    );
    expect(ofEndpoints).toHaveLength(endpoints.length);
    const statements = ofEndpoints.flatMap(
      ([, { Properties }]) =>
        (
          Properties.PolicyDocument as {
            Statement: { Action: string | string[]; Resource: unknown; Condition?: object }[];
          }
        ).Statement,
    );

    for (const { Action, Resource, Condition } of statements) {
      const isLog =
        JSON.stringify(Action) === JSON.stringify(['logs:CreateLogStream', 'logs:PutLogEvents']);
      if (!isLog)
        expect(Condition).toHaveProperty(['ForAllValues:StringLike', 'dynamodb:LeadingKeys']);
      expect(JSON.stringify(Resource)).not.toContain('*');
    }
  });
});

describe('what the gateway answers by itself', () => {
  test.each(Object.entries<GatewayResponse>(gatewayResponses))(
    '%s is set, with status, body, headers and request id',
    (type, response) => {
      const { status, headers, body } = gatewayReply(response);
      const { 'Content-Type': contentType = '', ...others } = headers;
      template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
        ResponseType: type,
        StatusCode: String(status),
        ResponseTemplates: { [contentType]: body },
        ResponseParameters: {
          'gatewayresponse.header.X-Request-Id': 'context.extendedRequestId',
          ...Object.fromEntries(
            Object.entries(others).map(([name, value]) => [
              `gatewayresponse.header.${name}`,
              `'${value}'`,
            ]),
          ),
        },
      });
    },
  );

  test('what the gateway answers by itself is in every deployment: a changed answer makes a new one', () => {
    const [[, deployment]] = Object.entries(
      template.findResources('AWS::ApiGateway::Deployment'),
    ) as [[string, { DependsOn: string[] }]];

    const answers = resources('AWS::ApiGateway::GatewayResponse').map(([id]) => id);
    expect(deployment.DependsOn).toEqual(expect.arrayContaining(answers));
  });
});

describe('the API', () => {
  test('the API is regional and hands bodies on as text', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: Match.absent(),
    });
  });

  test('the API answers no browser: there is no OPTIONS method and no CORS header', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/(?<!NODE_)OPTIONS|Access-Control-/);
  });

  test('the API names its base address without a slash at the end', () => {
    const outputs = Object.entries(template.toJSON().Outputs as Record<string, { Value: unknown }>);
    const addresses = outputs.filter(([, { Value }]) =>
      JSON.stringify(Value).includes('execute-api'),
    );

    expect(addresses.map(([name]) => name)).toEqual(['BaseUrl']);
    expect(JSON.stringify(addresses[0]?.[1].Value)).toMatch(/Stage\w+"}\]\]}$/);
  });
});

test('with monthlyBudget, the address of alarms is told when the tagged resources cost more, or will', async () => {
  const withBudget = await templateWith({ monthlyBudget: 100, alarmEmail: 'ops@example.com' });
  const told = (type: string) => ({
    Notification: { NotificationType: type, ComparisonOperator: 'GREATER_THAN', Threshold: 100 },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'ops@example.com' }],
  });

  withBudget.hasResourceProperties('AWS::Budgets::Budget', {
    Budget: {
      BudgetLimit: { Amount: 100, Unit: 'USD' },
      CostFilters: { TagKeyValue: ['user:lead-service$lead-service-production'] },
    },
    NotificationsWithSubscribers: [told('ACTUAL'), told('FORECASTED')],
  });
  template.resourceCountIs('AWS::Budgets::Budget', 0);
});
