import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { GivenOrganization } from '../organizations.ts';
import { freePort } from '../service-process.ts';
import type { Post, Recipe, Site } from './recipes.ts';

export interface Printed {
  readonly status: number;
  readonly text: string;
}

/** A recipe at work. */
export class Website {
  readonly recipe: Recipe;
  readonly site: Site;
  readonly organization: GivenOrganization;
  readonly statuses: number[] = [];
  /** What it said at the limit, about a refused enquiry, and about a late one. */
  readonly printed: Printed[] = [];
  phoneSentence = '';
  requestsAtLimit = 0;
  #server: ChildProcess | undefined;

  constructor(recipe: Recipe, site: Site, organization: GivenOrganization) {
    this.recipe = recipe;
    this.site = site;
    this.organization = organization;
  }

  get #options() {
    const { folder, environment } = this.site;
    return { cwd: folder, env: { ...process.env, ...environment } };
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.site.port}/${path}`;
  }

  async serve(): Promise<void> {
    const [command, ...args] = this.recipe.serve?.(this.site) ?? [];
    if (command === undefined) return;
    const server = spawn(command, args, { ...this.#options, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server = server;
    let printed = '';
    server.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    const answers = async (): Promise<boolean> => {
      if (server.exitCode !== null) throw new Error(`${this.recipe.name} ended: ${printed}`);
      const head = fetch(this.url('nothing'), { method: 'HEAD' });
      return head.then(
        () => true,
        () => false,
      );
    };
    await vi.waitUntil(answers, { timeout: 60_000 });
  }

  async kill(): Promise<void> {
    if (!this.#server || this.#server.exitCode !== null) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGKILL');
    await ended;
    this.#server = undefined;
  }

  /** Posts the form as a browser does. */
  async submit(post: Post, path = ''): Promise<string> {
    if (this.recipe.submit) {
      await this.recipe.submit(this.site, post);
      return '';
    }
    const body = new URLSearchParams(post);
    const response = await fetch(this.url(path), { method: 'POST', body });
    this.statuses.push(response.status);
    return response.text();
  }

  cron(): Promise<Printed> {
    return this.#run(this.recipe.cron(this.site));
  }

  report(): Promise<Printed> {
    return this.#run((this.recipe.report ?? this.recipe.cron)(this.site));
  }

  again(id: string): Promise<Printed> {
    return this.#run(this.recipe.again(this.site, id));
  }

  async #run([command = '', ...args]: readonly string[]): Promise<Printed> {
    return new Promise((settle) => {
      execFile(command, args, this.#options, (error, stdout, stderr) =>
        settle({ status: Number(error?.code ?? 0), text: stderr + stdout }),
      );
    });
  }
}

/** Where a test's recipes are, and what they call. */
export interface Host {
  readonly folder: string;
  readonly examples: string;
  readonly serviceUrl: string;
}

export async function openWebsite(
  recipe: Recipe,
  organization: GivenOrganization,
  { folder, examples, serviceUrl }: Host,
): Promise<Website> {
  const own = join(folder, recipe.name.replaceAll(' ', '-'));
  const outbox = join(own, 'outbox');
  const environment = {
    LEADS_URL: serviceUrl,
    LEADS_API_KEY: organization.website,
    OUTBOX: outbox,
    CRON_SECRET: 'secret',
    SITE: 'https://www.example.com',
    PLUGIN: join(examples, 'wordpress', 'lead-service.php'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const site = { folder: own, examples, outbox, port: await freePort(), environment };
  await mkdir(own, { recursive: true });
  await recipe.install?.(site);
  return new Website(recipe, site, organization);
}
