import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { checkOptions, OptionsError } from '../../../infra/stack/check-options.ts';
import { projectFolder } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import { everyOption, resourcesOf, templateWith, variants } from './service-template.ts';

const files = useFolder();

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
function kindsIn(template: Template): object {
  const kinds = Map.groupBy(
    Object.entries(resourcesOf(template)),
    ([, { Type, Properties = {} }]) => JSON.stringify([Type, ...Object.keys(Properties).sort()]),
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
      const kinds = JSON.stringify(kindsIn(template));
      const path = await files.write(`without-${lacking}.yaml`, kinds);

      // The two are about references to the other resources.
      expect(lint([path], { ignored: ['E1', 'E3005'], regions: names }), lacking).toEqual([]);
    }
  },
  600_000,
);

test.skipIf(!cfnLint)(
  'cfn-lint finds nothing in the templates and the recipes, and finds a planted error',
  async () => {
    const templates = await Promise.all(variants.map(([, options]) => templateWith(options)));
    const asText = [...templates.map((one) => one.toJSON()), wrong].map((one) =>
      JSON.stringify(one),
    );
    const all = [...recipes, ...asText];
    const paths = await Promise.all(all.map((text, at) => files.write(`${at}.yaml`, text)));

    // One run for all: a start takes long.
    const found = lint(paths);

    expect(found).toContainEqual(expect.stringContaining(':E3002:'));
    expect(found.filter((line) => !line.startsWith(`${paths.at(-1)}:`))).toEqual([]);
  },
  300_000,
);
