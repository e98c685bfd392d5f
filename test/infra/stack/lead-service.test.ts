import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { bundleFile, bundleFolder, releaseOf } from '../../../infra/bundle/built-functions.ts';
import { OptionsError } from '../../../infra/stack/check-options.ts';
import { LeadService } from '../../../infra/stack/lead-service.ts';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import {
  everyOption,
  newApp,
  propertiesOf,
  type Resource,
  resourcesOf,
  templateWith,
} from './service-template.ts';

const plain = await templateWith();
const full = await templateWith(everyOption);
const { domainName, certificateArn } = everyOption;
const restored = await templateWith({
  tableName: 'leads-restored',
  backup: true,
  domainName,
  certificateArn,
  keepDefaultAddress: true,
});

const stageOf = (template: Template) => propertiesOf(template, 'AWS::ApiGateway::Stage')[0];

const routes = new Set<unknown>(endpoints.map(({ method, path }) => `${method} ${path}`));
/** The functions of the endpoints. */
const functionsOf = (template: Template) =>
  propertiesOf(template, 'AWS::Lambda::Function').filter(({ Description }) =>
    routes.has(Description),
  );

describe('in a fresh account, with no option set', () => {
  test('nothing changes the whole account, and nothing runs at deployment', () => {
    const types = new Set(Object.values(resourcesOf(plain)).map(({ Type }) => Type));

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
    expect(stageOf(plain)).not.toHaveProperty('AccessLogSetting');
    expect(JSON.stringify(stageOf(plain))).not.toMatch(/LoggingLevel|"DataTraceEnabled":true/);
  });

  test('the outputs are the release, addresses, table and functions', () => {
    expect(Object.keys(plain.toJSON().Outputs)).toEqual([
      'Release',
      'Version',
      'ServiceName',
      'BaseUrl',
      'DashboardUrl',
      'TableName',
      'Functions',
    ]);
  });
});

test('resources have the tag lead-service, but for the dashboard, which has tags in few regions', () => {
  const tag = { Key: 'lead-service', Value: 'lead-service-test' };
  const tagged = Object.values(resourcesOf(full)).filter(({ Properties }) =>
    isDeepStrictEqual(Properties?.Tags, [tag]),
  );

  const types = new Set(tagged.map(({ Type }) => Type));
  for (const name of ['ApiGateway::RestApi', 'DynamoDB::Table', 'Lambda::Function', 'KMS::Key'])
    expect([...types]).toContain(`AWS::${name}`);
  expect([...types]).not.toContain('AWS::CloudWatch::Dashboard');
});

describe('the gateway', () => {
  test('the gateway requires TLS 1.2, at its own address and at a domain', () => {
    for (const template of [plain, full])
      template.hasResourceProperties('AWS::ApiGateway::RestApi', {
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
      });
  });

  test('the gateway admits a bounded number of requests per second', () => {
    const settings = (template: Template) => stageOf(template).MethodSettings;

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

  test('a service without a domain, or with keepDefaultAddress, answers at its own address', () => {
    for (const template of [plain, restored])
      template.hasResourceProperties('AWS::ApiGateway::RestApi', {
        DisableExecuteApiEndpoint: false,
      });
    restored.resourceCountIs('AWS::ApiGateway::DomainName', 1);
    expect(restored.toJSON().Outputs.BaseUrl.Value).toBe('https://leads.example.com');
  });

  test('the gateway logs the resource and never the address, an origin, an agent or a header', () => {
    const { Format }: { Format: string } = stageOf(full).AccessLogSetting;

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
    expect(stageOf(full)).not.toHaveProperty('TracingEnabled', true);
    for (const { TracingConfig } of functionsOf(full))
      expect(TracingConfig).toEqual({ Mode: 'Active' });
    for (const { TracingConfig } of functionsOf(plain)) expect(TracingConfig).toBeUndefined();
  });
});

describe('the table', () => {
  test('a table with removalPolicy destroy is deleted with its stack', () => {
    full.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    });
  });

  test('a table with its own key is encrypted with it, and the key is rotated', () => {
    full.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    full.hasResourceProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
    });
  });

  test('the table lets each function use that key through DynamoDB and by no other way', () => {
    const statements = propertiesOf(full, 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument }): Resource['Properties'][] => PolicyDocument.Statement,
    );

    const onKey = statements.filter(({ Action }) => JSON.stringify(Action).includes('kms:'));
    expect(onKey).toHaveLength(endpoints.length + 2); // and the publisher of events, and the backups
    for (const { Action, Condition } of onKey) {
      expect(JSON.stringify(Action)).not.toContain('*');
      expect(JSON.stringify(Condition)).toMatch(/^{"StringEquals":{"kms:ViaService":.*dynamodb\./);
    }
  });

  test('an existing table can be used: none is created, every function uses it, and it is backed up', () => {
    restored.resourceCountIs('AWS::DynamoDB::Table', 0);
    for (const { Environment } of functionsOf(restored))
      expect(Environment.Variables.LEADS_TABLE).toBe('leads-restored');
    const resources = propertiesOf(restored, 'AWS::IAM::Policy').map(({ PolicyDocument }) =>
      JSON.stringify(PolicyDocument),
    );
    expect(resources.filter((text) => !text.includes(':table/leads-restored'))).toEqual([]);
    const [selection] = propertiesOf(restored, 'AWS::Backup::BackupSelection');
    expect(JSON.stringify(selection)).toContain(':table/leads-restored');
  });
});

