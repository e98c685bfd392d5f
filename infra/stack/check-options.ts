import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { endpoints } from '../../shared/endpoints.ts';
import { parseJson } from '../../shared/json.ts';
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

/** Invalid options. The message has one line per issue. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(['These options are invalid:', ...issues.map((issue) => `  ${issue}`)].join('\n'));
    this.issues = issues;
  }
}

/** A string that matches a pattern. A CDK token, which CloudFormation resolves later, is accepted unchecked. */
const text = (rule: string, pattern: RegExp) =>
  v.pipe(
    v.string(rule),
    v.check((value) => Token.isUnresolved(value) || pattern.test(value), rule),
  );

/** Parses the value of `-c NAME=VALUE`, which is always a string. */
const typed = (value: unknown): unknown =>
  typeof value === 'string' && /^(true$|false$|\d{1,9}$|\{)/.test(value)
    ? (parseJson(value) ?? value)
    : value;
const flag = v.pipe(v.unknown(), v.transform(typed), v.boolean('must be true or false.'));
const wholeNumber = (min: number, max: number, unit: string) => {
  const rule = `must be an integer number of ${unit} from ${min} to ${max}.`;
  return v.pipe(
    v.unknown(),
    v.transform(typed),
    v.number(rule),
    v.integer(rule),
    v.minValue(min, rule),
    v.maxValue(max, rule),
  );
};

const arn = (service: string, resource: string) =>
  new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]+:\\d{12}:${resource}$`);
/** 9999 is the CDK's value for no limit. */
const retentionDays = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days < 9999,
);
const memory = wholeNumber(256, memoryMbMax, 'MB');
const memoryByFunctionRule =
  'must be an object of MB by endpoint name, such as {"capture-lead": 1769}.';
const kmsKeyRule = "must be 'aws-managed', 'customer-managed' or the ARN of a KMS key.";

/**
 * CloudFormation cuts what is longer in the names of functions and roles, which have 64 characters: 25 for the stack, 25 for the resource
 * (https://github.com/KensioSoftware/yulin/issues/1113, https://github.com/convox/rack/issues/2297). The policies match `STACK-*`.
 */
const serviceNameMaxChars = 25;

const schemas = {
  environment: text(
    'must be 1 to 20 lower-case letters, digits and hyphens, and start with a letter.',
    /^[a-z][a-z0-9-]{0,19}$/,
  ),
  account: text('must be the 12 digits of an AWS account, in quotes.', /^\d{12}$/),
  serviceName: text(
    `must be 3 to ${serviceNameMaxChars} letters, digits and hyphens, and start with a letter.`,
    new RegExp(`^[A-Za-z][A-Za-z0-9-]{2,${serviceNameMaxChars - 1}}$`),
  ),
  domainName: text(
    'must be a domain name such as leads.example.com.',
    /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  ),
  keepDefaultAddress: flag,
  certificateArn: text(
    'must be the ARN of a certificate in AWS Certificate Manager, in the region of the API: arn:aws:acm:REGION:ACCOUNT:certificate/ID.',
    arn('acm', 'certificate/[\\w-]+'),
  ),
  alarmEmail: text('must be an email address.', /^[^\s@]+@[^\s@]+\.[^\s@]+$/),
  alarmTopicArn: text(
    'must be the ARN of an SNS topic: arn:aws:sns:REGION:ACCOUNT:NAME.',
    arn('sns', '[\\w-]+'),
  ),
  noCapturesHours: wholeNumber(1, 168, 'hours'),
  waf: flag,
  kmsKey: text(
    kmsKeyRule,
    new RegExp(`^(aws-managed|customer-managed)$|${arn('kms', 'key/[\\w-]+').source}`),
  ),
  logRetentionDays: v.pipe(
    v.unknown(),
    v.transform(typed),
    v.picklist(retentionDays, `must be one of ${retentionDays.join(', ')} (days).`),
  ),
  removalPolicy: v.picklist(['retain', 'destroy'], "must be 'retain' or 'destroy'."),
  memoryMb: memory,
  memoryMbByFunction: v.pipe(
    v.unknown(),
    v.transform(typed),
    v.check((value) => !Array.isArray(value), memoryByFunctionRule),
    v.record(v.string(), memory, memoryByFunctionRule),
  ),
  requestsPerKeyPerHour: wholeNumber(1, requestsPerWindowMax, 'requests'),
  requestsPerOrganizationPerHour: wholeNumber(1, requestsPerWindowMax, 'requests'),
  requestsPerSecond: wholeNumber(1, 5000, 'requests'),
  tracing: flag,
  accessLogs: flag,
  events: flag,
  tableName: text(
    'must be the name of a DynamoDB table: 3 to 255 letters, digits, _ . and -.',
    /^[\w.-]{3,255}$/,
  ),
  tableStreamArn: text(
    'must be the ARN of a stream of a DynamoDB table: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL.',
    arn('dynamodb', 'table/[\\w.-]+/stream/[\\w.:-]+'),
  ),
} satisfies {
  [Option in keyof Required<LeadServiceProps>]: v.GenericSchema<
    unknown,
    Required<LeadServiceProps>[Option]
  >;
};

type OptionName = keyof typeof schemas;
export const optionNames = Object.keys(schemas) as OptionName[];

const isOptionName = (name: string): name is OptionName => Object.hasOwn(schemas, name);

/**
 * Adds the defaults to the options.
 * @throws OptionsError with all issues at once, each with the name of its option
 */
export function checkOptions(named: Readonly<Record<string, unknown>>): ServiceOptions {
  const issues: string[] = [];
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined) continue;
    if (!isOptionName(name)) {
      issues.push(`${name}: ${unknownName('option', name, optionNames)}`);
      continue;
    }
    const result = v.safeParse(schemas[name], value);
    if (result.success) checked[name] = result.output;
    else issues.push(...result.issues.map((issue) => issueLine(name, issue)));
  }
  const options = withDefaults(checked as LeadServiceProps);
  issues.push(...conflicts(options));
  if (issues.length > 0) throw new OptionsError(issues);
  return options;
}

function issueLine(name: OptionName, issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return `${path ? `${name}.${path}` : name}: ${displayValue(issue.input)}: ${issue.message}`;
}

/**
 * The options in the context of a CDK app. The CDK's own names contain `:`, `/` or `@`. All other names are read as options, so that a
 * misspelled option is refused instead of ignored.
 */
export function optionsInContext(
  context: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const ownedByCdk = new Set(['cli-telemetry', 'acknowledged-issue-numbers']);
  return Object.fromEntries(
    Object.entries(context).filter(([name]) => !/[:/@]/.test(name) && !ownedByCdk.has(name)),
  );
}

const defaultServiceName = (environment: string): string => `lead-service-${environment}`;

function withDefaults(props: LeadServiceProps): ServiceOptions {
  const environment = props.environment ?? productionEnvironment;
  return {
    serviceName: defaultServiceName(environment),
    keepDefaultAddress: false,
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
    events: false,
    ...props,
    environment,
  };
}

/** Options that are valid one by one and contradict each other. */
function conflicts(options: ServiceOptions): string[] {
  const {
    domainName,
    certificateArn,
    requestsPerKeyPerHour,
    requestsPerOrganizationPerHour,
    environment,
  } = options;
  const issues: string[] = [];
  if (domainName && !certificateArn) {
    issues.push('domainName: needs certificateArn: set it to the certificate of the domain.');
  }
  if (certificateArn && !domainName)
    issues.push('certificateArn: needs domainName: set it to the domain of the certificate.');
  if (options.keepDefaultAddress && !domainName)
    issues.push(
      'keepDefaultAddress: needs domainName: without a domain, the default address is the only one. Remove it.',
    );
  if (requestsPerKeyPerHour > requestsPerOrganizationPerHour) {
    issues.push(
      `requestsPerKeyPerHour: ${requestsPerKeyPerHour}: must be at most requestsPerOrganizationPerHour, which is ${requestsPerOrganizationPerHour}.`,
    );
  }
  if (options.removalPolicy === 'destroy' && environment === productionEnvironment) {
    issues.push(
      "removalPolicy: 'destroy': not allowed in the environment production: use another environment, or 'retain'.",
    );
  }
  issues.push(...nameConflicts(options), ...tableConflicts(options));
  const functionNames = endpoints.map(({ name }) => name);
  for (const name of Object.keys(options.memoryMbByFunction)) {
    if (functionNames.some((known) => known === name)) continue;
    issues.push(`memoryMbByFunction.${name}: ${unknownName('function', name, functionNames)}`);
  }
  return issues;
}

/** The name that is made from the environment. A longer one of its own is refused by its schema. */
function nameConflicts({ environment, serviceName }: ServiceOptions): string[] {
  const isOwn = serviceName !== defaultServiceName(environment);
  if (isOwn || serviceName.length <= serviceNameMaxChars) return [];
  return [
    `environment: '${environment}': makes the service name ${serviceName}, which is longer than ${serviceNameMaxChars} characters: set serviceName.`,
  ];
}

/** Options of a table that exists already. */
function tableConflicts(options: ServiceOptions): string[] {
  const issues: string[] = [];
  if (options.removalPolicy === 'destroy' && options.tableName) {
    issues.push(
      "removalPolicy: 'destroy': not allowed with tableName: the table that the stack used until now would be deleted. Use 'retain'.",
    );
  }
  if (options.kmsKey === 'customer-managed' && options.tableName) {
    issues.push(
      "kmsKey: 'customer-managed' creates a key, but the table of tableName already has one: set kmsKey to the ARN of that key.",
    );
  }
  if (options.events && options.tableName && !options.tableStreamArn) {
    issues.push(
      'events: needs tableStreamArn with tableName: switch on the stream of that table, with new images, and set its ARN.',
    );
  }
  if (options.tableStreamArn && !(options.events && options.tableName))
    issues.push(
      'tableStreamArn: is only for events of the table of tableName: remove it, or set both.',
    );
  return issues;
}

function unknownName(kind: 'option' | 'function', name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const article = kind === 'option' ? 'an' : 'a';
  return `is not ${article} ${kind}: ${nearest ? `did you mean ${nearest}?` : `the ${kind}s are ${names.join(', ')}.`}`;
}

const displayValue = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value));
