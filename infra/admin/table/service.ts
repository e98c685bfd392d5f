import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';

export function serviceCommands(program: CliCommand, context: CommandContext): void {
  const service = program
    .command('service')
    .description('stop and start a deployed service, as during a restore');
  service
    .command('stop')
    .description('stop all requests of a deployed service; callers get 500 until service start')
    .notes(`
Sets the reserved concurrency of each function that serves an endpoint to 0.
Requests that have begun end within ten seconds. A deployment does not undo it.

Example:
  npm run admin -- service stop --stack lead-service-production`)
    .action(() => stopService(context));
  service
    .command('start')
    .description('allow the requests of a deployed service again')
    .notes(`
Removes the reserved concurrency of each function that serves an endpoint.

Example:
  npm run admin -- service start --stack lead-service-production`)
    .action(() => startService(context));
}

async function stopService(context: CommandContext): Promise<void> {
  const { stack, names: stopped } = await changeFunctions(context, 'Stopping');
  context.print(
    { stopped },
    () =>
      `Stopped: ${countOf(stopped.length, 'function')} of stack ${stack}. Wait ten seconds for requests that have begun. To start again: npm run admin -- service start --stack ${stack}`,
  );
}

async function startService(context: CommandContext): Promise<void> {
  const { stack, names: started } = await changeFunctions(context, 'Starting');
  context.print(
    { started },
    () => `Started: ${countOf(started.length, 'function')} of stack ${stack}.`,
  );
}

/** Stops or starts every function of the stack, one after the other. It can be run again after a failure. @returns the endpoints' names */
async function changeFunctions(
  context: CommandContext,
  verb: 'Stopping' | 'Starting',
): Promise<{ stack: string; names: readonly string[] }> {
  const { stack, functions } = context.deployed('a local service stops with Ctrl-C.');
  if (functions.size === 0)
    throw new CommandError(
      `The outputs of stack ${stack} name no functions: run the command from the release that is deployed.`,
    );
  const { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } =
    await import('@aws-sdk/client-lambda');
  const lambda = new LambdaClient({});
  const stop = { ReservedConcurrentExecutions: 0 };
  try {
    const names: string[] = [];
    for (const [endpoint, FunctionName] of functions) {
      if (verb === 'Stopping')
        await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ...stop }));
      else await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
      names.push(endpoint);
      context.progress(`${verb}: ${names.length} of ${countOf(functions.size, 'function')}`);
    }
    return { stack, names };
  } finally {
    lambda.destroy();
  }
}