test('the functions have the memory, limits and log of the options', () => {
  const limits = { REQUESTS_PER_KEY_PER_HOUR: '100', REQUESTS_PER_ORGANIZATION_PER_HOUR: '200' };
  for (const { Description, MemorySize, Environment } of functionsOf(full)) {
    expect(MemorySize).toBe(Description.endsWith('/capture') ? 2048 : 512);
    expect(Environment.Variables).toMatchObject(limits);
  }
  for (const { RetentionInDays } of propertiesOf(full, 'AWS::Logs::LogGroup'))
    expect(RetentionInDays).toBe(365);
});

test('the construct refuses wrong options by name, even if the compiler allows them', () => {
  const stack = new Stack(new App(), 'Theirs');

  expect(() => new LeadService(stack, 'Leads', { waff: true, memoryMb: 1 } as never)).toThrow(
    OptionsError,
  );
});

test('a second service of a name in a stack is refused, and one of another name is not', () => {
  const stack = new Stack(newApp(), 'Theirs');
  new LeadService(stack, 'Leads', { environment: 'staging' });

  expect(() => new LeadService(stack, 'Other', { serviceName: 'lead-service-staging' })).toThrow(
    'serviceName: lead-service-staging is the name of Theirs/Leads: two services of a stack cannot share it.',
  );
  new LeadService(stack, 'Third', { serviceName: 'leads-of-others' });
});

test('an option that a region lacks is refused by name, and an untested region is reported', () => {
  const stackIn = (region: string) => new Stack(newApp(), 'Theirs', { env: { region } });
  const { monthlyBudget, alarmEmail } = everyOption;
  const options = { monthlyBudget, alarmEmail, domainName, certificateArn };

  expect(() => new LeadService(stackIn('eu-south-1'), 'Leads', options)).toThrow(
    /^ {2}monthlyBudget: .* in eu-south-1: remove it.*\n {2}domainName: .* in eu-south-1: /m,
  );
  const inChina = stackIn('cn-north-1');
  new LeadService(inChina, 'Leads', { alarmEmail });
  Annotations.fromStack(inChina).hasWarning(
    '*',
    Match.stringLikeRegexp('Nothing was tried in cn-north-1'),
  );
});

test('with monthlyBudget, the alarm address is notified of costs above it, actual and forecast', () => {
  const notified = (type: string) => ({
    Notification: { NotificationType: type, ComparisonOperator: 'GREATER_THAN', Threshold: 100 },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'ops@example.com' }],
  });

  full.hasResourceProperties('AWS::Budgets::Budget', {
    Budget: {
      BudgetLimit: { Amount: 100, Unit: 'USD' },
      CostFilters: { TagKeyValue: ['user:lead-service$lead-service-test'] },
    },
    NotificationsWithSubscribers: [notified('ACTUAL'), notified('FORECASTED')],
  });
});

test('every function has the version of the outputs, and the release of its bundle', () => {
  const functions = propertiesOf(full, 'AWS::Lambda::Function');
  const version = full.toJSON().Outputs.Version.Value as string;
  const built = [...endpoints.map(({ name }) => name), 'publish-events', 'heartbeat'].map((name) =>
    releaseOf(readFileSync(join(bundleFolder(name), bundleFile))),
  );

  expect(version).toMatch(/^\d+\.\d+\.\d+\+(\w+(\.dirty)?)$/);
  for (const { Environment } of functions)
    expect(Environment.Variables.SERVICE_VERSION).toBe(version);
  expect(functions.map(({ Environment }) => Environment.Variables.RELEASE).sort()).toEqual(
    built.sort(),
  );
});
