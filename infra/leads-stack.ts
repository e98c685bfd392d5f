import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { writtenEndpoints } from './bundle.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { LeadApi } from './lead-api.ts';
import { LeadTable } from './lead-table.ts';

/** The service in one environment: table, a function per written endpoint, and the API before them. The functions are built by now. */
export class LeadsStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, props);
    const table = new LeadTable(this, 'LeadTable');
    const api = new LeadApi(this, 'LeadApi');
    for (const endpoint of writtenEndpoints()) {
      api.route(endpoint, new EndpointFunction(this, constructId(endpoint.name), { endpoint, table }));
    }

    new CfnOutput(this, 'BaseUrl', { value: api.baseUrl, description: 'Base address: the paths of the contract follow it' });
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'LEADS_TABLE for the admin command' });
  }
}

/** `capture-lead` to `CaptureLead`. */
const constructId = (name: string): string => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
