import { App } from 'aws-cdk-lib';
import { buildFunctions } from './bundle/bundle.ts';
import { OptionsError } from './stack/check-options.ts';
import { checkEnvironmentOptions, contextOfCdkJson } from './stack/environment-options.ts';
import { LeadsStack } from './stack/lead-service.ts';

/**
 * The CDK app that cdk.json names. Its options come from the `context` of cdk.json or from `-c NAME=VALUE` on the command line
 * (environment-options.ts); service-options.ts describes them. Builds the functions first, so that `npx cdk synth` works right after `npm
 * ci`.
 */
try {
  const app = new App();
  const service = checkEnvironmentOptions(app.node.getAllContext(), contextOfCdkJson());
  await buildFunctions();
  new LeadsStack(app, 'LeadsStack', { service });
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  process.stderr.write(
    `${error.message}\nSet them in cdk.json under "context", or with -c NAME=VALUE.\n`,
  );
  process.exitCode = 1;
}
