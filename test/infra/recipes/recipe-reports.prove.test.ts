import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import type { GivenOrganization } from '../../support/organizations.ts';
import { projectFolder, runProgram } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import { keptBy, type Recipe, recipes } from './hosts/recipes.ts';
import { person } from './hosts/visitors.ts';
import { openWebsite, Website } from './hosts/website.ts';

/** What a recipe tells its owner. The service is a stand-in; websites.integration.test.ts says which recipes this machine lacks. */

const files = useFolder();
const ofFolders = recipes.filter(
  ({ name, missing }) => /^(plain|curl)/.test(name) && missing === undefined,
);
const ofServers = ofFolders.filter(({ serve }) => serve);

const unknownField = { fields: { intrest: 'is not' }, reasons: { intrest: 'unknown_field' } };

/** A website whose service refuses the field `intrest`, or answers every request with a status and a code. */
async function givenWebsite(recipe: Recipe, refusal?: [number, string]): Promise<Website> {
  const server = createServer(async (request, response) => {
    const { fields = {} } = JSON.parse(await text(request));
    const [status, code] = refusal ?? (fields.intrest ? [422, 'VALIDATION_FAILED'] : [201, '']);
    const details = status === 422 ? unknownField : undefined;
    response.writeHead(status).end(JSON.stringify({ error: { code, details } }));
  });
  const serviceUrl = `http://127.0.0.1:${await listen(server, 0)}`;
  const examples = join(projectFolder, 'infra', 'recipes');
  const organization = { website: 'leads_live_key' } as GivenOrganization;
  const host = { folder: files.newFolder('website'), examples, serviceUrl };
  const website = await openWebsite(recipe, organization, host);
  onTestFinished(async () => {
    await website.kill();
    server.close();
  });
  return website;
}

test.for(ofFolders)(
  'cron’s run names a field key that the organization does not have, for an hour: $name',
  async (recipe) => {
    const website = await givenWebsite(recipe);
    const file = join(website.site.outbox, 'unmatched-inputs');
    const said = {
      status: 1,
      text: 'intrest is not a field that a form can fill: correct the form, or add the field.\n',
    };
    if (recipe.serve) await website.serve();
    await website.submit({ ...person(1), intrest: 'Abroad' });

    const runs = [await website.cron(), await website.cron()];
    const old = (await files.read(file)).replace(
      /\d{10}(\.\d+)?/,
      String(Date.now() / 1000 - 3601),
    );
    await writeFile(file, old);

    expect([...runs, await website.cron()]).toEqual([said, said, { status: 0, text: '' }]);
    expect(await keptBy(website.site)).toEqual({ waiting: 0, refused: 0 });
  },
);

/** How long a web server may take to write a line of its log, on a busy machine. */
const within = { timeout: 20_000 };

test.for(ofServers)(
  'the web process says at once that its key is refused, at most once a minute: $name',
  async (recipe) => {
    const website = await givenWebsite(recipe, [401, 'UNAUTHORIZED']);
    const lines = () =>
      website.log.match(/refuses this website: 401 UNAUTHORIZED\. .*LEADS_API_KEY/g);
    await website.serve();

    for (const index of [1, 2]) await website.submit(person(index));
    await expect.poll(lines, within).toHaveLength(1);
    await writeFile(join(website.site.outbox, 'key-refused'), '0'); // when it was last said
    await website.submit(person(3));

    await expect.poll(lines, within).toHaveLength(2);
    expect(website.statuses).toEqual([200, 200, 200]);
  },
);

const bare = (await runProgram('php', ['-n', '-m']).catch(() => undefined))?.stdout ?? 'mbstring';

test.skipIf(/^(curl|mbstring)$/m.test(bare))(
  'PHP that lacks extensions names them, sends nothing, and thanks nobody',
  async () => {
    const [php] = ofServers.filter(({ name }) => name === 'plain PHP');
    if (!php?.serve) throw new Error('php runs, but the recipe for plain PHP does not.');
    const without = (command: readonly string[]) => ['php', '-n', ...command.slice(1)];
    const serve: Recipe['serve'] = (site) => without(php.serve?.(site) ?? []);
    const website = await givenWebsite({ ...php, serve, cron: (site) => without(php.cron(site)) });
    await website.serve();

    await website.submit(person(1));

    const sentence = 'PHP lacks the extension curl, mbstring: install and enable it.';
    expect(await website.cron()).toEqual({ status: 2, text: `${sentence}\n` });
    await expect.poll(() => website.log, within).toContain(sentence);
    expect(website.statuses).toEqual([500]);
  },
);

test.for(ofServers.filter(({ name }) => name === 'plain PHP'))(
  'an OUTBOX that cannot be made is named to the owner, and no visitor is thanked: $name',
  async (recipe) => {
    const { site, organization } = await givenWebsite(recipe);
    await writeFile(join(site.folder, 'file'), '');
    const environment = { ...site.environment, OUTBOX: join(site.folder, 'file', 'outbox') };
    const website = new Website(recipe, { ...site, environment }, organization);
    onTestFinished(() => website.kill());
    await website.serve();
    await website.submit(person(1));

    expect(website.statuses).toEqual([500]);
    expect(await website.cron()).toEqual({
      status: 2,
      text: `${environment.OUTBOX}/refused cannot be written: let this user create and write OUTBOX.\n`,
    });
  },
);
