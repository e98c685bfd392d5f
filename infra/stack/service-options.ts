/** The options of a deployment. All are optional, and the defaults are safe in a new account. */
export interface LeadServiceProps {
  /** Which deployment this is. In `production`, `removalPolicy` cannot be `destroy`. @default production */
  readonly environment?: string;
  /** The AWS account that the environment belongs to. `npm run deploy` deploys to no other. @default any */
  readonly account?: string;
  /** Names the stack, the API, the metrics, the alarms and the dashboard. Must be unique in the account and region, and have at most 25 characters. @default lead-service-<environment> */
  readonly serviceName?: string;
  /** Custom domain of the API, such as `leads.example.com`; it switches the `execute-api` address off, unless `keepDefaultAddress`. @default none */
  readonly domainName?: string;
  /** With `domainName`, also answers at the `execute-api` address, until all callers use the domain. @default false */
  readonly keepDefaultAddress?: boolean;
  /** ARN of the domain's certificate in AWS Certificate Manager, in the region of the API. @default none */
  readonly certificateArn?: string;
  /** Email address that is notified when an alarm goes off, and when it ends. The recipient must confirm once. @default none */
  readonly alarmEmail?: string;
  /** ARN of an SNS topic that alarms are sent to, in addition to or instead of `alarmEmail`. @default none */
  readonly alarmTopicArn?: string;
  /** An alarm goes off after this many hours without a capture, 1 to 168. Choose more than your longest quiet night or weekend. @default none */
  readonly noCapturesHours?: number;
  /** A regional web ACL that blocks known attackers and limits requests per address. Costs a monthly fee. @default false */
  readonly waf?: boolean;
  /**
   * Encrypts the table: `aws-managed` (the account's key for DynamoDB), `customer-managed` (a new key, rotated yearly),
   * or the ARN of a key. @default aws-managed
   */
  readonly kmsKey?: string;
  /** How long the functions' logs are kept, in days. @default 30 */
  readonly logRetentionDays?: number;
  /** Whether the table is kept when its stack is deleted. `destroy` also switches deletion protection off. @default retain */
  readonly removalPolicy?: 'retain' | 'destroy';
  /** Memory of each function in MB; CPU is in proportion. The heap gets half, at most 256 MB. @default 1024 */
  readonly memoryMb?: number;
  /** Memory of single functions in MB, by endpoint name. @default memoryMb */
  readonly memoryMbByFunction?: Readonly<Record<string, number>>;
  /** Hourly requests of one API key. @default 600, the contract's */
  readonly requestsPerKeyPerHour?: number;
  /**
   * Hourly requests of all keys of one organization. Each create and capture uses one of 2,147,483,647 lead IDs. At the maximum of
   * 360,000 per hour, they last 249 days; then new leads are refused. @default 3000, the contract's
   */
  readonly requestsPerOrganizationPerHour?: number;
  /** Requests per second of all callers to one endpoint; twice as many in a burst. @default 500 */
  readonly requestsPerSecond?: number;
  /** X-Ray traces of the functions, but not of the API: its traces contain the requested address. @default false */
  readonly tracing?: boolean;
  /** Access logs of the gateway. Needs the account's CloudWatch role for API Gateway (OPERATE.md). @default false */
  readonly accessLogs?: boolean;
  /** Publishes an event for each thing that happens to a lead on an EventBridge bus of the service (OPERATE.md). @default false */
  readonly events?: boolean;
  /** Name of an existing table to use, such as a restored one, instead of a table of the stack. @default none */
  readonly tableName?: string;
  /** ARN of the stream of `tableName`, with new images; `events` needs it. @default none */
  readonly tableStreamArn?: string;
}

/** The options with their defaults. */
export type ServiceOptions = Omit<Required<LeadServiceProps>, Unset> &
  Pick<LeadServiceProps, Unset>;
type Unset =
  | 'account'
  | 'domainName'
  | 'certificateArn'
  | 'alarmEmail'
  | 'alarmTopicArn'
  | 'noCapturesHours'
  | 'tableName'
  | 'tableStreamArn';

export const memoryMbDefault = 1024;
/** The quota of a new account for the memory of a function. */
export const memoryMbMax = 3008;
export const productionEnvironment = 'production';
