import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Audit } from './audit.ts';
import type { Backups } from './backups.ts';
import type { EndpointFunction } from './endpoint-function.ts';
import type { LeadApi } from './lead-api.ts';
import type { LeadEvents } from './lead-events.ts';
import type { LeadTable } from './lead-table.ts';
import { dashboardUrl } from './monitoring/alarms.ts';
import type { Release } from './release.ts';
import type { ServiceOptions } from './service-options.ts';

export interface OutputProps {
  readonly options: ServiceOptions;
  readonly functions: readonly EndpointFunction[];
  readonly release: Release;
  readonly api: LeadApi;
  readonly table: LeadTable;
  readonly events: LeadEvents | undefined;
  readonly backups: Backups | undefined;
  readonly audit: Audit | undefined;
}

/**
 * The outputs of a service, which the commands with `--stack` read (infra/cli/stack.ts). Their names begin with the ID of the service, so
 * that a stack can have several: `LeadsTableName`.
 * @returns each by its name without the ID
 */
export function addOutputs(service: Construct, props: OutputProps): ReadonlyMap<string, CfnOutput> {
  const id = idInStack(service);
  return new Map(
    Object.entries(outputsOf(props)).flatMap(([name, [value, description]]) => {
      if (value === undefined) return [];
      const output = new CfnOutput(service, name, { value, description });
      output.overrideLogicalId(`${id}${name}`);
      return [[name, output] as const];
    }),
  );
}

/** The IDs of the constructs from the stack to the service, as letters and digits. */
function idInStack(service: Construct): string {
  const { scopes } = service.node;
  const inStack = scopes.slice(scopes.indexOf(Stack.of(service)) + 1);
  return inStack.map(({ node }) => node.id.replace(/[^A-Za-z0-9]/g, '')).join('');
}

/** By name: the value, undefined without its option, and the description. */
type Outputs = Readonly<Record<string, readonly [value: string | undefined, description: string]>>;

function outputsOf(props: OutputProps): Outputs {
  const { options, functions, release, api, table, events, backups, audit } = props;
  const named = functions.map(({ endpoint, functionName }) => `${endpoint.name}=${functionName}`);
  return {
    Release: [release.name, 'Release: its tag or commit, to go back to it (OPERATE.md)'],
    Version: [release.version, 'Version and commit'],
    BaseUrl: [api.baseUrl, 'Base URL: put it before the paths of the contract'],
    DashboardUrl: [dashboardUrl(options.serviceName), 'Dashboard, with alarms and log queries'],
    TableName: [table.tableName, 'LEADS_TABLE for the admin command'],
    Functions: [named.join(), 'Function of each endpoint, for service stop'],
    DomainTarget: [api.domainTarget, 'Target of the DNS record (CNAME) of the domain'],
    EventBusName: [events?.bus.eventBusName, 'Event bus, for rules (OPERATE.md)'],
    BackupVaultName: [backups?.vault.backupVaultName, 'Vault of the backups (OPERATE.md)'],
    AuditBucketName: [audit?.bucket.bucketName, 'Log of requests to the table'],
  };
}
