import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { adminJson } from '../../../support/admin.ts';
import { storedLeads } from '../../../support/leads.ts';
import type { GivenOrganization } from '../../../support/organizations.ts';
import {
  freePort,
  type Program,
  runProgram,
  startProgram,
} from '../../../support/service-process.ts';
import { keptBy, type Post, type Recipe, type Site } from './recipes.ts';

export interface Printed {
  readonly status: number | null;
  readonly text: string;
}

/** A lead as it is stored, with the enquiries on its timeline. */
export interface Person {
  readonly lead: { readonly fields?: { readonly name?: string; readonly phone?: string } };
  readonly timeline: {
    readonly notes?: string;
    readonly attribution?: Readonly<Record<string, string>>;
  }[];
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
  #server: Program | undefined;

  constructor(recipe: Recipe, site: Site, organization: GivenOrganization) {
    this.recipe = recipe;
    this.site = site;
    this.organization = organization;
  }

  get #options() {
    const { folder, environment } = this.site;
    return { cwd: folder, env: { ...process.env, ...environment } };
  }

  /** What its server has printed on stderr. */
  get log(): string {
    return this.#server?.printed.stderr ?? '';
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.site.port}/${path}`;
  }

  async serve(): Promise<void> {
    const [command, ...args] = this.recipe.serve?.(this.site) ?? [];
    if (command === undefined) return;
    const server = startProgram(command, args, this.#options);
    this.#server = server;
    const answers = async (): Promise<boolean> => {
      if (server.child.exitCode !== null)
        throw new Error(`${this.recipe.name} ended: ${server.printed.stderr}`);
      const head = fetch(this.url('nothing'), { method: 'HEAD' });
      return head.then(
        () => true,
        () => false,
      );
    };
    await vi.waitUntil(answers, { timeout: 60_000 });
  }

  async kill(): Promise<void> {
    this.#server?.child.kill('SIGKILL');
    await this.#server?.ended;
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

  async isDelivered(): Promise<boolean> {
    await this.cron();
    return (await keptBy(this.site)).waiting === 0;
  }

  async people(): Promise<readonly Person[]> {
    return (await storedLeads(this.organization)) as Person[];
  }

  /** The phones that `lead list` shows with each value of an option. */
  phonesBy(option: string, values: readonly string[]): Promise<string[][]> {
    const list = ['lead', 'list', '--organization', String(this.organization.id), option];
    const phonesOf = async (value: string): Promise<string[]> =>
      (await adminJson(...list, value)).items.map(({ phone }: { phone: string }) => phone);
    return Promise.all(values.map(phonesOf));
  }

  async #run([command = '', ...args]: readonly string[]): Promise<Printed> {
    const { status, stdout, stderr } = await runProgram(command, args, this.#options);
    return { status, text: stderr + stdout };
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
    LEADS_URL: `${serviceUrl}/`,
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
