import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleFile, bundleFolder, releaseOf } from '../../../infra/bundle/built-functions.ts';
import { LeadService } from '../../../infra/stack/lead-service.ts';
import { OptionsError } from '../../../infra/stack/service-options.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { everyOption, templateWith } from './service-template.ts';

let plain: Template;
let full: Template;
let restored: Template;
beforeAll(async () => {
  plain = await templateWith();
  full = await templateWith(everyOption);
  restored = await templateWith({ tableName: 'leads-restored' });
}, 120_000);

interface Resource {
  readonly Properties: Record<string, unknown>;
}
interface TaggedResource {
  readonly Type: string;
  readonly Properties?: { readonly Tags?: unknown };
}
const all = (template: Template, type: string): Resource[] =>
  Object.values(template.findResources(type)) as Resource[];
const one = (template: Template, type: string): Record<string, unknown> => {
  const [found, ...more] = all(template, type);
  expect(more).toEqual([]);
  return found!.Properties;
};

const routes = new Set<unknown>(endpoints.map(({ method, path }) => `${method} ${path}`));
/** The functions of the endpoints. */
const functionsOf = (template: Template): Resource[] =>
  all(template, 'AWS::Lambda::Function').filter(({ Properties }) =>
    routes.has(Properties.Description),
  );

describe('in a fresh account, with no option set', () => {
  test('nothing changes the whole account, and nothing runs at deployment', () => {
    const types = new Set(
      Object.values(plain.toJSON().Resources as Record<string, { Type: string }>).map(
        ({ Type }) => Type,
      ),
    );

    expect([...types].sort()).toEqual([
      'AWS::ApiGateway::Deployment',
      'AWS::ApiGateway::GatewayResponse',
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Resource',
      'AWS::ApiGateway::RestApi',
      'AWS::ApiGateway::Stage',
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
      'AWS::DynamoDB::Table',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::Logs::QueryDefinition',
    ]);
  });

  test('the gateway writes no log, which would need a role of the account', () => {
    expect(one(plain, 'AWS::ApiGateway::Stage')).not.toHaveProperty('AccessLogSetting');
    expect(JSON.stringify(one(plain, 'AWS::ApiGateway::Stage'))).not.toMatch(
      /LoggingLevel|"DataTraceEnabled":true/,
    );
  });

  test('the outputs are the release, addresses, table and functions', () => {
    expect(Object.keys(plain.toJSON().Outputs)).toEqual([
      'Release',
      'Version',
      'BaseUrl',
      'DashboardUrl',
      'TableName',
      'Functions',
    ]);
  });
});

test('resources have the tag lead-service, but for the dashboard, which has tags in few regions', () => {
  const tag = { Key: 'lead-service', Value: 'lead-service-test' };
  const resources = Object.values(full.toJSON().Resources as Record<string, TaggedResource>);
  const tagged = resources.filter(({ Properties }) => isDeepStrictEqual(Properties?.Tags, [tag]));

  const types = new Set(tagged.map(({ Type }) => Type));
  for (const name of ['ApiGateway::RestApi', 'DynamoDB::Table', 'Lambda::Function', 'KMS::Key'])
    expect([...types]).toContain(`AWS::${name}`);
  expect([...types]).not.toContain('AWS::CloudWatch::Dashboard');
});

describe('the gateway', () => {
  test('the gateway speaks TLS 1.2 at the least, at its own address and at a domain', () => {
    for (const template of [plain, full])
      template.hasResourceProperties('AWS::ApiGateway::RestApi', {
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
      });
  });

  test('the gateway lets a bounded number through in a second', () => {
    const settings = (template: Template) => one(template, 'AWS::ApiGateway::Stage').MethodSettings;

    expect(settings(plain)).toEqual([
      expect.objectContaining({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 }),
    ]);
    expect(settings(full)).toEqual([
      expect.objectContaining({ ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 }),
    ]);
  });

  test('a service with a domain answers only there, by its certificate', () => {
    full.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
    full.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: everyOption.domainName,
      RegionalCertificateArn: everyOption.certificateArn,
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
    });
    full.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: Match.absent() });
    expect(full.toJSON().Outputs.BaseUrl.Value).toBe('https://leads.example.com');
    expect(full.toJSON().Outputs).toHaveProperty('DomainTarget');
  });

  test('a service with keepDefaultAddress answers at its domain and at its own address', async () => {
    const { domainName, certificateArn } = everyOption;
    const both = await templateWith({ domainName, certificateArn, keepDefaultAddress: true });

    both.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: false });
    both.resourceCountIs('AWS::ApiGateway::DomainName', 1);
    expect(both.toJSON().Outputs.BaseUrl.Value).toBe('https://leads.example.com');
  });

  test('a service without a domain keeps its own address', () => {
    plain.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: false });
  });

  test('the gateway logs the resource and never the address, an origin, an agent or a header', () => {
    const { Format } = one(full, 'AWS::ApiGateway::Stage').AccessLogSetting as { Format: string };

    const fields = [...Format.matchAll(/\$context\.([\w.]+)/g)].map(([, field]) => field);
    expect(fields.sort()).toEqual([
      'awsEndpointRequestId',
      'error.responseType',
      'extendedRequestId',
      'httpMethod',
      'integrationLatency',
      'integrationStatus',
      'resourcePath',
      'responseLatency',
      'status',
      'tlsVersion',
      'wafResponseCode',
    ]);
  });

  test('the gateway is never traced, whatever the functions are: its traces hold the address', () => {
    expect(one(full, 'AWS::ApiGateway::Stage')).not.toHaveProperty('TracingEnabled', true);
    for (const { Properties } of functionsOf(full))
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
    for (const { Properties } of functionsOf(plain))
      expect(Properties.TracingConfig).toBeUndefined();
  });
});

