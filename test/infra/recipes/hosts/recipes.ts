import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { node24, projectFolder } from '../../../support/service-process.ts';

/** The recipes of infra/recipes/, and how each is installed, served and run by cron. */

const run = promisify(execFile);
const hosts = import.meta.dirname;

/** A website's environment, and a copy of the recipes. */
export interface Site {
  readonly folder: string;
  readonly examples: string;
  readonly outbox: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
}

export type Post = Readonly<Record<string, string>>;

export interface Recipe {
  readonly name: string;
  /** What its interpreter lacks on this machine, and the remedy; undefined if it runs. */
  readonly missing: string | undefined;
  install?(site: Site): Promise<void>;
  /** The command that serves the form; none for a recipe without a server. */
  serve?(site: Site): readonly string[];
  /** The path at which it shows form.html, if it does. */
  readonly form?: string;
  /** The command that cron runs. */
  cron(site: Site): readonly string[];
  /** The command that says what a person has to do, where cron's run does not. */
  report?(site: Site): readonly string[];
  /** The command that sends a refused enquiry again. @param id of `keepLate` */
  again(site: Site, id: string): readonly string[];
  /** It keeps the client's outbox, which waits for `Retry-After`. The others end a run of cron at 429. */
  readonly hasOutbox?: true;
  /** Takes an enquiry where nothing is served. */
  submit?(site: Site, post: Post): Promise<void>;
}

