import { Token } from 'aws-cdk-lib';
import * as v from 'valibot';
import { parseJson } from '../../shared/base/json.ts';
import { endpoints } from '../../shared/contract/endpoints.ts';
import { nearestName } from '../../shared/organization/nearest-name.ts';
import {
  type LeadServiceProps,
  optionNames,
  optionsSchema,
  productionEnvironment,
  type ServiceOptions,
  serviceNameMaxChars,
} from './service-options.ts';

const isOptionName = (name: string): name is keyof LeadServiceProps =>
  Object.hasOwn(optionsSchema.entries, name);

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
 * @param region the deployment's region, if it is known
 * @throws OptionsError with all issues, each with the name of its option
 */
export function checkOptions(
  named: Readonly<Record<string, unknown>>,
  region?: string,
): ServiceOptions {
  const issues: string[] = [];
  const valid: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(named)) {
    const result = isOptionName(name) ? readOption(name, value) : undefined;
    if (!result) issues.push(`${name}: ${unknownName('option', name, optionNames)}`);
    else if (result.success) valid[name] = result.output;
    else issues.push(...result.issues.map((issue) => issueLine(name, issue)));
  }
  const options = v.parse(optionsSchema, valid);
  const serviceName = options.serviceName ?? `lead-service-${options.environment}`;
  const checked: ServiceOptions = { ...options, serviceName };
  issues.push(...conflicts(checked));
  if (region !== undefined) issues.push(...lackingIn(region, checked));
  if (issues.length > 0) throw new OptionsError(issues);
  return checked;
}

/** The value of `-c NAME=VALUE` is always a string. If the option does not accept the string, it is read as JSON. */
function readOption(name: keyof LeadServiceProps, value: unknown) {
  const result = v.safeParse(optionsSchema.entries[name], value);
  if (result.success || typeof value !== 'string' || !/^(true$|false$|\d{1,9}$|\{)/.test(value))
    return result;
  return v.safeParse(optionsSchema.entries[name], parseJson(value) ?? value);
}

function issueLine(name: string, issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  const value = typeof issue.input === 'string' ? `'${issue.input}'` : JSON.stringify(issue.input);
  return `${path ? `${name}.${path}` : name}: ${value}: ${issue.message}`;
}

const functionNames = endpoints.map(({ name }): string => name);

/** The issues of options that are valid by themselves but contradict each other. */
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
      'monthlyBudget: needs alarmEmail: set it to the address to notify.',
    // Only a name derived from the environment can be too long here: the rule of serviceName refuses others.
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

/**
 * The regions where CloudFormation has no budgets (its resource schemas, as of cfn-lint 1.51.0). A test lints every option in every region.
 */
const withoutBudgets = new Set(
  [
    'af-south-1 ap-east-1 ap-east-2 ap-northeast-3 ap-south-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6',
    'ap-southeast-7 ca-west-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 il-central-1 me-central-1 me-south-1 mx-central-1',
    'us-gov-east-1 us-gov-west-1',
  ].flatMap((line) => line.split(' ')),
);

/** The issues of options that need a type or a property that CloudFormation lacks in the region: the deployment would fail. */
function lackingIn(region: string, { monthlyBudget, domainName }: ServiceOptions): string[] {
  const issues: readonly (string | false)[] = [
    monthlyBudget !== undefined &&
      withoutBudgets.has(region) &&
      `monthlyBudget: CloudFormation has no budgets in ${region}: remove it, and create the budget in the console of AWS Budgets.`,
    domainName !== undefined &&
      region === 'eu-south-1' &&
      `domainName: CloudFormation cannot set the TLS policy of a domain in ${region}: remove it, or use another region.`,
  ];
  return issues.filter((issue) => issue !== false);
}

function unknownName(kind: 'option' | 'function', name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  const article = kind === 'option' ? 'an' : 'a';
  return `is not ${article} ${kind}: ${nearest ? `did you mean ${nearest}?` : `the ${kind}s are ${names.join(', ')}.`}`;
}
