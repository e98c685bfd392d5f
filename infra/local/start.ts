import { setTimeout as sleep } from 'node:timers/promises';
import { CliCommand, exitRefused, tell } from '../cli/command.ts';
import { integerOption, repeatedOption, textOption } from '../cli/options.ts';
import { whenToldToEnd } from '../cli/parent.ts';
import { isEngine } from './engine.ts';
import { defaultDataFolder, recordRunningService } from './running-service.ts';
import { type Service, startService } from './service.ts';
import { banner, requestLines } from './terminal.ts';

interface Options {
  port: number;
  db: string;
  engine: string;
  organization?: string[];
  json?: boolean;
  events?: string;
}

const program = new CliCommand('npm start --')
  .description(
    'run the lead management service on this machine: the functions that are deployed, with a local DynamoDB engine',
  )
  .option('--port <N>', 'port on 127.0.0.1; 0 picks a free one', integerOption(0, 65_535), 4010)
  .option(
    '--db <PATH>',
    'folder for the data; :memory: keeps the data only until the service stops',
    defaultDataFolder,
  )
  .option(
    '--engine <ENGINE>',
    'DynamoDB engine: auto, dynoxide, dynamodb-local or an address',
    textOption(isEngine, 'It must be auto, dynoxide, dynamodb-local or an address (http://…).'),
    'auto',
  )
  .option(
    '--organization <FILE>',
    'settings file to apply at start; may be repeated (default: a demo organization)',
    repeatedOption,
  )
  .option('--json', 'print one ready line (JSON) on stdout, and everything else on stderr')
  .option('--events <FILE>', 'append each event to this file, as the event bus would carry it')
  .notes(`
Paths are relative to the project folder.

The engine dynoxide is a native emulator on SQLite, an npm package for macOS and
Linux, x64 and ARM. dynamodb-local is AWS's own and needs Java 17. auto takes dynoxide
where its binary is found, else DynamoDB Local where java is. An address is that of
any DynamoDB endpoint.

Examples:
  npm start
  npm start -- --port 0 --db :memory: --json
  npm start -- --organization northwind.json --organization contoso.json
  npm start -- --engine dynamodb-local
  npm start -- --events events.jsonl
  npm start -- --engine http://127.0.0.1:8000`);
program.parse();
const options = program.opts<Options>();

// The service must end cleanly even if the terminal or npm is gone.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const starting = startService({
  ...options,
  organizations: options.organization ?? [],
  tell,
  output: process.stdout.isTTY && !options.json ? requestLines(process.stderr) : process.stderr,
});

const startingWithinMs = 2000;
let ending = false;
let forget = (): void => undefined;
/** Ends the process, once: Ctrl-C reaches it both from the terminal and from npm. */
async function end(status: number): Promise<void> {
  if (ending) return;
  ending = true;
  // A service that is still starting has no requests to finish, and its engine ends with this process.
  const service = await Promise.race([starting.catch(() => undefined), sleep(startingWithinMs)]);
  forget();
  await service?.stop();
  process.exit(status);
}
whenToldToEnd(() => void end(0));

try {
  announce(await starting);
} catch (error) {
  exitRefused(error);
}

function announce(service: Service): void {
  if (ending) return;
  const { engine, baseUrl } = service;
  const { name, environment } = engine;
  void engine.ended.then((lastOutput) => {
    if (ending) return;
    tell(
      `The engine ${name} ended by itself${lastOutput ? ` (${lastOutput})` : ''}: start the service again.`,
    );
    void end(1);
  });
  if (engine.dataFolder) forget = recordRunningService(engine.dataFolder, { baseUrl, environment });
  const organizations = service.organizations.map(({ id, keys }) => ({ id, keys }));
  const line = JSON.stringify({ ready: true, baseUrl, organizations, environment });
  process.stdout.write(options.json ? `${line}\n` : banner(service, options.db));
}
