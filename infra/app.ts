import { App } from 'aws-cdk-lib';
import { buildFunctions } from './bundle/bundle.ts';
import { checkOptions, OptionsError, optionsInContext } from './stack/check-options.ts';
import { LeadsStack } from './stack/leads-stack.ts';

/**
 * Entry of cdk.json. Options come from its `context`, or from `-c NAME=VALUE` on the command line; service-options.ts describes them.
 * Builds the functions first, so that `npx cdk synth` needs nothing but `npm ci` before it.
 */
try {
  const app = new App();
  const service = checkOptions(optionsInContext(app.node.getAllContext()));
  await buildFunctions();
  new LeadsStack(app, 'LeadsStack', { service });
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  process.stderr.write(`${error.message}\nThey are set in cdk.json under "context", or by -c NAME=VALUE.\n`);
  process.exitCode = 1;
}
