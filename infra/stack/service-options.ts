import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { endpoints } from '../../shared/endpoints.ts';
import { parseJson } from '../../shared/json.ts';
import { keysOf } from '../../shared/keys-of.ts';
import { limits } from '../../shared/limits.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import { requestsPerWindowMax } from '../../shared/rate-limits.ts';
import { memoryMbDefault, memoryMbMax } from '../bundle/function-memory.ts';

export const productionEnvironment = 'production';

/** A string that matches a pattern. A CDK token, which CloudFormation resolves later, is accepted unchecked. */
const text = (rule: string, pattern: RegExp) =>
  v.pipe(
    v.string(rule),
    v.check((value) => Token.isUnresolved(value) || pattern.test(value), rule),
  );
const flag = v.boolean('must be true or false.');
const wholeNumber = (min: number, max: number, unit: string) => {
  const rule = `must be an integer number of ${unit} from ${min} to ${max}.`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule));
};
const arn = (service: string, resource: string) =>
  new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]+:\\d{12}:${resource}$`);

/** 9999 is the CDK's value for no limit. */
const retentionDays = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days < 9999,
);
const retentionRule = `must be one of ${retentionDays.join(', ')} (days).`;
const memory = wholeNumber(256, memoryMbMax, 'MB');
const memoryByFunctionRule =
  'must be an object of MB by endpoint name, such as {"capture-lead": 1769}.';
/**
 * CloudFormation cuts what is longer in the names of functions and roles, which have 64 characters: 25 for the stack, 25 for the resource
 * (https://github.com/KensioSoftware/yulin/issues/1113, https://github.com/convox/rack/issues/2297). The policies match `STACK-*`.
 */
const serviceNameMaxChars = 25;

/** The options of a deployment, each with its rule and its default. All are optional, and the defaults are safe in a new account. */
const schema = v.object({
  /** Which deployment this is. In `production`, `removalPolicy` cannot be `destroy`. @default production */
  environment: v.optional(
    text(
      'must be 1 to 20 lower-case letters, digits and hyphens, and start with a letter.',
      /^[a-z][a-z0-9-]{0,19}$/,
    ),
    productionEnvironment,
  ),
  /** The AWS account that the environment belongs to. `npm run deploy` deploys to no other. At the top level, it holds for all. @default any */
  account: v.optional(text('must be the 12 digits of an AWS account, in quotes.', /^\d{12}$/)),
  /** Names the stack, the API, the metrics, the alarms and the dashboard. Must be unique in the account and region, and have at most 25 characters. @default lead-service-ENVIRONMENT */
  serviceName: v.optional(
    text(
      `must be 3 to ${serviceNameMaxChars} letters, digits and hyphens, and start with a letter.`,
      new RegExp(`^[A-Za-z][A-Za-z0-9-]{2,${serviceNameMaxChars - 1}}$`),
    ),
  ),
  /** Custom domain of the API, such as `leads.example.com`; it switches the `execute-api` address off, unless `keepDefaultAddress`. @default none */
  domainName: v.optional(
    text(
      'must be a domain name such as leads.example.com.',
      /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    ),
  ),
  /** With `domainName`, also answers at the `execute-api` address, until all callers use the domain. @default false */
  keepDefaultAddress: v.optional(flag, false),
  /** ARN of the domain's certificate in AWS Certificate Manager, in the region of the API. @default none */
  certificateArn: v.optional(
    text(
      'must be the ARN of a certificate in AWS Certificate Manager, in the region of the API: arn:aws:acm:REGION:ACCOUNT:certificate/ID.',
      arn('acm', 'certificate/[\\w-]+'),
    ),
  ),
  /** Email address that is notified when an alarm goes off, and when it ends. The recipient must confirm once. @default none */
  alarmEmail: v.optional(text('must be an email address.', /^[^\s@]+@[^\s@]+\.[^\s@]+$/)),
  /** ARN of an SNS topic that alarms are sent to, in addition to or instead of `alarmEmail`. @default none */
  alarmTopicArn: v.optional(
    text(
      'must be the ARN of an SNS topic: arn:aws:sns:REGION:ACCOUNT:NAME.',
      arn('sns', '[\\w-]+'),
    ),
  ),
  /** An alarm goes off after this many hours without a capture, 1 to 168. Choose more than your longest quiet night or weekend. @default none */
  noCapturesHours: v.optional(wholeNumber(1, 168, 'hours')),
  /** Calls the public address every five minutes from a function of its own, and watches the domain's certificate (OPERATE.md). @default false */
  heartbeat: v.optional(flag, false),
  /** A regional web ACL that blocks known attackers and limits requests per address. Costs a monthly fee. @default false */
  waf: v.optional(flag, false),
  /**
   * Encrypts the table: `aws-managed` (the account's key for DynamoDB), `customer-managed` (a new key, rotated yearly),
   * or the ARN of a key. Can be changed later, in place. @default aws-managed
   */
  kmsKey: v.optional(
    text(
      "must be 'aws-managed', 'customer-managed' or the ARN of a KMS key.",
      new RegExp(`^(aws-managed|customer-managed)$|${arn('kms', 'key/[\\w-]+').source}`),
    ),
    'aws-managed',
  ),
  /** How long the functions' logs are kept, in days. @default 30 */
  logRetentionDays: v.optional(
    v.pipe(
      v.number(retentionRule),
      v.check((days) => retentionDays.includes(days), retentionRule),
    ),
    30,
  ),
  /** Whether the table is kept when its stack is deleted. `destroy` also switches deletion protection off. @default retain */
  removalPolicy: v.optional(
    v.picklist(['retain', 'destroy'], "must be 'retain' or 'destroy'."),
    'retain',
  ),
  /** Memory of each function in MB; CPU is in proportion. The heap gets half, at most 256 MB. @default 1024 */
  memoryMb: v.optional(memory, memoryMbDefault),
  /** Memory of single functions in MB, by endpoint name. @default memoryMb */
  memoryMbByFunction: v.optional(
    v.pipe(
      v.custom<Readonly<Record<string, number>>>(
        (value) => !Array.isArray(value),
        memoryByFunctionRule,
      ),
      v.record(v.string(), memory, memoryByFunctionRule),
    ),
    {},
  ),
  /** Hourly requests of one API key. @default 600, the contract's */
  requestsPerKeyPerHour: v.optional(
    wholeNumber(1, requestsPerWindowMax, 'requests'),
    limits.requestsPerKeyPerWindow,
  ),
  /**
   * Hourly requests of all keys of one organization. Each create and capture uses one of 2,147,483,647 lead IDs, which `lastLeadId` of the
   * item `USAGE#ORGANIZATION_ID` counts. They last 82 years by default, 249 days at the maximum of 360,000 per hour. Then only requests
   * that would create a lead get a 500 (`LeadIdsExhaustedError`). @default 3000, the contract's
   */
  requestsPerOrganizationPerHour: v.optional(
    wholeNumber(1, requestsPerWindowMax, 'requests'),
    limits.requestsPerOrganizationPerWindow,
  ),
  /** Requests per second of all callers to one endpoint; twice as many in a burst. @default 500 */
  requestsPerSecond: v.optional(wholeNumber(1, 5000, 'requests'), 500),
  /** X-Ray traces of the functions, but not of the API: its traces contain the requested address. @default false */
  tracing: v.optional(flag, false),
  /** Access logs of the gateway. Needs the account's CloudWatch role for API Gateway (OPERATE.md). @default false */
  accessLogs: v.optional(flag, false),
  /** Publishes an event for each thing that happens to a lead on an EventBridge bus of the service (OPERATE.md). @default false */
  events: v.optional(flag, false),
  /** Daily backups, kept 35 days, and monthly ones, kept a year, in a vault of AWS Backup (OPERATE.md, "Back up"). @default false */
  backup: v.optional(flag, false),
  /** Keeps each backup for its first 35 days: `governance` can be removed by those who may, `compliance` by nobody after three days. @default none */
  backupLock: v.optional(
    v.picklist(['governance', 'compliance'], "must be 'governance' or 'compliance'."),
  ),
  /** ARN of a backup vault in another region or account, to which each backup is copied. @default none */
  backupCopyTo: v.optional(
    text(
      'must be the ARN of a backup vault: arn:aws:backup:REGION:ACCOUNT:backup-vault:NAME.',
      arn('backup', 'backup-vault:[\\w-]{2,50}'),
    ),
  ),
  /** Records each request to the table, with who sent it, in CloudTrail, and keeps the log for this many days (OPERATE.md). @default none */
  auditDays: v.optional(wholeNumber(1, 3650, 'days')),
  /** Dollars a month. If the service costs more, or will, `alarmEmail` is told (OPERATE.md). @default none */
  monthlyBudget: v.optional(wholeNumber(1, 1_000_000, 'dollars')),
  /** Name of an existing table to use, such as a restored one, instead of a table of the stack. @default none */
  tableName: v.optional(
    text(
      'must be the name of a DynamoDB table: 3 to 255 letters, digits, _ . and -.',
      /^[\w.-]{3,255}$/,
    ),
  ),
  /** ARN of the stream of `tableName`, with new images; `events` needs it. @default none */
  tableStreamArn: v.optional(
    text(
      'must be the ARN of a stream of a DynamoDB table: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL.',
      arn('dynamodb', 'table/[\\w.-]+/stream/[\\w.:-]+'),
    ),
  ),
});

