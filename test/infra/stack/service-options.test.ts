import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Aws } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { checkOptions, OptionsError } from '../../../infra/stack/check-options.ts';
import { optionsInContext } from '../../../infra/stack/environment-options.ts';
import { optionNames } from '../../../infra/stack/service-options.ts';
import { projectFolder } from '../../support/service-process.ts';
import { expectPage } from './expect-page.ts';

/** The issues of options that are refused, in order. */
function issuesOf(given: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    checkOptions(given);
  } catch (error) {
    if (error instanceof OptionsError) return error.issues;
    throw error;
  }
  return [];
}

const certificateArn =
  'arn:aws:acm:eu-central-1:123456789012:certificate/12345678-aaaa-bbbb-cccc-1234567890ab';
const tableStreamArn =
  'arn:aws:dynamodb:eu-central-1:123456789012:table/leads-restored/stream/2026-11-21T00:00:00.000';
const right: Readonly<Record<string, readonly unknown[]>> = {
  environment: ['production', 'test-2'],
  account: ['123456789012'],
  serviceName: ['leads-of-northwind', 'l'.repeat(25)],
  alarmEmail: ['ops@example.com'],
  alarmTopicArn: ['arn:aws:sns:eu-central-1:123456789012:alarms', Aws.STACK_ID],
  noCapturesHours: [1, '168'],
  waf: [true, 'false'],
  kmsKey: ['customer-managed', 'arn:aws:kms:eu-central-1:123456789012:key/12345678-aaaa'],
  logRetentionDays: [30, '365'],
  removalPolicy: ['retain'],
  memoryMb: [256, '3008'],
  memoryMbByFunction: [{ 'capture-lead': 2048 }, '{"list-leads": 1769}'],
  requestsPerKeyPerHour: [1, '3000'],
  requestsPerOrganizationPerHour: [600, 360_000],
  requestsPerSecond: [1, 5000],
  auditDays: [1, '3650'],
  tableName: ['leads.restored-2026'],
};

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  environment: ['Production', '', 'a-name-of-more-than-20', 1],
  account: ['12345678901', 123_456_789_012, 'production'],
  serviceName: ['x', '1st', 'two words', 'l'.repeat(26)],
  keepDefaultAddress: ['yes'],
  domainName: ['https://leads.example.com', 'leads', 'leads.example.com/'],
  certificateArn: ['arn:aws:iam::123456789012:server-certificate/x', 'certificate'],
  alarmEmail: ['ops', 'ops@example', 'a b@example.com'],
  alarmTopicArn: ['alarms', 'arn:aws:sqs:eu-central-1:123456789012:alarms'],
  noCapturesHours: [0, 169, 1.5, 'day'],
  heartbeat: ['on', 1],
  waf: ['yes', 1, null],
  kmsKey: ['', 'aws', 'arn:aws:kms:eu-central-1:123456789012:alias/leads'],
  logRetentionDays: [0, 31, 'month', 9999],
  removalPolicy: ['keep', true],
  memoryMb: [255, 3009, 512.5, 'much', '-512'],
  memoryMbByFunction: ['1769', [64], { 'capture-lead': 64 }, '{"capture-lead": '],
  requestsPerKeyPerHour: [0, -1, 360_001, '1e3'],
  requestsPerOrganizationPerHour: [0, 360_001],
  requestsPerSecond: [0, 5001],
  tracing: ['on'],
  accessLogs: [0],
  events: ['yes', 1],
  backup: ['daily', 1],
  backupLock: ['on', true],
  backupCopyTo: ['leads-copy', 'arn:aws:backup:eu-west-1:123456789012:backup-plan:leads'],
  auditDays: [0, 3651, true],
  monthlyBudget: [0, 1.5, '$100'],
  tableName: ['ab', 'two words', 'x'.repeat(256)],
  tableStreamArn: ['stream', 'arn:aws:dynamodb:eu-central-1:123456789012:table/leads'],
};

describe('the options', () => {
  test('options that are undefined count as left out', () => {
    expect(checkOptions({ waf: undefined, alarmEmail: undefined })).toEqual(checkOptions({}));
  });

  test.each(
    Object.entries(right).flatMap(([name, values]) => values.map((value) => ({ name, value }))),
  )('$name may be $value', ({ name, value }) => {
    expect(issuesOf({ [name]: value })).toEqual([]);
  });

  test('the options are parsed from the text of the command line', () => {
    expect(
      checkOptions({ waf: 'true', memoryMb: '512', memoryMbByFunction: '{"get-lead":300}' }),
    ).toMatchObject({
      waf: true,
      memoryMb: 512,
      memoryMbByFunction: { 'get-lead': 300 },
    });
  });
});

