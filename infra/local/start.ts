import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from 'commander';
import { CliCommand } from '../cli/command.ts';
import { banner } from './banner.ts';
import { type Service, startService } from './service.ts';
import { StartError } from './start-error.ts';

interface Options {
  port: number;
  db: string;
  engine: string;
  organization?: string[];
  json?: boolean;
  gatewayLimits?: boolean;
}

const program = new CliCommand('npm start --')
  .description('run the lead management service on this machine: the functions that would be deployed, on a DynamoDB engine')
  .option('--port <N>', 'port on 127.0.0.1; 0 picks a free one', parsePort, 4010)
  .option('--db <PATH>', 'folder that keeps the data between runs; :memory: keeps nothing', '.local')
  .option('--engine <ENGINE>', 'DynamoDB engine: auto, dynoxide, dynamodb-local or an address', 'auto')
  .option('--organization <FILE>', 'apply this settings file at start (repeatable; none: a demo organization)', collect)
  .option('--json', 'print one ready line on stdout, all else on stderr')
  .option('--gateway-limits', 'refuse, as API Gateway does, a request line and headers of more than 10240 bytes')
  .allowExcessArguments(false)
  .addHelpText(
    'after',
    `
Paths are relative to the project's folder.

Examples:
  npm start
  npm start -- --port 0 --db :memory: --json
  npm start -- --organization northwind.json --organization contoso.json
  npm start -- --engine dynamodb-local
  npm start -- --engine http://127.0.0.1:8000`,
  );
program.parse();
const options = program.opts<Options>();

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
  return port;
}

function collect(file: string, files: readonly string[] = []): string[] {
  return [...files, file];
}

// A terminal or a launcher that is gone must not keep the service from ending well.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);

const starting = startService({
  port: options.port,
  db: options.db,
  engine: options.engine,
  organizations: options.organization ?? [],
  gatewayLimits: options.gatewayLimits === true,
  tell,
  output: process.stderr,
});

const startingWithinMs = 2000;
let ending = false;
/** Ends once, however often it is asked: Ctrl-C reaches this process from the terminal and from its launcher. */
async function end(status: number): Promise<void> {
  if (ending) return;
  ending = true;
  // What is still starting has nothing to lose; its engine ends with this process.
  const service = await Promise.race([starting.catch(() => undefined), sleep(startingWithinMs)]);
  await service?.stop();
  process.exit(status);
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end(0));
// The launcher is gone, however it went.
process.on('disconnect', () => void end(0));

try {
  announce(await starting);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  tell(error.message);
  process.exit(1);
}

function announce(service: Service): void {
  if (ending) return;
  void service.engineDied.then((words) => {
    tell(`The engine ${service.engineName} ended by itself${words ? ` (${words})` : ''}: start the service again.`);
    void end(1);
  });
  const { baseUrl, environment } = service;
  const organizations = service.organizations.map(({ id, keys }) => ({ id, keys }));
  const line = JSON.stringify({ ready: true, baseUrl, organizations, environment });
  process.stdout.write(options.json ? `${line}\n` : banner(service, options.db));
}
