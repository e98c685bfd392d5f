import { clientSettings } from '../../cli/aws.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';

export function serviceCommands(service: AdminCommand): void {
  service
    .command('stop')
    .description('stop all requests of a deployed service; callers get 500 until service start')
    .notes(`
Sets the reserved concurrency of each function that serves an endpoint to 0.
Requests that have begun end within ten seconds. A deployment does not undo it.`)
    .examples('--stack lead-service-production')
    .json('{"stopped":[…endpoints…]}')
    .run((context) => changeFunctions(context, 'stop'));
  service
    .command('start')
    .description('allow the requests of a deployed service again')
    .examples('--stack lead-service-production')
    .json('{"started":[…endpoints…]}')
    .run((context) => changeFunctions(context, 'start'));
}

/** Stops or starts every function of the stack, one after the other. Can be repeated after a failure. */
async function changeFunctions(context: CommandContext, command: 'stop' | 'start'): Promise<void> {
  const { stack, functions } = context.deployed('a local service stops with Ctrl-C.');
  if (functions.size === 0)
    throw new CommandError(
      `The outputs of stack ${stack} name no functions: run the command from the release that is deployed.`,
    );
  const { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } =
    await import('@aws-sdk/client-lambda');
  const lambda = new LambdaClient(clientSettings);
  const stop = { ReservedConcurrentExecutions: 0 };
  const names: string[] = [];
  for (const [endpoint, FunctionName] of functions) {
    if (command === 'stop')
      await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ...stop }));
    else await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    names.push(endpoint);
    context.progress(`${command}: ${names.length} of ${countOf(functions.size, 'function')}`);
  }
  const changed = `${countOf(names.length, 'function')} of stack ${stack}.`;
  if (command === 'start') return context.print({ started: names }, `Started: ${changed}`);
  const wayBack = `npm run admin -- service start --stack ${stack}`;
  context.print(
    { stopped: names },
    `Stopped: ${changed} Wait ten seconds for requests that have begun. To start again: ${wayBack}`,
  );
}