/** The options as they are given. */
export type LeadServiceProps = Readonly<v.InferInput<typeof schema>>;
/** The options with their defaults. */
export type ServiceOptions = Readonly<v.InferOutput<typeof schema> & { serviceName: string }>;

export const optionNames = keysOf(schema.entries);
const isOptionName = (name: string): name is keyof LeadServiceProps =>
  Object.hasOwn(schema.entries, name);

/** Invalid options. The message has one line per issue. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(['These options are invalid:', ...issues.map((issue) => `  ${issue}`)].join('\n'));
    this.issues = issues;
  }
}

/**
 * Adds the defaults to the options.
 * @throws OptionsError with all issues at once, each with the name of its option
 */
export function checkOptions(named: Readonly<Record<string, unknown>>): ServiceOptions {
  const issues: string[] = [];
  const valid: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    const result = isOptionName(name) ? readOption(name, value) : undefined;
    if (!result) issues.push(`${name}: ${unknownName('option', name, optionNames)}`);
    else if (result.success) valid[name] = result.output;
    else issues.push(...result.issues.map((issue) => issueLine(name, issue)));
  }
  const options = v.parse(schema, valid);
  const serviceName = options.serviceName ?? `lead-service-${options.environment}`;
  const checked: ServiceOptions = { ...options, serviceName };
  issues.push(...conflicts(checked));
  if (issues.length > 0) throw new OptionsError(issues);
  return checked;
}

