import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { keysOf } from '../../shared/base/maps.ts';
import { limits } from '../../shared/contract/limits.ts';
import { requestsPerWindowMax } from '../../shared/contract/rate-limits.ts';
import { memoryMbDefault, memoryMbMax } from '../bundle/function-memory.ts';

export const productionEnvironment = 'production';

/** A string that matches a pattern. A CDK token, which CloudFormation resolves later, is accepted unchecked. */
const text = (rule: string, pattern: RegExp) =>
  v.pipe(
    v.string(rule),
    v.check((value) => Token.isUnresolved(value) || pattern.test(value), rule),
  );
const flag = v.optional(v.boolean('must be true or false.'), false);
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
/**
 * CloudFormation cuts the names of functions and roles to 64 characters, with 25 for the stack and 25 for the resource
 * (https://github.com/KensioSoftware/yulin/issues/1113, https://github.com/convox/rack/issues/2297). The policies match `STACK-*`.
 */
export const serviceNameMaxChars = 25;

/** The options of a deployment, each with its rule and its default. All are optional, and the defaults are safe in a new account. */
export const optionsSchema = v.object({
  /** Which deployment this is. In `production`, `removalPolicy` cannot be `destroy`. @default production */
  environment: v.optional(
    text(
      'must be 1 to 20 lower-case letters, digits and hyphens, and start with a letter.',
      /^[a-z][a-z0-9-]{0,19}$/,
    ),
    productionEnvironment,
  ),
  /**
   * The AWS account of the environment. `npm run deploy` refuses to deploy to any other. At the top level, it applies to all environments.
   * @default any
   */
  account: v.optional(text('must be the 12 digits of an AWS account, in quotes.', /^\d{12}$/)),
  /** Names the stack, the API, the metrics, the alarms and the dashboard. Must be unique in the account and region, and have at most 25 characters. @default lead-service-ENVIRONMENT */
  serviceName: v.optional(
    text(
      `must be 3 to ${serviceNameMaxChars} letters, digits and hyphens, and start with a letter.`,
      new RegExp(`^[A-Za-z][A-Za-z0-9-]{2,${serviceNameMaxChars - 1}}$`),
    ),
  ),
  /**
   * Custom domain of the API, such as `leads.example.com`. It switches the `execute-api` address off, unless `keepDefaultAddress` is set.
   * Point its DNS record (CNAME or alias) to the output `DomainTarget`. A proxy in front must send the domain as SNI and `Host`. Callers
   * need TLS 1.2 with ECDHE and AES-GCM, or TLS 1.3, without client certificates (mutual TLS). Refused in eu-south-1. @default none
   */
  domainName: v.optional(
    text(
      'must be a domain name such as leads.example.com.',
      /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    ),
  ),
  /**
   * With `domainName`, the API also answers at the `execute-api` address. Use it to move callers without an outage: deploy with this option
   * and the domain, create the DNS record, verify, move the callers, then deploy without it. @default false
   */
  keepDefaultAddress: flag,
  /** ARN of the domain's certificate in AWS Certificate Manager, in the region of the API. @default none */
  certificateArn: v.optional(
    text(
      'must be the ARN of a certificate in AWS Certificate Manager, in the region of the API: arn:aws:acm:REGION:ACCOUNT:certificate/ID.',
      arn('acm', 'certificate/[\\w-]+'),
    ),
  ),
  /** Email address that is notified when an alarm goes off, and when it ends. The recipient must confirm once. @default none */
  alarmEmail: v.optional(text('must be an email address.', /^[^\s@]+@[^\s@]+\.[^\s@]+$/)),
  /**
   * ARN of an SNS topic that alarms are sent to, in addition to or instead of `alarmEmail`. It must be in the service's region. Its policy
   * must allow `cloudwatch.amazonaws.com` to publish and, if it is encrypted, so must its key's policy. A topic with the key
   * `alias/aws/sns` gets no alarms, because that policy cannot be changed. @default none
   */
  alarmTopicArn: v.optional(
    text(
      'must be the ARN of an SNS topic: arn:aws:sns:REGION:ACCOUNT:NAME.',
      arn('sns', '[\\w-]+'),
    ),
  ),
  /** An alarm goes off after this many hours without a capture, 1 to 168. Choose more than your longest quiet night or weekend. @default none */
  noCapturesHours: v.optional(wholeNumber(1, 168, 'hours')),
  /**
   * A function calls `BaseUrl` every five minutes, without a key. The 401 proves that DNS, certificate, gateway and function work; the
   * table is not read. The function logs `heartbeatAnswered`, `heartbeatMs`, the error of a failure and, with a domain, `certificateDays`.
   * To see failures between your callers and AWS, use a monitor outside AWS. @default false
   */
  heartbeat: flag,
  /**
   * A regional web ACL, for a monthly fee. It answers 403 to addresses that AWS lists as attackers. An address that sends more than twice
   * `requestsPerOrganizationPerHour` in 5 minutes gets 429 with `Retry-After`, and without `X-Request-Id`. Bodies are not inspected.
   * @default false
   */
  waf: flag,
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
  /** Memory of each function in MB; CPU grows in proportion. The heap gets half of it, at most 256 MB. @default 1024 */
  memoryMb: v.optional(memory, memoryMbDefault),
  /** Memory of single functions in MB, by endpoint name. @default memoryMb */
  memoryMbByFunction: v.optional(
    v.record(
      v.string(),
      memory,
      'must be an object of MB by endpoint name, such as {"capture-lead": 1769}.',
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
   * item `USAGE#ORGANIZATION_ID` counts. At this rate, the IDs last 82 years by default, and 249 days at the maximum of 360,000 per hour.
   * After that, requests that would create a lead get a 500 (`LeadIdsExhaustedError`). @default 3000, the contract's
   */
  requestsPerOrganizationPerHour: v.optional(
    wholeNumber(1, requestsPerWindowMax, 'requests'),
    limits.requestsPerOrganizationPerWindow,
  ),
  /** Requests per second to one endpoint, from all callers together; twice as many in a burst. @default 500 */
  requestsPerSecond: v.optional(wholeNumber(1, 5000, 'requests'), 500),
  /** X-Ray traces of the functions, but not of the API: its traces contain the requested address. @default false */
  tracing: flag,
  /**
   * Access logs of the gateway. They need a role that is set once for the account and region. Create one that `apigateway.amazonaws.com` may
   * assume, with the policy `AmazonAPIGatewayPushToCloudWatchLogs`. Then run `aws apigateway update-account --patch-operations
   * op=replace,path=/cloudwatchRoleArn,value=ROLE_ARN`. @default false
   */
  accessLogs: flag,
  /**
   * Publishes an event for each thing that happens to a lead, on an EventBridge bus of the service (OPERATE.md, "Events"). You can switch
   * it on and off in place. Switching it off loses events that are not yet published. Before you switch it off or delete the stack, delete
   * the rules of the bus: EventBridge [requires it](https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DeleteEventBus.html).
   * @default false
   */
  events: flag,
  /**
   * Daily backups, kept 35 days, and monthly ones, kept a year, in a vault of AWS Backup with the service's name. The vault and its backups
   * stay when the option is switched off or the stack is deleted. The old vault makes a later deployment with `backup: true` fail: bring it
   * back with `cdk import`, or delete it once its backups have expired (`aws backup delete-backup-vault --backup-vault-name NAME`).
   * @default false
   */
  backup: flag,
  /**
   * Nobody can delete a backup in its first 35 days. Users with the permission can remove a `governance` lock. After three days, nobody can
   * remove a `compliance` lock.
   * @default none
   */
  backupLock: v.optional(
    v.picklist(['governance', 'compliance'], "must be 'governance' or 'compliance'."),
  ),
  /**
   * ARN of a vault to which each backup is copied. Create it first, in another region or in another account of your AWS Organization. In
   * both regions, DynamoDB's advanced features must be on in AWS Backup (`aws backup describe-region-settings`). They are on in accounts
   * that first used AWS Backup after November 2021
   * ([AWS](https://docs.aws.amazon.com/aws-backup/latest/devguide/advanced-ddb-backup.html)). Another account's vault needs a
   * customer-managed key, and an access policy that allows this account `backup:CopyIntoBackupVault`. The organization's management account
   * must allow cross-account backup ([AWS](https://docs.aws.amazon.com/aws-backup/latest/devguide/create-cross-account-backup.html)).
   * @default none
   */
  backupCopyTo: v.optional(
    text(
      'must be the ARN of a backup vault: arn:aws:backup:REGION:ACCOUNT:backup-vault:NAME.',
      arn('backup', 'backup-vault:[\\w-]{2,50}'),
    ),
  ),
  /**
   * How many days CloudTrail keeps a log of each request to the table, including those of the functions: operation, item keys, role and
   * session, address and time. The log is in the bucket of the output `AuditBucketName`, which stays when the stack is deleted ([query it
   * with Athena](https://docs.aws.amazon.com/athena/latest/ug/cloudtrail-logs.html)). Item keys include phones and emails, which no erasure
   * removes from the log. Reads of the stream for `events` are not recorded. @default none
   */
  auditDays: v.optional(wholeNumber(1, 3650, 'days')),
  /**
   * Dollars a month. `alarmEmail` is notified if the service costs more, or is forecast to. Only resources with the tag `lead-service` and
   * the service's name are counted; dashboards and metrics of log lines have no tag. First [activate the
   * tag](https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/activating-tags.html) for cost allocation, in an organization's
   * management account. Refused in 21 regions, where CloudFormation has no budgets. @default none
   */
  monthlyBudget: v.optional(wholeNumber(1, 1_000_000, 'dollars')),
  /**
   * Name of an existing table, such as a restored one, to use instead of a new table in the stack. The checks of `npm run deploy` name what
   * it lacks. A deployment does not change it: if a release needs another index, add it first with `aws dynamodb update-table`.
   * @default none
   */
  tableName: v.optional(
    text(
      'must be the name of a DynamoDB table: 3 to 255 letters, digits, _ . and -.',
      /^[\w.-]{3,255}$/,
    ),
  ),
  /**
   * ARN of the stream of `tableName`, which `events` needs: `aws dynamodb update-table --table-name NAME --stream-specification
   * StreamEnabled=true,StreamViewType=NEW_IMAGE` prints it. @default none
   */
  tableStreamArn: v.optional(
    text(
      'must be the ARN of a stream of a DynamoDB table: arn:aws:dynamodb:REGION:ACCOUNT:table/NAME/stream/LABEL.',
      arn('dynamodb', 'table/[\\w.-]+/stream/[\\w.:-]+'),
    ),
  ),
});

/** The options as they are given. */
export type LeadServiceProps = Readonly<v.InferInput<typeof optionsSchema>>;
/** The options with their defaults. */
export type ServiceOptions = Readonly<
  v.InferOutput<typeof optionsSchema> & { serviceName: string }
>;

export const optionNames = keysOf(optionsSchema.entries);
