import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { Command } from 'commander';
import { countOf } from '../../cli/format.ts';
import { type CommandContext, CommandError, type ServiceLocation } from '../context.ts';

/** How many calls to Lambda change functions in parallel, below its limit of 15 control requests a second. */
const changesAtOnce = 5;

export function serviceCommands(program: Command, context: CommandContext): void {
  const service = program
    .command('service')
    .description('stop and start a deployed service, as during a restore');
  service
    .command('stop')
    .description('stop all requests of a deployed service; callers get 500 until service start')
    .addHelpText(
      'after',
      `
Sets the reserved concurrency of each function that serves an endpoint to 0.
Requests that have begun end within ten seconds. A deployment does not undo it.

Example:
  npm run admin -- service stop --stack lead-service-production`,
    )
    .action(() => stopService(context));
  service
    .command('start')
    .description('allow the requests of a deployed service again')
    .addHelpText(
      'after',
      `
Removes the reserved concurrency of each function that serves an endpoint.

Example:
  npm run admin -- service start --stack lead-service-production`,
    )
    .action(() => startService(context));
}

async function stopService(context: CommandContext): Promise<void> {
  const { PutFunctionConcurrencyCommand } = await import('@aws-sdk/client-lambda');
  const names = await changeFunctions(context, 'Stopping', (lambda, functionName) =>
    lambda.send(
      new PutFunctionConcurrencyCommand({
        FunctionName: functionName,
        ReservedConcurrentExecutions: 0,
      }),
    ),
  );
  context.print(
    { stopped: names },
    () =>
      `Stopped: ${countOf(names.length, 'function')} of stack ${serviceIn(context).stack}. Wait ten seconds for requests that have begun. To start again: npm run admin -- service start --stack ${serviceIn(context).stack}`,
  );
}

async function startService(context: CommandContext): Promise<void> {
  const { DeleteFunctionConcurrencyCommand } = await import('@aws-sdk/client-lambda');
  const names = await changeFunctions(context, 'Starting', (lambda, functionName) =>
    lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: functionName })),
  );
  context.print(
    { started: names },
    () => `Started: ${countOf(names.length, 'function')} of stack ${serviceIn(context).stack}.`,
  );
}

/** Changes every function of the stack. It can be run again after a failure. @returns the endpoints' names */
async function changeFunctions(
  context: CommandContext,
  verb: string,
  change: (lambda: LambdaClient, functionName: string) => Promise<unknown>,
): Promise<string[]> {
  const { stack, functions } = serviceIn(context);
  if (functions.size === 0)
    throw new CommandError(
      `The outputs of stack ${stack} name no functions: run the command from the release that is deployed.`,
    );
  const names = [...functions.values()];
  const { LambdaClient: Client } = await import('@aws-sdk/client-lambda');
  const lambda = new Client({});
  try {
    let done = 0;
    for (let first = 0; first < names.length; first += changesAtOnce) {
      await Promise.all(
        names.slice(first, first + changesAtOnce).map(async (functionName) => {
          await change(lambda, functionName);
          done += 1;
          context.progress(`${verb}: ${done} of ${countOf(names.length, 'function')}`);
        }),
      );
    }
    return [...functions.keys()];
  } finally {
    lambda.destroy();
  }
}

function serviceIn(context: CommandContext): ServiceLocation {
  const service = context.deployed();
  if (service === undefined)
    throw new CommandError(
      'Name the deployed service with --stack NAME: a local service stops with Ctrl-C.',
    );
  return service;
}