describe('the table', () => {
  test('a table with removalPolicy destroy is deleted with its stack', () => {
    full.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });

  test('a table with a key of its own is encrypted by it, and the key is rotated', () => {
    full.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    full.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
    });
  });

  test('the table lets each function use that key through DynamoDB and by no other way', () => {
    const statements = all(full, 'AWS::IAM::Policy').flatMap(
      ({ Properties }) =>
        (Properties.PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
    );

    const onKey = statements.filter(({ Action }) => JSON.stringify(Action).includes('kms:'));
    expect(onKey).toHaveLength(endpoints.length + 2); // and the publisher of events, and the backups
    for (const { Action, Condition } of onKey) {
      expect(JSON.stringify(Action)).not.toContain('*');
      expect(JSON.stringify(Condition)).toMatch(/^{"StringEquals":{"kms:ViaService":.*dynamodb\./);
    }
  });

  test('the table may be one that exists: none is made, and every function is given that one', () => {
    restored.resourceCountIs('AWS::DynamoDB::Table', 0);
    for (const { Properties } of functionsOf(restored)) {
      expect(Properties.Environment).toMatchObject({
        Variables: { LEADS_TABLE: 'leads-restored' },
      });
    }
    const resources = all(restored, 'AWS::IAM::Policy').map(({ Properties }) =>
      JSON.stringify(Properties.PolicyDocument),
    );
    expect(resources.filter((text) => !text.includes(':table/leads-restored'))).toEqual([]);
  });
});

describe('the functions', () => {
  test('the functions have the memory of the options, each its own where it has one', () => {
    const memory = functionsOf(full).map(({ Properties }) => [
      Properties.Description,
      Properties.MemorySize,
    ]);

    expect(new Map(memory as [string, number][])).toEqual(
      new Map(
        endpoints.map(({ name, method, path }) => [
          `${method} ${path}`,
          name === 'capture-lead' ? 2048 : 512,
        ]),
      ),
    );
  });

  test('the functions have the limits of the options', () => {
    for (const { Properties } of functionsOf(full)) {
      expect(Properties.Environment).toMatchObject({
        Variables: { REQUESTS_PER_KEY_PER_HOUR: '100', REQUESTS_PER_ORGANIZATION_PER_HOUR: '200' },
      });
    }
  });

  test('the functions keep their logs as long as the option says', () => {
    for (const { Properties } of all(full, 'AWS::Logs::LogGroup'))
      expect(Properties.RetentionInDays).toBe(365);
  });
});

describe("in somebody else's app", () => {
  test('a stack may have the construct twice, and other constructs', () => {
    const stack = new Stack(new App(), 'Theirs');
    const leads = new LeadService(stack, 'Leads', { serviceName: 'leads-one' });
    new LeadService(stack, 'More', { serviceName: 'leads-two' });

    expect(leads.baseUrl).toEqual(expect.any(String));
    Template.fromStack(stack).resourceCountIs('AWS::ApiGateway::RestApi', 2);
  }, 60_000);

  test('it refuses wrong options by name, whatever their type said', () => {
    const stack = new Stack(new App(), 'Theirs');

    expect(() => new LeadService(stack, 'Leads', { waff: true, memoryMb: 1 } as never)).toThrow(
      OptionsError,
    );
  });
});

test('every function has the version and commit of the outputs in its environment', () => {
  const version = full.toJSON().Outputs.Version.Value as string;

  expect(version).toMatch(/^\d+\.\d+\.\d+\+(\w+(\.dirty)?)$/);
  for (const { Properties } of all(full, 'AWS::Lambda::Function'))
    expect(Properties.Environment).toMatchObject({ Variables: { SERVICE_VERSION: version } });
});

test('every function knows the release of its bundle, which changes only with the bundle', () => {
  const releases = all(full, 'AWS::Lambda::Function').flatMap(({ Properties }) => {
    const { Variables = {} } = (Properties.Environment ?? {}) as {
      Variables?: Record<string, string>;
    };
    return Variables.RELEASE ?? [];
  });
  const built = [...endpoints.map(({ name }) => name), 'publish-events', 'heartbeat'].map((name) =>
    releaseOf(readFileSync(join(bundleFolder(name), bundleFile))),
  );

  expect(releases.sort()).toEqual(built.sort());
});
