import { relative, resolve } from 'node:path';
import { CliCommand, exitRefused } from '../../cli/command.ts';
import { integerOption, parseId } from '../../cli/options.ts';
import { whenToldToEnd } from '../../cli/parent.ts';
import { localFolder } from '../../local/running-service.ts';
import { DocsServer } from './server.ts';
import { writeSite } from './site.ts';

/** `npm run docs`. */
interface Options {
  port: number;
  organization?: number;
  out?: string;
}

const projectFolder = resolve(import.meta.dirname, '../../..');

const program = new CliCommand('npm run docs --')
  .description('show the API reference in the browser, or write it as a static site')
  .option('--port <N>', 'port on 127.0.0.1; 0 picks a free one', integerOption(0, 65_535), 4011)
  .option(
    '--organization <ID>',
    'the organization whose requests the page sends (default: the first)',
    parseId,
  )
  .option('--out <DIR>', 'write the site into this new or empty folder, and end')
  .notes(`
While the local service runs (npm start), the page sends requests to it, through its
own address, because the service has no CORS headers. They get an API key that has
every scope, expires after 12 hours, and is revoked when you stop the page. The site
that --out writes (index.html with its script and style, openapi.json and llms.txt)
sends none.

Examples:
  npm run docs
  npm run docs -- --organization 2
  npm run docs -- --out site`);

try {
  const { out, port, organization } = program.parse().opts<Options>();
  if (out === undefined) await serve(port, organization);
  else {
    const { folder, names } = writeSite(out);
    console.log(
      `Wrote ${names.length} files to ${folder}: open ${relative(projectFolder, folder) || '.'}/index.html.`,
    );
  }
} catch (error) {
  exitRefused(error);
}

async function serve(port: number, organizationId: number | undefined): Promise<void> {
  const server = new DocsServer(localFolder, organizationId);
  let ending = false;
  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    await server.stop();
    process.exit(0);
  };
  whenToldToEnd(() => void end());
  const address = await server.listen(port);
  console.log(`API reference: ${address}\nPress Ctrl-C to stop.`);
}
