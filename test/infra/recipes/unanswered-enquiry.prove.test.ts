import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { projectFolder, runProgram } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import { recipes } from './hosts/recipes.ts';

const files = useFolder();

/** The recipes whose outbox is a folder that cron sends; websites.integration.test.ts says which this machine lacks. */
const ofFolders = recipes.filter(
  ({ name, missing }) => /^(plain|curl)/.test(name) && missing === undefined,
);

/** A stand-in for the service that never answers the enquiry of one person. @returns its address */
async function givenService(unanswered: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const { name } = JSON.parse(await text(request));
    if (name === unanswered) response.destroy();
    else response.writeHead(201).end('{}');
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listen(server, 0)}`;
}

test.for(ofFolders)(
  'an enquiry without a response does not delay the others: $name',
  async (recipe) => {
    const folder = files.newFolder('outbox');
    const url = await givenService('a');
    const environment = { LEADS_URL: url, LEADS_API_KEY: 'leads_live_key', OUTBOX: folder };
    const examples = join(projectFolder, 'infra', 'recipes');
    const site = { folder, examples, outbox: folder, port: 0, environment };
    const [command = '', ...args] = recipe.cron(site);
    for (const name of ['a', 'b', 'c'])
      await writeFile(
        join(folder, `${name}.json`),
        JSON.stringify({ name, phone: '+91 98200 70000' }),
      );
    const waiting = async (): Promise<string[]> =>
      (await readdir(folder)).filter((name) => name.endsWith('.json'));

    for (let run = 0; run < 40 && (await waiting()).length > 1; run++)
      await runProgram(command, args, { env: { ...process.env, ...environment } });

    expect(await waiting()).toEqual(['a.json']);
  },
);
