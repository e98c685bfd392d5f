import { spawn } from 'node:child_process';
import { integerOption } from '../../cli/options.ts';
import { whenToldToEnd } from '../../cli/parent.ts';
import { findRunningService, localFolder } from '../../local/running-service.ts';
import type { AdminCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { failureText } from '../failure.ts';
import { importRateOf } from '../import/run.ts';
import { PageServer } from './server.ts';

interface OpenOptions {
  readonly port: number;
  readonly readOnly?: boolean;
}

export function openCommand(program: AdminCommand): void {
  program
    .command('open')
    .description(
      'serve a page for leads, keys, imports and settings in the browser of this machine',
    )
    .option('--port <N>', 'port on 127.0.0.1; 0 picks a free one', integerOption(0, 65_535), 4012)
    .option('--read-only', 'show everything and change nothing')
    .notes(`
The page acts with your rights, and your name is on timelines and in the audit log.
Its address works once, in the browser that opens it first. Ctrl-C ends it.`)
    .examples('', '--stack lead-service-production --read-only')
    .json('{"ready":true,"url":"http://127.0.0.1:4012/?token=…"}')
    .run(open);
}

async function open(context: CommandContext, options: OpenOptions): Promise<void> {
  const { port, readOnly: isReadOnly = false } = options;
  const { location } = context;
  const server = new PageServer({
    table: context.table(),
    pacedTable: context.pacedTable(),
    who: () => context.callerIdentity(),
    isReadOnly,
    importRate: importRateOf(context),
    commandEnd: location ? ` --stack ${location.stack}` : '',
    baseUrl: location?.baseUrl ?? (await findRunningService(localFolder))?.baseUrl ?? '$BASE_URL',
    failureText: (error) => failureText(error, context.environment),
  });
  const url = await server.listen(port);
  context.print({ ready: true, url }, `The page is at ${url}`, 'Press Ctrl-C to stop it.');
  if (process.stdout.isTTY) openBrowser(url);
  await new Promise<void>((end) => whenToldToEnd(end));
  for (const sentence of await server.stop()) context.note(sentence);
}

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

/** Opens the address. A machine without a browser is no failure, because the address is also printed. */
function openBrowser(url: string): void {
  const opener = spawn(openers[process.platform] ?? 'xdg-open', [url], {
    detached: true,
    stdio: 'ignore',
  });
  opener.on('error', () => undefined);
  opener.unref();
}
