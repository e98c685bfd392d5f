import { App } from 'aws-cdk-lib';
import { buildFunctions } from './bundle.ts';
import { LeadsStack } from './leads-stack.ts';

/** Entry of cdk.json. Builds the functions first, so that `npx cdk synth` needs nothing but `npm ci` before it. */
await buildFunctions();
new LeadsStack(new App(), 'LeadsStack', { stackName: 'lead-service', description: 'Lead management service' });
