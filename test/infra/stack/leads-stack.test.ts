import { Match } from 'aws-cdk-lib/assertions';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import {
  type GatewayResponse,
  gatewayReply,
  gatewayResponses,
} from '../../../infra/gateway/responses.ts';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { limits } from '../../../shared/contract/limits.ts';
import { propertiesOf, type Resource, resourcesOf, templateWith } from './service-template.ts';

const template = await templateWith();
const resources = (type: string): [string, Resource][] =>
  Object.entries(resourcesOf(template, type));
const roleOf = ({ Role }: Resource['Properties']): string => Role['Fn::GetAtt'][0];

/** 'GET /api/v1/leads/{leadId}' to the logical id of the function behind it. */
function routes(): Map<string, string> {
  const parts = new Map(
    resources('AWS::ApiGateway::Resource').map(([id, { Properties }]) => [id, Properties]),
  );
  const pathOf = (id: string | undefined): string => {
    const part = id === undefined ? undefined : parts.get(id);
    return part ? `${pathOf(part.ParentId.Ref)}/${part.PathPart}` : '';
  };
  return new Map(
    resources('AWS::ApiGateway::Method').map(([, { Properties }]) => [
      `${Properties.HttpMethod} ${pathOf(Properties.ResourceId.Ref)}`,
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
    for (const { Integration } of propertiesOf(template, 'AWS::ApiGateway::Method')) {
      expect(Integration.Type).toBe('AWS_PROXY');
      expect(Integration.TimeoutInMillis).toBeGreaterThan(limits.functionTimeoutSeconds * 1000);
    }
  });

  test('the routes are open to API Gateway alone, by this API and its one stage', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');

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
  'function $name has its own role, log, time-out and environment, and nothing reserved',
  ({ method, path }) => {
    const functions = Object.values(resourcesOf(template, 'AWS::Lambda::Function'));
    const own = functions.find(({ Properties }) => Properties.Description === `${method} ${path}`)!;
    const [tableId] = Object.keys(resourcesOf(template, 'AWS::DynamoDB::Table'));
    const role = roleOf(own.Properties);

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
    expect(functions.filter(({ Properties }) => roleOf(Properties) === role)).toHaveLength(1);
    // The function waits for the policy of its role, so that no request meets an old one.
    const policies = resources('AWS::IAM::Policy')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Roles).includes(role))
      .map(([id]) => id);
    expect(policies).toHaveLength(1);
    expect(own.DependsOn).toEqual(expect.arrayContaining(policies));
    const log = own.Properties.LoggingConfig.LogGroup.Ref;
    expect(resourcesOf(template, 'AWS::Logs::LogGroup')[log]?.Properties.RetentionInDays).toBe(30);
  },
);

test('a release with other options changes functions in place, and takes nothing from their roles', async () => {
  const after = await templateWith({ memoryMb: 512, requestsPerKeyPerHour: 100, tracing: true });
  const [old, now] = [resourcesOf(template), resourcesOf(after)];

  const different = Object.keys(now).filter(
    (id) => JSON.stringify(old[id]?.Properties) !== JSON.stringify(now[id]?.Properties),
  );

  expect(Object.keys(now)).toEqual(Object.keys(old));
  expect(new Set(different.map((id) => now[id]?.Type))).toEqual(
    new Set(['AWS::IAM::Policy', 'AWS::Lambda::Function']),
  );
  // While role, code and environment change one by one, forward or back, each request is allowed by either role.
  const statements = (one?: Resource) => one?.Properties.PolicyDocument?.Statement ?? [];
  for (const id of different)
    expect(statements(now[id])).toEqual(expect.arrayContaining(statements(old[id])));
  // What a rollback leaves behind, a repeat meets.
  const kept = Object.values(now).filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
  expect(kept.map(({ Type }) => Type)).toEqual(['AWS::DynamoDB::Table']);
});

describe('the gateway’s own responses', () => {
  test('every response type that API Gateway knows is set, so that none takes a default by accident', () => {
    const known = Object.values(ResponseType)
      .filter((value) => value instanceof ResponseType)
      .map(({ responseType }) => responseType);

    expect(Object.keys(gatewayResponses).sort()).toEqual(known.sort());
  });

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

  test('a change to the gateway’s own responses makes a new deployment', () => {
    const [deployment] = Object.values(resourcesOf(template, 'AWS::ApiGateway::Deployment'));

    const answers = Object.keys(resourcesOf(template, 'AWS::ApiGateway::GatewayResponse'));
    expect(deployment?.DependsOn).toEqual(expect.arrayContaining(answers));
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
