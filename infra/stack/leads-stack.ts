import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { LeadService, type LeadServiceProps } from './lead-service.ts';
import { checkOptions } from './service-options.ts';

export interface LeadsStackProps extends StackProps {
  /** @default {}: the defaults are safe in a new account */
  readonly service?: LeadServiceProps;
}

/** The service as a stack of its own. Its outputs need no ID in their names. Build the functions first. */
export class LeadsStack extends Stack {
  constructor(scope: Construct, id: string, { service = {}, ...props }: LeadsStackProps = {}) {
    super(scope, id, {
      stackName: checkOptions({ ...service }).serviceName,
      description: 'Lead management service',
      ...props,
    });
    for (const [name, output] of new LeadService(this, 'Service', service).outputs)
      output.overrideLogicalId(name);
  }
}