/** Copies the recipes as a developer does, for a country and a source of leads. @returns their folder */
export async function copyRecipes(
  root: string,
  clientPackage: string,
  { country, source }: { readonly country: string; readonly source: string },
): Promise<string> {
  const examples = join(root, 'infra', 'recipes');
  await cp(join(projectFolder, 'infra', 'recipes'), examples, { recursive: true });
  await symlink(join(projectFolder, 'shared'), join(root, 'shared')); // form-backend.ts takes the client from there
  const client = join(root, 'node_modules', 'lead-service-client');
  await mkdir(client, { recursive: true });
  await run('tar', ['-xzf', clientPackage, '-C', client, '--strip-components=1']);
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await cp(join(examples, 'form.html'), join(examples, 'wordpress', 'form.html'));
  for (const name of constantFiles) {
    const text = await readFile(join(examples, name), 'utf8');
    const constants = /(COUNTRY ?= ?['"]?)\+91(.*?SOURCE ?= ?['"])/is;
    if (!constants.test(text)) throw new Error(`${name} lacks a country, or a source after it.`);
    await writeFile(join(examples, name), text.replace(constants, `$1${country}$2${source}`));
  }
  return examples;
}
const constantFiles = [
  'php/enquiry.php',
  'wordpress/lead-service.php',
  'python/enquiry.py',
  'form.ts',
  'curl/send.sh',
];

const answers = (command: readonly string[]): boolean =>
  spawnSync(command[0] ?? '', command.slice(1)).status === 0;

const hasCurl = 'exit(function_exists("curl_init") && function_exists("mb_substr") ? 0 : 1);';
const missingPhp = answers(['php', '-r', hasCurl])
  ? undefined
  : 'PHP with curl and mbstring (apt-get install php-cli php-curl php-mbstring)';
const missingPython = answers(['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
  ? undefined
  : 'Python 3.9 (apt-get install python3)';
const djangoPython = ['python3', '/usr/bin/python3'].find((one) =>
  answers([one, '-c', 'import django']),
);
const jq = answers(['jq', '--version']) && answers(['curl', '--version']);

/** Curl, as cron calls it: the status is not 0 for a response that is an error. */
const curl = ({ port, environment }: Site, path: string): readonly string[] => [
  ...['curl', '-sS', '--fail-with-body'],
  ...['-H', `Authorization: Bearer ${environment.CRON_SECRET}`],
  `http://127.0.0.1:${port}/${path}`,
];

const fetchRecipe = (name: string, platform: 'next' | 'edge', file: string): Recipe => ({
  name,
  missing: undefined,
  hasOutbox: true,
  serve: ({ examples, port }) => {
    const recipe = join(examples, file);
    return [node24, join(hosts, 'fetch-host.ts'), platform, recipe, String(port)];
  },
  cron: (site) => curl(site, '__scheduled'),
  again: (site, id) => curl(site, `?again=${id}`),
});

/** A command of a recipe, which a site has a copy of. */
type Command = (site: Site, ...args: readonly string[]) => readonly string[];
const wordpressHost = join(hosts, 'wordpress-host.php');
const enquiryPython = ({ examples }: Site): string => join(examples, 'python', 'enquiry.py');
const managePython = ({ folder }: Site): string => join(folder, 'manage.py');
const php: Command = (site, ...args) => ['php', join(site.examples, 'php', 'enquiry.php'), ...args];
const python: Command = (site, ...args) => ['python3', enquiryPython(site), ...args];
const django: Command = (site, ...args) => [djangoPython ?? '', managePython(site), ...args];
const sendSh: Command = ({ examples, outbox }, ...args) => [
  ...['sh', join(examples, 'curl', 'send.sh'), outbox],
  ...args,
];
const formBackend: Command = ({ examples }, ...args) => [
  ...[node24, join(examples, 'form-backend.ts')],
  ...args,
];
/** The outbox waits for minutes after a failure; `again` does not. */
const resendAll = `cd "$1" && exec ${node24} "$0/form-backend.ts" again $(ls | sed -n 's/[.]json$//p')`;
const refusedFile = ({ outbox }: Site, id: string): string => join(outbox, 'refused', `${id}.json`);

export const recipes: readonly Recipe[] = [
  {
    name: 'plain PHP',
    missing: missingPhp,
    serve: (site) => ['php', '-S', `127.0.0.1:${site.port}`, ...php(site).slice(1)],
    cron: (site) => php(site, 'send'),
    again: (site, id) => php(site, 'again', refusedFile(site, id)),
  },
  {
    name: 'the WordPress plugin',
    missing: missingPhp,
    serve: ({ port }) => ['php', '-S', `127.0.0.1:${port}`, wordpressHost],
    form: 'form',
    cron: () => ['php', wordpressHost, 'send'],
    report: (site) => curl(site, 'notices'),
    again: (site) => curl(site, 'again'),
  },
  {
    name: 'plain Python',
    missing: missingPython,
    serve: (site) => python(site, 'serve', String(site.port)),
    cron: (site) => python(site, 'send'),
    again: (site, id) => python(site, 'again', refusedFile(site, id)),
  },
  {
    name: 'Django',
    missing: djangoPython ? undefined : 'Django (apt-get install python3-django)',
    async install(site) {
      const app = join(site.folder, 'leads');
      await cp(join(site.examples, 'django', 'leads'), app, { recursive: true });
      await cp(enquiryPython(site), join(app, 'enquiry.py'));
      await cp(join(hosts, 'django-site.py'), managePython(site));
    },
    serve: (site) => django(site, 'runserver', String(site.port), '--noreload'),
    cron: (site) => django(site, 'send_enquiries'),
    again: (site, id) => django(site, 'send_enquiries', refusedFile(site, id)),
  },
  fetchRecipe('Next.js', 'next', 'nextjs/route.ts'),
  fetchRecipe('the edge', 'edge', 'edge/worker.ts'),
  {
    name: 'curl',
    missing: jq ? undefined : 'curl and jq (apt-get install curl jq)',
    cron: (site) => sendSh(site),
    again: (site, id) => sendSh(site, 'again', refusedFile(site, id)),
    async submit({ outbox }, { view, ...post }) {
      const { name, phone, email, source, notes, ...fields } = post;
      const own = Object.keys(fields).length > 0 && { fields };
      const text = JSON.stringify({ name, phone, email, source, notes, ...own });
      const key = createHash('sha256').update(`${view}${text}`).digest('hex');
      const part = join(outbox, `${randomUUID()}.part`);
      await mkdir(outbox, { recursive: true });
      await writeFile(part, text);
      await rename(part, join(outbox, `${key}.json`));
    },
  },
  {
    name: 'Node.js',
    missing: undefined,
    hasOutbox: true,
    form: '',
    serve: (site) => ['env', `PORT=${site.port}`, ...formBackend(site)],
    cron: (site) => ['sh', '-c', resendAll, site.examples, site.outbox],
    again: (site, id) => formBackend(site, 'again', id),
  },
];

/** Makes the one enquiry that waits so old that the service has forgotten its idempotency key. @returns its id for `again` */
export async function makeLate({ outbox }: Site): Promise<string> {
  const names = (await readdir(outbox)).filter((one) => /\.(json|option)$/.test(one));
  const texts = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
  const index = texts.findIndex((text, at) => !/refused_|"refused":\{"/.test(names[at] + text));
  const name = names[index] ?? '';
  const text = texts[index] ?? '';
  const file = join(outbox, name);
  const old = text
    .replace('"state":"waiting"', '"state":"given-up"') // of the client's outbox
    .replace(/s:2:"at";i:\d+/, 's:2:"at";i:0'); // of WordPress
  await writeFile(file, old);
  await utimes(file, 0, 0);
  return name.slice(0, name.lastIndexOf('.'));
}

/** The enquiries that a site keeps: those that wait, and those that a person has to look at. */
export async function keptBy({ outbox }: Site): Promise<{ waiting: number; refused: number }> {
  const names = async (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
  const own = (await names(outbox)).filter((name) => /^[^.].*\.(json|option)$/.test(name));
  // An entry may be gone by now.
  const texts = own.map((name) => readFile(join(outbox, name), 'utf8').catch(() => ''));
  const refused = (await Promise.all(texts)).filter(
    (text, at) =>
      own[at]?.startsWith('enquiry_refused_') || /"state":"(refused|given-up)"/.test(text),
  ).length;
  return {
    waiting: own.length - refused,
    refused: refused + (await names(join(outbox, 'refused'))).length,
  };
}