/** The value of `-c NAME=VALUE` is always a string: one that does not fit is read as JSON. */
function readOption(name: keyof LeadServiceProps, value: unknown) {
  const result = v.safeParse(schema.entries[name], value);
  if (result.success || typeof value !== 'string' || !/^(true$|false$|\d{1,9}$|\{)/.test(value))
    return result;
  return v.safeParse(schema.entries[name], parseJson(value) ?? value);
}

function issueLine(name: string, issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  const value = typeof issue.input === 'string' ? `'${issue.input}'` : JSON.stringify(issue.input);
  return `${path ? `${name}.${path}` : name}: ${value}: ${issue.message}`;
}

const functionNames = endpoints.map(({ name }): string => name);

/** The issues of options that are valid one by one and contradict each other. */
function conflicts(options: ServiceOptions): string[] {
  const { environment, serviceName, domainName, certificateArn, tableName } = options;
  const { requestsPerKeyPerHour, requestsPerOrganizationPerHour, memoryMbByFunction } = options;
  const issues: readonly (string | false)[] = [
    Boolean(domainName && !certificateArn) &&
      'domainName: needs certificateArn: set it to the certificate of the domain.',
    Boolean(certificateArn && !domainName) &&
      'certificateArn: needs domainName: set it to the domain of the certificate.',
    options.keepDefaultAddress &&
      !domainName &&
      'keepDefaultAddress: needs domainName: without a domain, the default address is the only one. Remove it.',
    requestsPerKeyPerHour > requestsPerOrganizationPerHour &&
      `requestsPerKeyPerHour: ${requestsPerKeyPerHour}: must be at most requestsPerOrganizationPerHour, which is ${requestsPerOrganizationPerHour}.`,
    Boolean(options.monthlyBudget && !options.alarmEmail) &&
      'monthlyBudget: needs alarmEmail: set it to the address that is told.',
    // The name that is made from the environment: the rule of serviceName refuses any other that is longer.
    serviceName.length > serviceNameMaxChars &&
      !Token.isUnresolved(serviceName) &&
      `environment: '${environment}': makes the service name ${serviceName}, which is longer than ${serviceNameMaxChars} characters: set serviceName.`,
    options.removalPolicy === 'destroy' &&
      environment === productionEnvironment &&
      "removalPolicy: 'destroy': not allowed in the environment production: use another environment, or 'retain'.",
    ...(['backupLock', 'backupCopyTo'] as const).map(
      (name) =>
        options[name] !== undefined &&
        !options.backup &&
        `${name}: needs backup: set backup to true, or remove it.`,
    ),
    ...(tableName === undefined ? [] : conflictsOfGivenTable(options)),
    options.tableStreamArn !== undefined &&
      !(options.events && tableName) &&
      'tableStreamArn: is only for events of the table of tableName: remove it, or set both.',
    ...Object.keys(memoryMbByFunction)
      .filter((name) => !functionNames.includes(name))
      .map((name) => `memoryMbByFunction.${name}: ${unknownName('function', name, functionNames)}`),
  ];
  return issues.filter((issue) => issue !== false);
}

const conflictsOfGivenTable = (options: ServiceOptions): readonly (string | false)[] => [
  options.removalPolicy === 'destroy' &&
    "removalPolicy: 'destroy': not allowed with tableName: the table that the stack used until now would be deleted. Use 'retain'.",
  options.kmsKey === 'customer-managed' &&
    "kmsKey: 'customer-managed' creates a key, but the table of tableName already has one: set kmsKey to the ARN of that key.",
  options.events &&
    !options.tableStreamArn &&
    'events: needs tableStreamArn with tableName: switch on the stream of that table, with new images, and set its ARN.',
];

function unknownName(kind: 'option' | 'function', name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const article = kind === 'option' ? 'an' : 'a';
  return `is not ${article} ${kind}: ${nearest ? `did you mean ${nearest}?` : `the ${kind}s are ${names.join(', ')}.`}`;
}
