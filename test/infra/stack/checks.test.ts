import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { AwsSolutionsChecks, type NagPack, ServerlessChecks } from 'cdk-nag';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LeadServiceProps } from '../../../infra/stack/lead-service.ts';
import { everyOption, leadsApp } from './service-template.ts';

const variants: readonly [string, LeadServiceProps][] = [
  ['no option set', {}],
  ['every option on', everyOption],
  ['an existing table', { tableName: 'leads-restored', canary: false }],
];
const packs: readonly [string, (app: App) => NagPack][] = [
  ['AwsSolutions', (app) => new AwsSolutionsChecks(app)],
  ['Serverless', (app) => new ServerlessChecks(app)],
];

let apps: ReadonlyMap<string, { app: App; stack: Stack }>;
beforeAll(async () => {
  apps = new Map(
    await Promise.all(
      variants.map(async ([name, service]) => [name, await leadsApp(service)] as const),
    ),
  );
}, 120_000);

/** 'RULE at PATH' of everything that a pack finds and nobody has acknowledged with a reason. */
const findings = (pack: NagPack, app: App): string[] =>
  pack
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    );

describe.each(packs)('cdk-nag, %s', (_, pack) => {
  test.each(variants)(
    'finds nothing with %s',
    (name) => {
      const { app } = apps.get(name)!;

      expect(findings(pack(app), app)).toEqual([]);
    },
    60_000,
  );
});

test('cdk-nag finds what is wrong where something is: the checks above do look', () => {
  const app = new App();
  new Topic(new Stack(app, 'Wrong'), 'PlainText');

  expect(findings(new AwsSolutionsChecks(app), app)).toEqual([
    'AwsSolutions-SNS3 at Wrong/PlainText/Resource',
  ]);
});

const cfnLint = spawnSync('cfn-lint', ['--version'], { encoding: 'utf8' });
const isInstalled = cfnLint.status === 0;
if (!isInstalled)
  process.stderr.write(
    '\nWARNING: cfn-lint is not installed: the templates are not linted. pip install cfn-lint\n\n',
  );

/** A dependency that the CDK writes twice, from a function to its role, is not a fault. */
const ignored = 'W3005';

describe.skipIf(!isInstalled)('cfn-lint', () => {
  /** All templates in one run: most of its time is its start. */
  const lint = (templates: readonly object[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'cfn-lint-'));
    try {
      const files = templates.map((template, index) => {
        const file = join(folder, `${index}.json`);
        writeFileSync(file, JSON.stringify(template));
        return file;
      });
      return spawnSync('cfn-lint', ['--ignore-checks', ignored, '--', ...files], {
        encoding: 'utf8',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('finds neither an error nor a warning in any of these templates', () => {
    const { stdout, status } = lint(
      [...apps.values()].map(({ stack }) => Template.fromStack(stack).toJSON()),
    );

    expect(stdout).toBe('');
    expect(status).toBe(0);
  }, 180_000);

  test('finds what is wrong where something is', () => {
    const { stdout, status } = lint([
      { Resources: { Table: { Type: 'AWS::DynamoDB::Table', Properties: { Colour: 'red' } } } },
    ]);

    expect(stdout).toMatch(/E3002/);
    expect(status).not.toBe(0);
  }, 60_000);
});
