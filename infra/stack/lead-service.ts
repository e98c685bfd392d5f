import { createHash } from 'node:crypto';
import { Annotations, CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct, type IConstruct } from 'constructs';
import { endpoints } from '../../shared/contract/endpoints.ts';
import { projectFolder } from '../bundle/built-functions.ts';
import { acknowledge } from './acknowledge.ts';
import { Audit } from './audit.ts';
import { Backups } from './backups.ts';
import { checkOptions, OptionsError } from './check-options.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { Firewall } from './firewall.ts';
import { Heartbeat } from './heartbeat.ts';
import { LeadApi } from './lead-api.ts';
import { LeadEvents } from './lead-events.ts';
import { LeadTable } from './lead-table.ts';
import { dashboardUrl, Monitoring } from './monitoring/dashboard.ts';
import { releaseIn } from './release.ts';
import type { LeadServiceProps, ServiceOptions } from './service-options.ts';

export type { LeadServiceProps } from './service-options.ts';

/**
 * The lead management service: the table, a function per endpoint, the API, alarms and a dashboard. Use it in any CDK app:
 *
 *     new LeadService(stack, 'Leads', { environment: 'staging', alarmEmail: 'ops@example.com' });
 *
 * The commands find it by the outputs that it adds to the stack, such as `LeadsBaseUrl`: `npm run verify -- --stack STACK`. It changes no
 * account-wide setting, reserves no concurrency and needs no Docker. Its package contains the built functions; in a checkout, call `await
 * buildFunctions()` first (infra/bundle/bundle.ts).
 */
export class LeadService extends Construct {
  readonly options: ServiceOptions;
  /** What is deployed. */
  readonly release = releaseIn(projectFolder);
  /** The contract's `{base_url}`, without a trailing slash. */
  readonly baseUrl: string;
  /** The target of the DNS record of `domainName`; undefined without a domain. */
  readonly domainTarget: string | undefined;
  readonly table: LeadTable;
  readonly api: LeadApi;
  readonly monitoring: Monitoring;
  /** The bus and its publisher; undefined without `events`. */
  readonly events: LeadEvents | undefined;
  /** The vault and its plan; undefined without `backup`. */
  readonly backups: Backups | undefined;
  /** The log of requests to the table; undefined without `auditDays`. */
  readonly audit: Audit | undefined;
  readonly functions: readonly EndpointFunction[];

  /**
   * @throws OptionsError with all options that are invalid or that the stack's region does not support
   * @throws Error when the functions are not built
   */
  constructor(scope: Construct, id: string, props: LeadServiceProps = {}) {
    super(scope, id);
    const stack = Stack.of(this);
    const options = checkOptions({ ...props }, stack.region);
    this.options = options;
    assertOnlyOfName(this, stack);
    if (/^(cn|us-gov)-/.test(stack.region))
      Annotations.of(this).addWarningV2(
        'lead-service:region',
        `Nothing was tried in ${stack.region}: see "regions of China and GovCloud" in infra/guides/engineer.md.`,
      );
    this.table = new LeadTable(this, 'Table', options);
    this.api = new LeadApi(this, 'Api', options);
    this.baseUrl = this.api.baseUrl;
    this.domainTarget = this.api.domainTarget;
    this.functions = endpoints.map((endpoint) => {
      const handler = new EndpointFunction(this, endpoint, this.table, this);
      this.api.route(endpoint, handler);
      return handler;
    });
    if (options.events) this.events = new LeadEvents(this, 'Events', this.table, this);
    if (options.heartbeat) new Heartbeat(this, 'Heartbeat', this.baseUrl, this);
    if (options.backup) this.backups = new Backups(this, 'Backups', this.table, options);
    if (options.auditDays) this.audit = new Audit(this, 'Audit', this.table, options.auditDays);
    addBudget(this, options);
    if (options.waf) new Firewall(this, 'Firewall', this.api.deploymentStage.stageArn, options);
    this.monitoring = new Monitoring(this, 'Monitoring', this, alarmTopics(this, options));
    addOutputs(this);
    tagResources(this, options.serviceName);
  }
}

/**
 * Refuses a second service of the same name in a stack: alarms, dashboard, bus and vault have the name, so the deployment would fail
 * halfway.
 * @throws OptionsError
 */
function assertOnlyOfName({ options, node }: LeadService, stack: Stack): void {
  const isOther = (one: IConstruct): boolean =>
    one instanceof LeadService &&
    one.node !== node &&
    one.options.serviceName === options.serviceName;
  const other = stack.node.findAll().find(isOther);
  if (other)
    throw new OptionsError([
      `serviceName: ${options.serviceName} is the name of ${other.node.path}: two services of a stack cannot share it.`,
    ]);
}

/**
 * Adds the service's outputs, which commands read with `--stack` (infra/cli/stack.ts). Their names begin with the service's ID, so that a
 * stack can have several services: `LeadsTableName`. A `LeadsStack` needs no ID.
 */