describe('an invalid option is refused with its name and its rule', () => {
  test.each(
    Object.entries(wrong).flatMap(([name, values]) => values.map((value) => ({ name, value }))),
  )('$name must not be $value', ({ name, value }) => {
    expect(issuesOf({ [name]: value }).join('\n')).toMatch(
      new RegExp(`^${name}[.:].* must be .+\\.$`, 'm'),
    );
  });

  test('every option has a wrong value in these cases', () => {
    expect(Object.keys(wrong).sort()).toEqual([...optionNames].sort());
  });

  test('several wrong options are refused at once, each by its name', () => {
    expect(
      issuesOf({ enviroment: 'test', memoryMb: 64, waf: 'maybe', domainName: 'leads.example.com' }),
    ).toEqual([
      'enviroment: is not an option: did you mean environment?',
      'memoryMb: 64: must be an integer number of MB from 256 to 3008.',
      "waf: 'maybe': must be true or false.",
      'domainName: needs certificateArn: set it to the certificate of the domain.',
    ]);
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'the option %s, which every object inherits, is refused',
    (name) => {
      expect(issuesOf(JSON.parse(`{"${name}": 1}`))).toEqual([
        expect.stringMatching(`^${name}: is not an option: `),
      ]);
    },
  );

  test('an unknown name that resembles no option comes with the list of all', () => {
    expect(issuesOf({ colour: 'red' })).toEqual([
      `colour: is not an option: the options are ${optionNames.join(', ')}.`,
    ]);
  });
});

/** A row for each option: its name, and the docblock above its rule. */
const documentedOptions = [
  ...readFileSync(join(projectFolder, 'infra', 'stack', 'service-options.ts'), 'utf8').matchAll(
    /^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)@default ((?:(?!\*\/).)*?)\s*\*\/\n {2}(\w+): (?:v\.optional|flag)/gm,
  ),
].map(([, text = '', defaultText = '', name = '']) => ({
  name,
  defaultText,
  row: `| \`${name}\` | ${defaultText} | ${text.replace(/\s*\n \s*\*?\s*/g, ' ').trim()} |`,
}));

describe('what an option is, and its default', () => {
  test('every option is documented above its rule', () => {
    expect(documentedOptions.map(({ name }) => name)).toEqual(optionNames);
  });

  test('the default that is documented is the one that applies', () => {
    const defaults: Readonly<Record<string, unknown>> = {
      ...checkOptions({}),
      memoryMbByFunction: undefined,
    };
    for (const { name, defaultText } of documentedOptions)
      expect(defaultText, name).toMatch(
        new RegExp(
          `^${defaults[name] === undefined ? 'none|any|memoryMb' : String(defaults[name]).replace('production', '(?:production|ENVIRONMENT)')}`,
        ),
      );
  });

  test('OPTIONS.md is the table of all options', () =>
    expectPage('infra/stack/OPTIONS.md', {
      '| option | default | what it does |': documentedOptions.map(({ row }) => row),
    }));
});

describe('options that contradict each other are refused', () => {
  test.each<[Record<string, unknown>, RegExp]>([
    [
      { environment: 'acceptance-33' },
      /^environment: 'acceptance-33': makes the service name lead-service-acceptance-33, which is longer than 25 characters/,
    ],
    [{ domainName: 'leads.example.com' }, /^domainName: needs certificateArn/],
    [{ keepDefaultAddress: true }, /^keepDefaultAddress: needs domainName/],
    [{ certificateArn }, /^certificateArn: needs domainName/],
    [
      { requestsPerKeyPerHour: 3001 },
      /^requestsPerKeyPerHour: 3001: must be at most requestsPerOrganizationPerHour, which is 3000/,
    ],
    [
      { removalPolicy: 'destroy' },
      /^removalPolicy: 'destroy': not allowed in the environment production/,
    ],
    [
      { kmsKey: 'customer-managed', tableName: 'leads-restored' },
      /^kmsKey: 'customer-managed' creates a key/,
    ],
    [{ events: true, tableName: 'leads-restored' }, /^events: needs tableStreamArn with tableName/],
    [{ tableStreamArn }, /^tableStreamArn: is only for events of the table of tableName/],
    [
      { memoryMbByFunction: { 'capture-leed': 512 } },
      /^memoryMbByFunction\.capture-leed: is not a function: did you mean capture-lead\?/,
    ],
  ])('$0 are refused', (given, issue) => {
    expect(issuesOf(given)).toEqual([expect.stringMatching(issue)]);
  });

  test.each([
    { domainName: 'leads.example.com', certificateArn },
    { domainName: 'leads.example.com', certificateArn, keepDefaultAddress: 'true' },
    { requestsPerKeyPerHour: 3001, requestsPerOrganizationPerHour: 3001 },
    { environment: 'acceptance-3' },
    { environment: 'acceptance-33', serviceName: 'leads-acceptance-33' },
    { removalPolicy: 'destroy', environment: 'test' },
    { events: true, tableName: 'leads-restored', tableStreamArn },
  ])('the options $0 go together', (given) => {
    expect(issuesOf(given)).toEqual([]);
  });
});

test("in the context, the CDK's own names are not options, and a misspelled option is not ignored", () => {
  const context = {
    'aws:cdk:enable-asset-metadata': true,
    '@aws-cdk/core:x': true,
    'hosted-zone:account=1': {},
    'cli-telemetry': false,
    waff: true,
  };

  expect(optionsInContext(context)).toEqual({ waff: true });
});
