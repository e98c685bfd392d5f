import { clientSettings } from '../../cli/aws.ts';
import { type CliCommand, CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import type { CommandContext } from '../context.ts';

const commands = {
  stop: {
    description: 'stop all requests of a deployed service; callers get 500 until service start',
    does: `Sets the reserved concurrency of each function that serves an endpoint to 0.
Requests that have begun end within ten seconds. A deployment does not undo it.`,
  },
  start: {
    description: 'allow the requests of a deployed service again',
    does: 'Removes the reserved concurrency of each function that serves an endpoint.',
  },
} as const;

export function serviceCommands(program: CliCommand, context: CommandContext): void {
  const service = program
    .command('service')
    .description('stop and start a deployed service, such as during a restore');
  for (const name of ['stop', 'start'] as const) {
    const { description, does } = commands[name];
    const example = `npm run admin -- service ${name} --stack lead-service-production`;
    service
      .command(name)
      .description(description)
      .notes(`\n${does}\n\nExample:\n  ${example}`)
      .action(() => changeFunctions(context, name));
  }
}

/** Stops or starts every function of the stack, one after the other. It can be run again after a failure. */
async function changeFunctions(
  context: CommandContext,
  command: keyof typeof commands,
): Promise<void> {
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
  try {
    for (const [endpoint, FunctionName] of functions) {
      if (command === 'stop')
        await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ...stop }));
      else await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
      names.push(endpoint);
      context.progress(`${command}: ${names.length} of ${countOf(functions.size, 'function')}`);
    }
  } finally {
    lambda.destroy();
  }
  const changed = `${countOf(names.length, 'function')} of stack ${stack}.`;
  if (command === 'start') return context.print({ started: names }, () => `Started: ${changed}`);
  const wayBack = `npm run admin -- service start --stack ${stack}`;
  context.print(
    { stopped: names },
    () =>
      `Stopped: ${changed} Wait ten seconds for requests that have begun. To start again: ${wayBack}`,
  );
}
