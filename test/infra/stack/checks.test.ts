import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LeadServiceProps } from '../../../infra/stack/lead-service.ts';
import { projectFolder } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import committedIds from './logical-ids.json' with { type: 'json' };
import { everyOption, leadsApp } from './service-template.ts';

const files = useFolder();

const variants: readonly (readonly [string, LeadServiceProps])[] = [
  ['no option set', {}],
  ['every option on', everyOption],
  [
    'an existing table with events, and a domain beside the default address',
    {
      domainName: everyOption.domainName,
      certificateArn: everyOption.certificateArn,
      keepDefaultAddress: true,
      tableName: 'leads-restored',
      events: true,
      tableStreamArn:
        'arn:aws:dynamodb:eu-central-1:123456789012:table/leads-restored/stream/2026-11-21T00:00:00.000',
      kmsKey: 'arn:aws:kms:eu-central-1:123456789012:key/12345678-aaaa',
    },
  ],
];
interface Variant {
  readonly app: App;
  readonly template: { readonly Resources: Resources };
}
let apps: ReadonlyMap<string, Variant>;
beforeAll(async () => {
  const all = variants.map(async ([name, service]): Promise<[string, Variant]> => {
    const { app, stack } = await leadsApp(service);
    return [name, { app, template: Template.fromStack(stack).toJSON() as Variant['template'] }];
  });
  apps = new Map(await Promise.all(all));
}, 120_000);

/** 'RULE at PATH' of everything that a pack finds and nobody has acknowledged with a reason. */
const findings = (pack: NagPack, app: App): string[] =>
  pack
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    );

test.each(variants)(
  'cdk-nag finds nothing with %s',
  (name) => {
    const { app } = apps.get(name)!;

    for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)])
      expect(findings(pack, app)).toEqual([]);
  },
  60_000,
);

type Resources = Readonly<Record<string, { readonly Type: string }>>;

/** Type by logical ID, by variant. */
const logicalIds: Readonly<Record<string, Readonly<Record<string, string>>>> = committedIds;

describe('what no release may replace', () => {
  test.each(variants)('every such resource keeps its logical ID with %s', (name) => {
    expect(goneResources(logicalIds[name] ?? {}, resourcesOf(name))).toEqual([]);
  });

  // npm test -- infra/stack/checks -u adds what is new, and never drops what is gone.
  test('every such resource is in logical-ids.json', async () => {
    const listed = variants.map(([name]) => {
      const added = Object.entries(resourcesOf(name))
        .filter(([, { Type }]) => mustBeListed(Type))
        .map(([id, { Type }]) => [id, Type] as const);
      const all = { ...Object.fromEntries(added), ...logicalIds[name] };
      return [name, Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))];
    });

    await expect(`${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`).toMatchFileSnapshot(
      'logical-ids.json',
    );
  });

  test('a changed logical ID of the table is named with what it would do', () => {
    const table = { Type: 'AWS::DynamoDB::Table' };

    expect(goneResources({ Old: table.Type }, { New: table })).toEqual([
      'Old (AWS::DynamoDB::Table) is gone: the service would begin with an empty table.',
    ]);
  });
});

test('cdk-nag finds what is wrong where something is: the checks above do look', () => {
  const app = new App();
  new Topic(new Stack(app, 'Wrong'), 'PlainText');

  expect(findings(new AwsSolutionsChecks(app), app)).toEqual([
    'AwsSolutions-SNS3 at Wrong/PlainText/Resource',
  ]);
});

// Searched for, because a run of it takes seconds.
const folders = (process.env.PATH ?? '').split(delimiter);
const cfnLint = folders.some((folder) => existsSync(join(folder, 'cfn-lint')));
if (!cfnLint)
  process.stderr.write(
    '\nWARNING: cfn-lint is not installed: the templates are not linted. pip install cfn-lint\n\n',
  );

/** For consumers of events (OPERATE.md, "Events"). */
const recipes = ['email', 'queue', 'firehose'].map((name) =>
  readFileSync(join(projectFolder, 'infra', 'recipes', `${name}.yaml`), 'utf8'),
);
const wrong = {
  Resources: { Table: { Type: 'AWS::DynamoDB::Table', Properties: { Colour: 'red' } } },
};

test.skipIf(!cfnLint)(
  'cfn-lint finds nothing in the templates and the recipes, and finds a planted error',
  async () => {
    const templates = [...[...apps.values()].map(({ template }) => template), wrong];
    const all = [...recipes, ...templates.map((template) => JSON.stringify(template))];
    const paths = await Promise.all(all.map((text, at) => files.write(`${at}.yaml`, text)));

    // A dependency that the CDK writes twice, from a function to its role, is not a fault. One run for all: a start takes long.
    const options = ['--format', 'parseable', '--ignore-checks', 'W3005', '--'];
    const { stdout } = spawnSync('cfn-lint', [...options, ...paths], { encoding: 'utf8' });

    const found = stdout.trim().split('\n');
    expect(found).toContainEqual(expect.stringContaining(':E3002:'));
    expect(found.filter((line) => !line.startsWith(`${paths.at(-1)}:`))).toEqual([]);
  },
  300_000,
);

/**
 * What a changed logical ID of each type does at the next deployment: CloudFormation creates a resource under the new one, and removes or
 * abandons the old one.
 */
const effects: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'the deployment would fail, because the domain exists',
  'AWS::ApiGateway::RestApi': 'the base URL would change, and every caller would fail',
  'AWS::CloudWatch::Alarm': 'the deployment would fail, because an alarm of that name exists',
  'AWS::CloudWatch::Dashboard':
    'the deployment would fail, because a dashboard of that name exists',
  'AWS::DynamoDB::Table': 'the service would begin with an empty table',
  'AWS::Events::EventBus': 'the deployment would fail or the rules of consumers would get no event',
  'AWS::KMS::Key': 'the table would get another key, and backups would need the old one',
  'AWS::Lambda::EventSourceMapping': 'events that are not published yet would be lost',
  'AWS::Lambda::Function':
    'the function would lose its log, and requests would fail until the API calls the new one',
  'AWS::Logs::LogGroup': 'the log would be deleted',
  'AWS::SNS::Topic': 'nobody would be notified of alarms until the email is confirmed again',
  'AWS::SQS::Queue': 'events that could not be published would be lost',
};

/** A new alarm does no harm before it is released; all else is listed from the start. */
const mustBeListed = (type: string): boolean =>
  Object.hasOwn(effects, type) && type !== 'AWS::CloudWatch::Alarm';

const resourcesOf = (name: string): Resources => apps.get(name)!.template.Resources;

/** Of the resources that no release may replace, those that a template does not have under their logical ID. */
const goneResources = (
  released: Readonly<Record<string, string>>,
  resources: Resources,
): string[] =>
  Object.entries(released)
    .filter(([id, type]) => resources[id]?.Type !== type)
    .map(([id, type]) => `${id} (${type}) is gone: ${effects[type] ?? 'it would be replaced'}.`);
