import { App, Aspects, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import * as nag2 from 'cdk-nag-2';
import { beforeAll, expect, test } from 'vitest';
import committedIds from './logical-ids.json' with { type: 'json' };
import { leadsApp, variants } from './service-template.ts';

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
 * The types of resources that no release may replace: CloudFormation creates a resource under a changed logical ID, and removes or abandons
 * the old one. The service would start with an empty table or another key, lose events and logs, and change its base URL. A resource with
 * its own name (an alarm, a dashboard, a domain, a bus) would fail the deployment. A new alarm does no harm before it is released: it is
 * listed later.
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

test('for cdk-nag 2 too, what a role may do is acknowledged one by one', () => {
  const text = JSON.stringify(apps.get('every option on')?.template);

  const ofRoles = text.match(/\{"id":"AwsSolutions-IAM[45]"[^}]*\}/g) ?? [];

  expect(ofRoles.length).toBeGreaterThan(10);
  for (const one of ofRoles) expect(one).toMatch(/"applies_to":\["(Resource|Policy)::/);
});

test('cdk-nag finds a planted fault, so the checks above do look', () => {
  const app = new App();
  const stack = new Stack(app, 'Wrong');
  new Topic(stack, 'PlainText');
  addNag2(app);

  const found = 'AwsSolutions-SNS3 at Wrong/PlainText/Resource';
  expect(findings(new AwsSolutionsChecks(app), app)).toEqual([found]);
  expect(findingsOf2In(stack)).toContain(found.replace(' at ', ' at /'));
});
