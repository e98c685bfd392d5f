import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import { beforeAll, expect, test } from 'vitest';
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
  readonly template: { readonly Resources: Readonly<Record<string, { readonly Type: string }>> };
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

type Types = Readonly<Record<string, string>>;
/** Types by logical ID. */
const typesIn = (name: string): Types =>
  Object.fromEntries(
    Object.entries(apps.get(name)!.template.Resources).map(([id, { Type }]) => [id, Type]),
  );
/** What every release has had, by variant. */
const logicalIds: Readonly<Record<string, Types>> = committedIds;

/**
 * The types of resources that no release may replace: CloudFormation creates a resource under a changed logical ID, and removes or
 * abandons the old one. The service would begin with an empty table or another key, events and logs would be lost, the base URL would
 * change, and what has a name of its own (an alarm, a dashboard, a domain, a bus) would make the deployment fail.
 * A new alarm does no harm before it is released: it is listed later.
 */
const listedTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::RestApi',
  'AWS::CloudWatch::Dashboard',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::KMS::Key',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
]);

test.each(variants)('resources keep their IDs: %s', (name) => {
  expect(typesIn(name)).toMatchObject(logicalIds[name] ?? {});
});

// npm test -- infra/stack/checks -u adds what is new, and never drops what is gone.
test('every resource that no release may replace is in logical-ids.json', async () => {
  const listed = variants.map(([name]) => {
    const added = Object.entries(typesIn(name)).filter(([, type]) => listedTypes.has(type));
    const all = { ...Object.fromEntries(added), ...logicalIds[name] };
    return [name, Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))];
  });

  await expect(`${JSON.stringify(Object.fromEntries(listed), null, 2)}\n`).toMatchFileSnapshot(
    'logical-ids.json',
  );
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
