import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { node24, projectFolder } from '../service-process.ts';

/** The recipes of test/examples/, and how each is installed, served and run by cron. */

const run = promisify(execFile);
const examples = join(projectFolder, 'test', 'examples');
const hosts = import.meta.dirname;

/** A recipe in a folder of its own, with a website's environment. */
export interface Site {
  readonly folder: string;
  readonly outbox: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Recipe {
  readonly name: string;
  /** What its interpreter lacks on this machine, and the remedy; undefined if it runs. */
  readonly missing: string | undefined;
  /** Puts the recipe into the site's folder. */
  install?(site: Site, clientPackage: string): Promise<void>;
  /** The command that serves the form; none for a recipe without a server. */
  serve?(site: Site): readonly string[];
  /** The command that cron runs. */
  cron(site: Site): readonly string[];
  /** It keeps the client's outbox, which waits for `Retry-After`. The others end a run of cron at 429. */
  readonly hasOutbox?: true;
  /** Takes an enquiry where nothing is served. */
  submit?(site: Site, post: Readonly<Record<string, string>>): Promise<void>;
}

const answers = (command: readonly string[]): boolean =>
  spawnSync(command[0] ?? '', command.slice(1)).status === 0;

const php = answers([
  'php',
  '-r',
  'exit(function_exists("curl_init") && function_exists("mb_substr") ? 0 : 1);',
])
  ? undefined
  : 'PHP with curl and mbstring (apt-get install php-cli php-curl php-mbstring)';
const python = answers(['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'])
  ? undefined
  : 'Python 3.9 (apt-get install python3)';
const djangoPython = ['python3', '/usr/bin/python3'].find((one) =>
  answers([one, '-c', 'import django']),
);
const jq = answers(['jq', '--version']) && answers(['curl', '--version']);

const fetchRecipe = (name: string, platform: 'next' | 'edge', file: string): Recipe => ({
  name,
  missing: undefined,
  hasOutbox: true,
  async install({ folder }, clientPackage) {
    const target = join(folder, 'node_modules', 'lead-service-client');
    await mkdir(target, { recursive: true });
    await run('tar', ['-xzf', clientPackage, '-C', target, '--strip-components=1']);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await cp(join(examples, file), join(folder, 'recipe.ts'));
  },
  serve: ({ folder, port }) => [
    node24,
    join(hosts, 'fetch-host.ts'),
    platform,
    join(folder, 'recipe.ts'),
    String(port),
  ],
  cron: ({ port, environment }) => [
    'curl',
    '-sf',
    '-H',
    `Authorization: Bearer ${environment.CRON_SECRET}`,
    `http://127.0.0.1:${port}/__scheduled`,
  ],
});

const enquiryPhp = join(examples, 'php', 'enquiry.php');
const wordpressHost = join(hosts, 'wordpress-host.php');
const enquiryPython = join(examples, 'python', 'enquiry.py');

export const recipes: readonly Recipe[] = [
  {
    name: 'plain PHP',
    missing: php,
    serve: ({ port }) => ['php', '-S', `127.0.0.1:${port}`, enquiryPhp],
    cron: () => ['php', enquiryPhp, 'send'],
  },
  {
    name: 'the WordPress plugin',
    missing: php,
    serve: ({ port }) => ['php', '-S', `127.0.0.1:${port}`, wordpressHost],
    cron: () => ['php', wordpressHost, 'send'],
  },
  {
    name: 'plain Python',
    missing: python,
    serve: ({ port }) => ['python3', enquiryPython, 'serve', String(port)],
    cron: () => ['python3', enquiryPython, 'send'],
  },
  {
    name: 'Django',
    missing: djangoPython ? undefined : 'Django (apt-get install python3-django)',
    async install({ folder }) {
      await cp(join(examples, 'django', 'leads'), join(folder, 'leads'), { recursive: true });
      await cp(enquiryPython, join(folder, 'leads', 'enquiry.py'));
      await cp(join(hosts, 'django-site.py'), join(folder, 'manage.py'));
    },
    serve: ({ folder, port }) => [
      djangoPython ?? '',
      join(folder, 'manage.py'),
      'runserver',
      String(port),
      '--noreload',
    ],
    cron: ({ folder }) => [djangoPython ?? '', join(folder, 'manage.py'), 'send_enquiries'],
  },
  fetchRecipe('Next.js', 'next', 'nextjs/route.ts'),
  fetchRecipe('the edge', 'edge', 'edge/worker.ts'),
  {
    name: 'curl',
    missing: jq ? undefined : 'curl and jq (apt-get install curl jq)',
    cron: ({ outbox }) => ['sh', join(examples, 'curl', 'send.sh'), outbox],
    async submit({ outbox }, { view, ...post }) {
      const { name, phone, email, notes, ...fields } = post;
      const own = Object.keys(fields).length > 0 && { fields };
      const text = JSON.stringify({ name, phone, email, notes, ...own });
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
    hasOutbox: true, // it sends by itself, and waits for `Retry-After`
    serve: ({ port }) => ['env', `PORT=${port}`, node24, join(examples, 'form-backend.ts')],
    cron: () => ['true'],
    async submit({ port }, { view, ...post }) {
      const { name, phone, email, notes, ...fields } = post;
      const own = Object.keys(fields).length > 0 && { fields };
      const body = JSON.stringify({ submission: view, name, phone, email, notes, ...own });
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      if (status !== 202) throw new Error(`The form backend answered ${status}.`);
    },
  },
];

/** The enquiries that a site keeps: those that wait, and those that a person has to look at. */
export async function keptBy({ outbox }: Site): Promise<{ waiting: number; refused: number }> {
  const names = async (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
  const isRefused = async (name: string): Promise<boolean> =>
    name.startsWith('enquiry_refused_') || (await stateIn(join(outbox, name))) === 'refused';
  const own = (await names(outbox)).filter((name) => /^[^.].*\.(json|option)$/.test(name));
  const refused = (await Promise.all(own.map(isRefused))).filter(Boolean).length;
  return {
    waiting: own.length - refused,
    refused: refused + (await names(join(outbox, 'refused'))).length,
  };
}

/** The state of an entry of the client's outbox; undefined for another file, and for one that is gone. */
async function stateIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')).state;
  } catch {
    return undefined;
  }
}
