import { Annotations, type CfnOutput } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { projectFolder, writtenEndpoints } from '../bundle/bundle.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { Firewall } from './firewall.ts';
import { LeadApi } from './lead-api.ts';
import { LeadEvents } from './lead-events.ts';
import { LeadTable } from './lead-table.ts';
import { AlarmTopics } from './monitoring/alarm-topic.ts';
import { Monitoring } from './monitoring/dashboard.ts';
import { releaseIn } from './release.ts';
import type { LeadServiceProps } from './service-options.ts';
import { checkOptions } from './service-options.ts';
import { addOutputs } from './service-outputs.ts';

export type { LeadServiceProps } from './service-options.ts';

/**
 * The lead management service: the table, a function per endpoint, the API, alarms and a dashboard. Use it in any CDK app:
 *
 *     await buildFunctions();
 *     new LeadService(stack, 'Leads', { environment: 'staging', alarmEmail: 'ops@example.com' });
 *
 * The commands reach it by the outputs that it adds to the stack, such as `LeadsBaseUrl`: `npm run verify -- --stack STACK`.
 * It changes no account-wide setting, reserves no concurrency and builds without Docker.
 */
export class LeadService extends Construct {
  /** The contract's `{base_url}`, without a trailing slash. */
  readonly baseUrl: string;
  /** The target of the DNS record of `domainName`; undefined without a domain. */
  readonly domainTarget: string | undefined;
  readonly table: LeadTable;
  readonly api: LeadApi;
  readonly monitoring: Monitoring;
  /** The bus and its publisher; undefined without `events`. */
  readonly events: LeadEvents | undefined;
  /** By name, without the ID of the service. */
  readonly outputs: ReadonlyMap<string, CfnOutput>;

  /**
   * @throws OptionsError with all invalid options at once
   * @throws Error when the functions are not built (`buildFunctions` in bundle.ts)
   */
  constructor(scope: Construct, id: string, props: LeadServiceProps = {}) {
    super(scope, id);
    const options = checkOptions({ ...props });
    const release = releaseIn(projectFolder);
    const { version } = release;

    this.table = new LeadTable(this, 'Table', options);
    this.api = new LeadApi(this, 'Api', options);
    const functions = writtenEndpoints().map((endpoint) => ({
      endpoint,
      handler: new EndpointFunction(this, constructId(endpoint.name), {
        endpoint,
        table: this.table,
        options,
        version,
      }),
    }));
    for (const { endpoint, handler } of functions) this.api.route(endpoint, handler);
    if (options.events)
      this.events = new LeadEvents(this, 'Events', { table: this.table, options, version });
    if (options.waf) new Firewall(this, 'Firewall', this.api.deploymentStage.stageArn, options);

    const { topics } = new AlarmTopics(this, 'AlarmTopics', options);
    if (topics.length === 0) warnOfSilentAlarms(this);
    this.monitoring = new Monitoring(this, 'Monitoring', {
      options,
      functions,
      table: this.table.table,
      events: this.events,
      topics,
    });
    this.baseUrl = this.api.baseUrl;
    this.domainTarget = this.api.domainTarget;
    const { baseUrl, domainTarget, table, events } = this;
    const described = { baseUrl, domainTarget, table, events };
    this.outputs = addOutputs(this, { options, functions, release, ...described });
  }
}

const warnOfSilentAlarms = (scope: Construct): void =>
  Annotations.of(scope).addWarningV2(
    'lead-service:alarms',
    'Neither alarmEmail nor alarmTopicArn is set: nobody is notified of alarms.',
  );

/** `capture-lead` to `CaptureLead`. */
const constructId = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
