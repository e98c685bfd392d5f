import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { endpoints } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import { requestsPerWindowMax } from '../../shared/rate-limits.ts';
import {
  type LeadServiceProps,
  memoryMbDefault,
  memoryMbMax,
  productionEnvironment,
  type ServiceOptions,
} from './service-options.ts';

/** Options that cannot be used; the message has one line per problem. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['These options cannot be used:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.problems = problems;
  }
}

/** Text of a pattern. What CloudFormation fills in later (a token of the CDK) cannot be looked at, and passes. */
const text = (takes: string, pattern: RegExp) =>
  v.pipe(
    v.string(takes),
    v.check((value) => Token.isUnresolved(value) || pattern.test(value), takes),
  );

/** `-c NAME=VALUE` on the command line brings every value as text. */
const typed = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  if (/^(true|false|\d{1,9})$/.test(value)) return JSON.parse(value);
  try {
    return value.startsWith('{') ? JSON.parse(value) : value;
  } catch {
    return value;
  }
};
const flag = v.pipe(v.unknown(), v.transform(typed), v.boolean('takes true or false.'));
const wholeNumber = (min: number, max: number, unit: string) => {
  const takes = `takes a whole number of ${unit} from ${min} to ${max}.`;
  return v.pipe(
    v.unknown(),
    v.transform(typed),
    v.number(takes),
    v.integer(takes),
    v.minValue(min, takes),
    v.maxValue(max, takes),
  );
};