function addOutputs(service: LeadService): void {
  const { options, release, api, table, events, backups, audit } = service;
  const named = service.functions.map((one) => `${one.endpoint.name}=${one.functionName}`);
  const add = (name: string, value: string | undefined, description: string): void => {
    if (value === undefined) return;
    const output = new CfnOutput(service, name, { value, description });
    output.overrideLogicalId(`${idInStack(service)}${name}`);
  };
  add('Release', release.name, 'Release: its tag or commit, to go back to it (OPERATE.md)');
  add('Version', release.version, 'Version and commit');
  add('ServiceName', options.serviceName, 'SERVICE in OPERATE.md: alarms begin with it');
  add('BaseUrl', api.baseUrl, 'Base URL: put it before the paths of the contract');
  add('DashboardUrl', dashboardUrl(options.serviceName), 'Dashboard, with alarms and log queries');
  add('TableName', table.tableName, 'LEADS_TABLE for the admin command');
  add('Functions', named.join(), 'Function of each endpoint, for service stop');
  add('DomainTarget', api.domainTarget, 'Target of the DNS record (CNAME) of the domain');
  add('EventBusName', events?.bus.eventBusName, 'Event bus, for rules (OPERATE.md)');
  add('BackupVaultName', backups?.vault.backupVaultName, 'Vault of the backups (OPERATE.md)');
  add('AuditBucketName', audit?.bucket.bucketName, 'Log of requests to the table');
}

/** The IDs of the constructs from the stack to the service, as letters and digits. */
function idInStack(service: Construct): string {
  const { scopes, scope } = service.node;
  if (scope instanceof LeadsStack) return '';
  const inStack = scopes.slice(scopes.indexOf(Stack.of(service)) + 1);
  return inStack.map(({ node }) => node.id.replace(/[^A-Za-z0-9]/g, '')).join('');
}

const costTag = 'lead-service';

function tagResources(service: Construct, serviceName: string): void {
  Tags.of(service).add(costTag, serviceName, {
    // CloudFormation accepts tags on dashboards only since June 2026, and not in every region (CloudFormation's resource schemas).
    // Elsewhere, a tagged dashboard would fail the deployment.
    excludeResourceTypes: ['AWS::CloudWatch::Dashboard'],
  });
}

/** Emails `alarmEmail` when the resources with the service's tag cost more than `monthlyBudget`, or are forecast to. */
function addBudget(
  service: Construct,
  { monthlyBudget, alarmEmail, serviceName }: ServiceOptions,
): void {
  if (!monthlyBudget || !alarmEmail) return;
  const stack = Stack.of(service);
  const notificationsWithSubscribers = ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
    subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
  }));
  // The name contains a digest of these properties. When they change, CloudFormation replaces the budget, and creates the new one first.
  // Under the same name, that would fail.
  const digest = createHash('sha256')
    .update(JSON.stringify(stack.resolve(notificationsWithSubscribers)))
    .digest('hex');
  new CfnBudget(service, 'Budget', {
    budget: {
      // Must be unique in the account, where another region may have a service of this name.
      budgetName: `${serviceName}-${stack.region}-${digest.slice(0, 8)}`,
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      costFilters: { TagKeyValue: [`user:${costTag}$${serviceName}`] },
    },
    notificationsWithSubscribers,
  });
}

export interface LeadsStackProps extends StackProps {
  /** @default {}: the defaults are safe in a new account */
  readonly service?: LeadServiceProps;
}

/** A stack that has only the service, so the names of its outputs need no ID. */
export class LeadsStack extends Stack {
  constructor(scope: Construct, id: string, { service = {}, ...props }: LeadsStackProps = {}) {
    super(scope, id, {
      stackName: checkOptions({ ...service }).serviceName,
      description: 'Lead management service',
      ...props,
    });
    new LeadService(this, 'Service', service);
  }
}

/** The topics that alarms are sent to: a new topic for the email address, an existing topic, both or neither. */
function alarmTopics(
  service: Construct,
  { alarmEmail, alarmTopicArn }: ServiceOptions,
): readonly ITopic[] {
  if (!alarmEmail && !alarmTopicArn)
    Annotations.of(service).addWarningV2(
      'lead-service:alarms',
      'Neither alarmEmail nor alarmTopicArn is set: nobody is notified of alarms.',
    );
  const topics = new Construct(service, 'AlarmTopics');
  return [
    ...(alarmEmail ? [emailTopic(topics, alarmEmail)] : []),
    ...(alarmTopicArn ? [Topic.fromTopicArn(topics, 'Given', alarmTopicArn)] : []),
  ];
}

function emailTopic(scope: Construct, address: string): Topic {
  const topic = new Topic(scope, 'Email', { displayName: 'Lead service alarms', enforceSSL: true });
  topic.addSubscription(new EmailSubscription(address));
  // Enforcing TLS gives the topic a policy, which replaces the default policy. The default would have let the account's alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } },
    }),
  );
  acknowledge(topic, {
    id: 'Serverless-SNSRedrivePolicy',
    reason:
      'If an email cannot be delivered, the dashboard still shows the alarm: nobody would read a queue of old alarms.',
  });
  return topic;
}
