/** How a deployment may differ from the next. Every option may be left out; the defaults are safe in a fresh account. */
export interface LeadServiceProps {
  /** Which deployment this is. In `production` the table cannot be set to be destroyed, and releases begin as a canary. @default production */
  readonly environment?: string;
  /** Names the stack, the API, its metrics, alarms and dashboard: one per account and region. @default lead-service-<environment> */
  readonly serviceName?: string;
  /** The API's own domain, as `leads.example.com`; the address under `execute-api` is off then. @default none */
  readonly domainName?: string;
  /** ARN of the domain's certificate in AWS Certificate Manager, in the region of the API. @default none */
  readonly certificateArn?: string;
  /** Who is written to when an alarm rings, and when it is over. The address has to confirm once. @default nobody */
  readonly alarmEmail?: string;
  /** ARN of an SNS topic that alarms are sent to, beside or instead of the e-mail. @default none */
  readonly alarmTopicArn?: string;
  /** A regional web ACL before the API: known bad addresses, and a cap per address. Paid by the month. @default false */
  readonly waf?: boolean;
  /**
   * What encrypts the table: `aws-managed` (the account's key for DynamoDB), `customer-managed` (a key of its own, rotated yearly),
   * or the ARN of a key. @default aws-managed
   */
  readonly kmsKey?: string;
  /** How long the functions' logs are kept, in days. @default 30 */
  readonly logRetentionDays?: number;
  /** Whether the table outlives its stack. `destroy` also takes its deletion protection away. @default retain */
  readonly removalPolicy?: 'retain' | 'destroy';
  /** Memory of each function in MB; CPU comes with it. @default 1024 */
  readonly memoryMb?: number;
  /** Memory of single functions in MB, by endpoint name. @default memoryMb */
  readonly memoryMbByFunction?: Readonly<Record<string, number>>;
  /** Hourly requests of one API key. @default 600, the contract's */
  readonly requestsPerKeyPerHour?: number;
  /**
   * Hourly requests of one organization, all its keys together. Each create and capture takes one of 2,147,483,647 lead IDs: at the most
   * that may be set, 360,000 an hour, they last 249 days, and then new leads are refused. @default 3000, the contract's
   */
  readonly requestsPerOrganizationPerHour?: number;
  /** What the gateway lets through to one endpoint in a second, all callers together; twice that in a rush. @default 500 */
  readonly requestsPerSecond?: number;
  /** X-Ray traces of the functions; never of the API, whose traces hold the address that was asked for. @default false */
  readonly tracing?: boolean;
  /** The gateway's own log of every request. Needs the account's CloudWatch role for API Gateway (OPERATE.md). @default false */
  readonly accessLogs?: boolean;
  /** New code first answers a tenth of the calls for five minutes, and is taken back when an alarm rings. @default true in production */
  readonly canary?: boolean;
  /** Name of an existing table to serve from, such as a restored one, instead of one of the stack's own. @default none */
  readonly tableName?: string;
}

/** The options with their defaults. */
export type ServiceOptions = Omit<Required<LeadServiceProps>, Unset> & Pick<LeadServiceProps, Unset>;
type Unset = 'domainName' | 'certificateArn' | 'alarmEmail' | 'alarmTopicArn' | 'tableName';

export const memoryMbDefault = 1024;
/** An account's first quota for the memory of a function. */
export const memoryMbMax = 3008;
export const productionEnvironment = 'production';