const arn = (service: string, resource: string) => new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]+:\\d{12}:${resource}$`);
const retentionDays: readonly number[] = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days < 9999,
) as number[];
const memory = wholeNumber(256, memoryMbMax, 'MB');
const memoryByFunctionTakes = 'takes an object of MB by endpoint name, such as {"capture-lead": 1769}.';
const kmsKeyTakes = "takes 'aws-managed', 'customer-managed' or the ARN of a KMS key.";

const schemas = {
  environment: text('takes 1 to 20 lower-case letters, digits and hyphens, a letter first.', /^[a-z][a-z0-9-]{0,19}$/),
  serviceName: text('takes 3 to 60 letters, digits and hyphens, a letter first.', /^[A-Za-z][A-Za-z0-9-]{2,59}$/),
  domainName: text(
    'takes a domain name such as leads.example.com.',
    /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  ),
  certificateArn: text(
    'takes the ARN of a certificate in AWS Certificate Manager, in the region of the API: arn:aws:acm:REGION:ACCOUNT:certificate/ID.',
    arn('acm', 'certificate/[\\w-]+'),
  ),
  alarmEmail: text('takes an e-mail address.', /^[^\s@]+@[^\s@]+\.[^\s@]+$/),
  alarmTopicArn: text('takes the ARN of an SNS topic: arn:aws:sns:REGION:ACCOUNT:NAME.', arn('sns', '[\\w-]+')),
  waf: flag,
  kmsKey: text(kmsKeyTakes, new RegExp(`^(aws-managed|customer-managed)$|${arn('kms', 'key/[\\w-]+').source}`)),
  logRetentionDays: v.pipe(
    v.unknown(),
    v.transform(typed),
    v.picklist(retentionDays, `takes one of ${retentionDays.join(', ')} (days).`),
  ),
  removalPolicy: v.picklist(['retain', 'destroy'], "takes 'retain' or 'destroy'."),
  memoryMb: memory,
  memoryMbByFunction: v.pipe(
    v.unknown(),
    v.transform(typed),
    v.check((value) => !Array.isArray(value), memoryByFunctionTakes),
    v.record(v.string(), memory, memoryByFunctionTakes),
  ),
  requestsPerKeyPerHour: wholeNumber(1, requestsPerWindowMax, 'requests'),
  requestsPerOrganizationPerHour: wholeNumber(1, requestsPerWindowMax, 'requests'),
  requestsPerSecond: wholeNumber(1, 5000, 'requests'),
  tracing: flag,
  accessLogs: flag,
  canary: flag,
  tableName: text('takes the name of a DynamoDB table: 3 to 255 letters, digits, _ . and -.', /^[\w.-]{3,255}$/),
} satisfies { [Option in keyof Required<LeadServiceProps>]: v.GenericSchema<unknown, Required<LeadServiceProps>[Option]> };

type OptionName = keyof typeof schemas;
export const optionNames = Object.keys(schemas) as OptionName[];

/** The options with their defaults.
 *  @throws OptionsRefused with every problem at once, each by the name of its option */
export function checkOptions(given: Readonly<Record<string, unknown>>): ServiceOptions {
  const problems: string[] = [];
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const schema: v.GenericSchema | undefined = Object.hasOwn(schemas, name) ? schemas[name as OptionName] : undefined;
    if (!schema) {
      problems.push(unknownName(name, name, 'option', optionNames));
      continue;
    }
    const result = v.safeParse(schema, value);
    if (result.success) checked[name] = result.output;
    else
      problems.push(
        ...result.issues.map(
          (issue) => `${v.getDotPath(issue) ? `${name}.${v.getDotPath(issue)}` : name}: ${shown(issue.input)}: ${issue.message}`,
        ),
      );
  }
  const options = withDefaults(checked as LeadServiceProps);
  problems.push(...disagreements(options));
  if (problems.length > 0) throw new OptionsError(problems);
  return options;
}

/**
 * The options among the context of a CDK app. The CDK's own context has `:`, `/` or `@` in its names; all other names are read as options,
 * so that a misspelt one is refused and not passed over.
 */
export function optionsInContext(context: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const ownedByCdk = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
  return Object.fromEntries(Object.entries(context).filter(([name]) => !/[:/@]/.test(name) && !ownedByCdk.has(name)));
}

function withDefaults(given: LeadServiceProps): ServiceOptions {
  const environment = given.environment ?? productionEnvironment;
  return {
    serviceName: `lead-service-${environment}`,
    waf: false,
    kmsKey: 'aws-managed',
    logRetentionDays: 30,
    removalPolicy: 'retain',
    memoryMb: memoryMbDefault,
    memoryMbByFunction: {},
    requestsPerKeyPerHour: limits.requestsPerKeyPerWindow,
    requestsPerOrganizationPerHour: limits.requestsPerOrganizationPerWindow,
    requestsPerSecond: 500,
    tracing: false,
    accessLogs: false,
    canary: environment === productionEnvironment,
    ...given,
    environment,
  };
}

/** Options that are right one by one and wrong together. */
function disagreements(options: ServiceOptions): string[] {
  const { domainName, certificateArn, requestsPerKeyPerHour, requestsPerOrganizationPerHour, environment } = options;
  const problems: string[] = [];
  if (domainName && !certificateArn)
    problems.push('domainName: needs certificateArn beside it: no domain without a certificate.');
  if (certificateArn && !domainName) problems.push('certificateArn: needs domainName beside it: the domain it is for.');
  if (requestsPerKeyPerHour > requestsPerOrganizationPerHour) {
    problems.push(
      `requestsPerKeyPerHour: ${requestsPerKeyPerHour}: takes at most requestsPerOrganizationPerHour, which is ${requestsPerOrganizationPerHour}: one key cannot use more than all together.`,
    );
  }
  if (options.removalPolicy === 'destroy' && environment === productionEnvironment) {
    problems.push("removalPolicy: 'destroy': not in the environment production: name another environment, or take 'retain'.");
  }
  if (options.kmsKey === 'customer-managed' && options.tableName) {
    problems.push(
      "kmsKey: 'customer-managed' makes a new key, and the table of tableName has one already: takes the ARN of that key.",
    );
  }
  const functionNames = endpoints.map(({ name }) => name);
  for (const name of Object.keys(options.memoryMbByFunction)) {
    if (functionNames.some((known) => known === name)) continue;
    problems.push(unknownName(`memoryMbByFunction.${name}`, name, 'function', functionNames));
  }
  return problems;
}

function unknownName(path: string, typedName: string, what: string, names: readonly string[]): string {
  const nearest = nearestName(typedName, names);
  return `${path}: is no ${what}: ${nearest ? `did you mean ${nearest}?` : `there are ${names.join(', ')}.`}`;
}

const shown = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value)));
