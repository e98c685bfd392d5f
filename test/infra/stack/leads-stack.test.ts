import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildFunctions, writtenEndpoints } from '../../../infra/bundle/bundle.ts';
import {
  type GatewayResponse,
  gatewayResponseBody,
  gatewayResponses,
} from '../../../infra/gateway/responses.ts';
import { LeadsStack } from '../../../infra/stack/leads-stack.ts';
import { limits } from '../../../shared/limits.ts';

const written = writtenEndpoints();
let template: Template;

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}
const resources = (type: string): [string, Resource][] =>
  Object.entries(template.findResources(type)) as [string, Resource][];

beforeAll(async () => {
  await buildFunctions();
  template = Template.fromStack(new LeadsStack(new App(), 'LeadsStack'));
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
  test('the routes are the written endpoints, and no others', () => {
    expect([...routes().keys()].sort()).toEqual(
      written.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  test('lead to the function of their own row', () => {
    const described = new Map(
      resources('AWS::Lambda::Function').map(([id, { Properties }]) => [
        id,
        Properties.Description,
      ]),
    );

    for (const [route, functionId] of routes()) expect(described.get(functionId)).toBe(route);
  });

  test('wait longer than any function runs', () => {
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

    expect(permissions).toHaveLength(written.length);
    expect(new Set(permissions.map(({ FunctionName }) => JSON.stringify(FunctionName))).size).toBe(
      written.length,
    );
    for (const { Principal, SourceArn } of permissions) {
      expect(Principal).toBe('apigateway.amazonaws.com');
      expect(JSON.stringify(SourceArn)).toMatch(
        /"Ref":"ServiceApi\w+"},"\/",{"Ref":"ServiceApi\w*Stage/,
      );
    }
  });
});

describe.each(written)('the function of $name', ({ name, method, path }) => {
  const description = `${method} ${path}`;
  const functionNow = (): Resource =>
    resources('AWS::Lambda::Function').find(
      ([, { Properties }]) => Properties.Description === description,
    )![1];

  test(`the function of ${name} runs on Node 24 and arm64`, () => {
    expect(functionNow().Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
    });
  });

  test(`the function of ${name} ends with the time-out that the store counts on`, () => {
    expect(functionNow().Properties.Timeout).toBe(limits.functionTimeoutSeconds);
  });

  test(`the function of ${name} knows the table, its own deployment and bundle, the limits of requests and of memory, and nothing else`, () => {
    const [[tableId]] = resources('AWS::DynamoDB::Table') as [[string, Resource]];

    expect(functionNow().Properties.Environment).toEqual({
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
  });

  test(`the function of ${name} keeps no concurrency for itself, of which a fresh account has ten in all`, () => {
    expect(functionNow().Properties).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  test(`the function of ${name} has a role of its own, without a policy of somebody else`, () => {
    const roleIds = resources('AWS::Lambda::Function').map(([, { Properties }]) =>
      JSON.stringify(Properties.Role),
    );
    const own = functionNow().Properties.Role as { 'Fn::GetAtt': [string, string] };

    expect(roleIds.filter((role) => role === JSON.stringify(own))).toHaveLength(1);
    expect(
      template.findResources('AWS::IAM::Role')[own['Fn::GetAtt'][0]]?.Properties,
    ).not.toHaveProperty('ManagedPolicyArns');
  });

  test(`the function of ${name} logs to a group of its own that does not keep for ever`, () => {
    const { LogGroup } = functionNow().Properties.LoggingConfig as { LogGroup: { Ref: string } };

    expect(template.findResources('AWS::Logs::LogGroup')[LogGroup.Ref]?.Properties).toMatchObject({
      RetentionInDays: 30,
    });
  });
});

describe('the roles', () => {
  test('roles of endpoints allow the table, limited by partition key, and their own log; nothing else', () => {
    const ofEndpoints = resources('AWS::IAM::Policy').filter(
      ([id]) => !id.startsWith('ServiceReleases'),
    );
    expect(ofEndpoints).toHaveLength(written.length);
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
    '%s is set, with status, body and request id',
    (type, response) => {
      template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
        ResponseType: type,
        StatusCode: String(response.status),
        ResponseTemplates: { 'application/json': gatewayResponseBody(response) },
        ResponseParameters: Match.objectLike({
          'gatewayresponse.header.X-Request-Id': 'context.extendedRequestId',
          'gatewayresponse.header.Cache-Control': "'no-store'",
        }),
      });
    },
  );

  test.each([
    ['THROTTLED', "'1'"],
    ['QUOTA_EXCEEDED', "'3600'"],
  ])('%s says when to retry', (type, seconds) => {
    template.hasResourceProperties('AWS::ApiGateway::GatewayResponse', {
      ResponseType: type,
      ResponseParameters: Match.objectLike({ 'gatewayresponse.header.Retry-After': seconds }),
    });
  });

  test('what the gateway answers by itself is in every deployment: a changed answer makes a new one', () => {
    const [[, deployment]] = Object.entries(
      template.findResources('AWS::ApiGateway::Deployment'),
    ) as [[string, { DependsOn: string[] }]];

    const answers = resources('AWS::ApiGateway::GatewayResponse').map(([id]) => id);
    expect(deployment.DependsOn).toEqual(expect.arrayContaining(answers));
  });
});

describe('the API', () => {
  test('sets nothing for the whole account', () => {
    template.resourceCountIs('AWS::ApiGateway::Account', 0);
  });

  test('the API is regional and hands bodies on as text', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: Match.absent(),
    });
  });

  test('the API answers no browser: there is no OPTIONS method and no CORS header', () => {
    expect(JSON.stringify(template.toJSON())).not.toMatch(/(?<!NODE_)OPTIONS|Access-Control-/);
  });

  test('the API names its base address without a slash at the end, and for the first call', () => {
    const outputs = Object.entries(template.toJSON().Outputs as Record<string, { Value: unknown }>);
    const addresses = outputs.filter(([, { Value }]) =>
      JSON.stringify(Value).includes('execute-api'),
    );

    expect(addresses.map(([name]) => name)).toEqual(['BaseUrl', 'Next3Call']);
    expect(JSON.stringify(addresses[0]?.[1].Value)).toMatch(/Stage\w+"}\]\]}$/);
  });
});
