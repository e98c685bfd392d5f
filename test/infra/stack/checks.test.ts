import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { App, Aspects, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import * as nag2 from 'cdk-nag-2';
import { beforeAll, expect, test } from 'vitest';
import { checkOptions, OptionsError } from '../../../infra/stack/check-options.ts';
import type { LeadServiceProps } from '../../../infra/stack/lead-service.ts';
import { projectFolder } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import committedIds from './logical-ids.json' with { type: 'json' };
import { everyOption, leadsApp, templateWith } from './service-template.ts';

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
  /** What version 2 of cdk-nag finds while the app is synthesized, as errors and as warnings. */
  readonly findingsOf2: readonly string[];
  readonly template: {
    readonly Resources: Readonly<
      Record<string, { readonly Type: string; readonly Properties?: object }>
    >;
  };
}
let apps: ReadonlyMap<string, Variant>;
beforeAll(async () => {
  const all = variants.map(async ([name, service]): Promise<[string, Variant]> => {
    const { app, stack } = await leadsApp(service);
    addNag2(app);
    const template = Template.fromStack(stack).toJSON() as Variant['template'];
    return [name, { app, findingsOf2: findingsOf2In(stack), template }];
  });
  apps = new Map(await Promise.all(all));
}, 120_000);

/** As an app adds it that has not moved to version 3. */
function addNag2(app: App): void {
  Aspects.of(app).add(new nag2.AwsSolutionsChecks({ reports: false }));
  Aspects.of(app).add(new nag2.ServerlessChecks({ reports: false }));
}
function findingsOf2In(stack: Stack): string[] {
  const annotations = Annotations.fromStack(stack);
  const rule = Match.stringLikeRegexp('^(AwsSolutions|Serverless|CdkNag)');
  return [...annotations.findError('*', rule), ...annotations.findWarning('*', rule)].map(
    ({ id, entry }) => `${String(entry.data).split(':')[0]} at ${id}`,
  );
}

/** 'RULE at PATH' of everything that a pack finds and nobody has acknowledged with a reason. */
const findings = (pack: NagPack, app: App): string[] =>
  pack
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    );

test.each(variants)(
  'neither cdk-nag 3 nor cdk-nag 2 finds anything with %s',
  (name) => {
    const { app } = apps.get(name)!;

    for (const pack of [new AwsSolutionsChecks(app), new ServerlessChecks(app)])
      expect(findings(pack, app)).toEqual([]);
    expect(apps.get(name)?.findingsOf2).toEqual([]);
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
  const stack = new Stack(app, 'Wrong');
  new Topic(stack, 'PlainText');
  addNag2(app);

  const found = 'AwsSolutions-SNS3 at Wrong/PlainText/Resource';
  expect(findings(new AwsSolutionsChecks(app), app)).toEqual([found]);
  expect(findingsOf2In(stack)).toContain(found.replace(' at ', ' at /'));
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

/** What cfn-lint finds, a line each. A dependency that the CDK writes twice, from a function to its role, is not a fault (W3005). */
function lint(
  paths: readonly string[],
  { ignored = [], regions = ['us-east-1'] }: { ignored?: string[]; regions?: string[] } = {},
): string[] {
  const options = ['--format', 'parseable', '--ignore-checks', 'W3005', ...ignored];
  const args = [...options, '--regions', ...regions, '--', ...paths];
  const { stdout } = spawnSync('cfn-lint', args, { encoding: 'utf8' });
  return stdout.trim().split('\n').filter(Boolean);
}

/** The first resource of each type and set of properties: in 46 regions, all of them would take three times as long. */
function kindsIn({ Resources }: Variant['template']): Variant['template'] {
  const kinds = Map.groupBy(Object.entries(Resources), ([, { Type, Properties = {} }]) =>
    JSON.stringify([Type, ...Object.keys(Properties).sort()]),
  );
  return { Resources: Object.fromEntries([...kinds.values()].flatMap(([first]) => [first ?? []])) };
}

/** The options that are refused in a region. */
function lackingIn(region: string): string[] {
  try {
    checkOptions(everyOption, region);
    return [];
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return error.issues.map((issue) => issue.split(':')[0] ?? '');
  }
}

test.skipIf(!cfnLint)(
  'cfn-lint finds nothing in any region, without the options that are refused there',
  async () => {
    // It names the regions that it knows when it is given another one.
    const { stderr } = spawnSync('cfn-lint', ['--regions', 'none'], { encoding: 'utf8' });
    const regions = stderr.match(/(?<=')[a-z]+(-[a-z]+)+-\d(?=')/g) ?? [];
    expect(regions.length).toBeGreaterThan(40);
    for (const [lacking, names] of Map.groupBy(regions, (name) => lackingIn(name).join())) {
      const { domainName, certificateArn, monthlyBudget, ...others } = everyOption;
      const template = await templateWith({
        ...others,
        ...(!lacking.includes('domainName') && { domainName, certificateArn }),
        ...(!lacking.includes('monthlyBudget') && { monthlyBudget }),
      });
      const kinds = kindsIn(template.toJSON() as Variant['template']);
      const path = await files.write(`without-${lacking}.yaml`, JSON.stringify(kinds));

      // The two are about references to the other resources.
      expect(lint([path], { ignored: ['E1', 'E3005'], regions: names }), lacking).toEqual([]);
    }
  },
  600_000,
);

test.skipIf(!cfnLint)(
  'cfn-lint finds nothing in the templates and the recipes, and finds a planted error',
  async () => {
    const templates = [...[...apps.values()].map(({ template }) => template), wrong];
    const all = [...recipes, ...templates.map((template) => JSON.stringify(template))];
    const paths = await Promise.all(all.map((text, at) => files.write(`${at}.yaml`, text)));

    // One run for all: a start takes long.
    const found = lint(paths);

    expect(found).toContainEqual(expect.stringContaining(':E3002:'));
    expect(found.filter((line) => !line.startsWith(`${paths.at(-1)}:`))).toEqual([]);
  },
  300_000,
);
