import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { checkOptions } from './check-options.ts';
import { LeadService, type LeadServiceProps } from './lead-service.ts';
import { dashboardUrl } from './monitoring/dashboard-url.ts';

export interface LeadsStackProps extends StackProps {
  /** @default {}: the defaults are safe in a new account */
  readonly service?: LeadServiceProps;
}

/** By name: the value and its description. */
type Outputs = Readonly<Record<string, readonly [value: string, description: string]>>;

/** The service as a stack of its own, with the addresses and the next commands as outputs. Build the functions first. */
export class LeadsStack extends Stack {
  constructor(scope: Construct, id: string, { service = {}, ...props }: LeadsStackProps = {}) {
    super(scope, id, {
      stackName: checkOptions({ ...service }).serviceName,
      description: 'Lead management service',
      ...props,
    });
    const outputs = this.outputsOf(new LeadService(this, 'Service', service), service);
    for (const [name, [value, description]] of Object.entries(outputs))
      new CfnOutput(this, name, { value, description });
  }

  private outputsOf(
    { baseUrl, table, domainTarget, events }: LeadService,
    props: LeadServiceProps,
  ): Outputs {
    const { serviceName, requestsPerKeyPerHour, requestsPerOrganizationPerHour } = checkOptions({
      ...props,
    });
    const admin = `AWS_REGION=${this.region} LEADS_TABLE=${table.tableName} npm run --silent admin --`;
    return {
      BaseUrl: [baseUrl, 'Base URL: put it before the paths of the contract'],
      DashboardUrl: [dashboardUrl(serviceName), 'Dashboard, with alarms and log queries'],
      TableName: [table.tableName, 'LEADS_TABLE for the admin command'],
      RequestsPerKeyPerHour: [
        String(requestsPerKeyPerHour),
        'Limit of requests per API key and hour',
      ],
      RequestsPerOrganizationPerHour: [
        String(requestsPerOrganizationPerHour),
        'Limit of requests per organization and hour',
      ],
      ...(domainTarget && {
        DomainTarget: [domainTarget, 'Target of the DNS record (CNAME) of the domain'] as const,
      }),
      ...(events && {
        EventBusName: [events.bus.eventBusName, 'Event bus, for rules (OPERATE.md)'] as const,
      }),
      Next1Organization: [
        `${admin} organization apply organization.json`,
        'Next: create an organization from its settings file',
      ],
      Next2Key: [
        `${admin} key create --organization 1 --type application --scopes leads.read --label first --created-by 7`,
        'Then: create an API key; take the organization and user IDs from the settings file',
      ],
      Next3Call: [
        `curl -H "Authorization: Bearer $API_KEY" ${baseUrl}/api/v1/lead-fields`,
        'Then: the first call, with that key',
      ],
    };
  }
}
