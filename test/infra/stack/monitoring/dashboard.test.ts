import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { type AlarmName, alarms } from '../../../../infra/stack/monitoring/alarms.ts';
import { alarmDescription, dashboardUrl } from '../../../../infra/stack/monitoring/dashboard.ts';
import { serviceNameMaxChars } from '../../../../infra/stack/service-options.ts';
import { endpoints } from '../../../../shared/contract/endpoints.ts';
import { projectFolder } from '../../../support/service-process.ts';
import { expectPage } from '../expect-page.ts';
import { everyOption, propertiesOf, type Resource, templateWith } from '../service-template.ts';

const plain = await templateWith();
const full = await templateWith(everyOption);

const page = readFileSync(join(projectFolder, 'infra', 'OPERATE.md'), 'utf8');
const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
  heading.toLowerCase().replaceAll(' ', '-'),
);
const names = Object.keys(alarms) as AlarmName[];
const alarmsIn = (template: Template) => propertiesOf(template, 'AWS::CloudWatch::Alarm');
const alarm = (name: AlarmName) =>
  [...alarmsIn(plain), ...alarmsIn(full)].find(({ AlarmName }) =>
    // Those of events exist only with them.
    [`lead-service-production-${name}`, `lead-service-test-${name}`].includes(AlarmName),
  );
/** The text of a template, in a region. */
const filledIn = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': [separator, parts] = ['', []] } = value as {
    'Fn::Join'?: [string, readonly unknown[]];
  };
  return parts.map((part) => (typeof part === 'string' ? part : 'eu-central-1')).join(separator);
};
const metricNames = ({ Metrics = [] }: Resource['Properties']): string[] =>
  Metrics.flatMap(({ MetricStat }: Resource['Properties']) => MetricStat?.Metric.MetricName ?? []);

describe('the alarms', () => {
  test.each(names)(
    'the message of %s says what is wrong, what to do and where the dashboard is',
    (name) => {
      const description = filledIn(alarm(name).AlarmDescription);
      expect(description).toMatch(
        /^(.+) Dashboard: https:\/\/eu-central-1\.console\.aws\.amazon\.com\/cloudwatch\/home\?region=eu-central-1#dashboards\/dashboard\/lead-service-(production|test)$/,
      );
      // Nothing is left open, and no other text has to be found first.
      expect(description).not.toMatch(/\b(NAME|BASE_URL|VAULT|HOURS)\b|\(only with|same as for/);
      expect(headings).toContain(/More: infra\/OPERATE\.md#([\w-]+)\./.exec(description)?.[1]);
      expect(description.length).toBeLessThanOrEqual(1024);
    },
  );

  test.each(names)('the description of %s fits with the longest names', (name) => {
    const values = {
      NAME: 'S'.repeat(128),
      BASE_URL: `https://${'d'.repeat(253)}`,
      VAULT: 'v'.repeat(serviceNameMaxChars),
      HOURS: '168',
    };
    const url = dashboardUrl(values.VAULT).replaceAll(Aws.REGION, 'us-isof-south-1');

    expect(`${alarmDescription(name, values)} Dashboard: ${url}`.length).toBeLessThanOrEqual(1024);
  });

  test('the sentences of an alarm name the stack, the address, the vault and the hours of the service', () => {
    const values = { NAME: 'crm', BASE_URL: 'https://a.example', VAULT: 'leads', HOURS: '72' };
    const described = (
      ['FailuresContinue', 'HeartbeatFailed', 'BackupMissing', 'NoCaptures'] as const
    ).map((name) => alarmDescription(name, values));

    expect(described).toEqual([
      expect.stringContaining('npm run verify -- --stack crm'),
      expect.stringContaining('the right response at https://a.example.'),
      expect.stringContaining('--by-backup-vault-name leads'),
      expect.stringMatching(/^No capture arrived for 72 hours\./),
    ]);
  });

  test('the alarms notify the email address and the given topic when they go off and when they end', () => {
    for (const { AlarmActions, OKActions, ActionsEnabled } of alarmsIn(full)) {
      expect(AlarmActions).toEqual([
        { Ref: expect.stringMatching(/Email/) },
        everyOption.alarmTopicArn,
      ]);
      expect(OKActions).toEqual(AlarmActions);
      expect(ActionsEnabled).toBe(true);
    }
  });

  test('the alarms may publish to the topic of the email address', () => {
    const [policy] = propertiesOf(full, 'AWS::SNS::TopicPolicy');

    const { Statement } = policy.PolicyDocument;
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
      }),
    );
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  });
});

describe('what an alarm watches', () => {
  test('every function is watched for throttles by one of two alarms', () => {
    const watched = (['ReadingFunctionsThrottled', 'WritingFunctionsThrottled'] as const).flatMap(
      (name) => metricNames(alarm(name)),
    );

    expect(watched).toEqual(Array.from({ length: endpoints.length }, () => 'Throttles'));
  });

  test('the throttles of the table and of every index are on the dashboard', () => {
    const text = JSON.stringify(plain.findResources('AWS::CloudWatch::Dashboard'));

    for (const index of ['leadsByStage', 'leadsByOwner', 'leadsBySource', 'leadsByUpdate'])
      expect(text).toContain(index);
  });

  test('the metrics beside an alarm, and the graphs of its details, are on the dashboard', () => {
    const text = JSON.stringify(full.findResources('AWS::CloudWatch::Dashboard'));

    for (const metric of [
      'Count',
      'Latency',
      'coldStart',
      'rateLimited',
      'Duration',
      'heartbeatMs',
    ])
      expect(text).toMatch(new RegExp(`(?:ApiGateway|Lambda|LeadService)\\W+${metric}\\W`));
  });

  test('no metric has the organization, the key or the endpoint as a dimension', () => {
    const text = JSON.stringify([
      alarmsIn(plain),
      plain.findResources('AWS::CloudWatch::Dashboard'),
    ]);

    const [own] = [...text.matchAll(/LeadService/g)];
    expect(own).toBeDefined();
    expect(text).not.toMatch(/"Name":"(organizationId|keyId|endpoint)"/);
  });
});

const tables = ['Affected organizations', 'Endpoints', 'Failures', 'Organizations', 'Refusals'];
const lookups = ['Key', 'Lead', 'Organization', 'Releases', 'Request'];

test('one dashboard has the tables, and CloudWatch the saved queries, on every log of an endpoint', () => {
  const [dashboard, ...others] = propertiesOf(plain, 'AWS::CloudWatch::Dashboard');
  const queries = propertiesOf(plain, 'AWS::Logs::QueryDefinition');

  expect(others).toEqual([]);
  for (const title of tables) expect(JSON.stringify(dashboard)).toContain(title);
  expect(queries.map(({ Name }) => Name).sort()).toEqual(
    [...tables, ...lookups].sort().map((name) => `lead-service-production/${name}`),
  );
  expect(queries.find(({ Name }) => Name.endsWith('/Request')).QueryString).toContain(
    '| filter requestId = "REQUEST_ID"',
  );
  for (const { LogGroupNames } of queries) expect(LogGroupNames).toHaveLength(endpoints.length);
});

test('ALARMS.md is the table of all alarms', () =>
  expectPage('infra/stack/monitoring/ALARMS.md', {
    '| alarm | condition | what to do |': Object.entries(alarms).map(
      ([name, { when, act, ...more }]) =>
        `| \`${name}\` | ${when}${'only' in more ? ` Only with \`${more.only}\`.` : ''} | ${act} |`,
    ),
  }));
