import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildClient } from '../../infra/openapi/client/build.ts';
import { call } from '../support/call.ts';
import { storedLeads } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { keptBy, type Recipe, recipes, type Site } from '../support/recipes/recipes.ts';
import { freePort, projectFolder, racingWorkers } from '../support/service-process.ts';

/**
 * Every recipe meets the same visitors and the same faults, at the same time and at one service: the service is killed, the website is
 * killed, and the database carries out writes without an answer.
 */

const run = promisify(execFile);
type Post = Readonly<Record<string, string>>;

/** What a recipe did, for the tests below. */
interface Outcome {
  readonly statuses: number[];
  readonly phoneSentence: string;
  readonly notes: readonly unknown[];
  readonly refused: number;
  readonly requestsAtLimit: number;
}

const person = (index: number): Post => ({
  name: `Person ${index} आशा`,
  phone: `+919820${String(600_000 + index)}`,
  notes: `text ${index}`,
});
const wrongPhone: Post = { ...person(0), phone: 'none at all', view: 'v0' };
const beforeFaults: readonly Post[] = [{ ...person(1), view: 'v1' }];
const whileDown: readonly Post[] = [
  { ...person(2), view: 'v1' }, // a second person in the same view
  { ...person(3), view: 'v2' },
  { ...person(3), view: 'v2', notes: 'text 3, changed' }, // the visitor went back
  { ...person(3), view: 'v2' }, // a double click
  { ...person(3), view: 'v2, an hour later' }, // the form again: asked twice
  { ...person(5), view: 'v5', 'notes[]': 'text 5' }, // PHP reads a list where the recipe expects a text
  { name: 'Without notes', phone: '+919820699999', view: 'v4', email: 'nobody@' },
  { ...person(4), view: 'v3', email: 'nobody@', course: 'knitting', city: 'Pune' },
];
const expectedNotes = ['email: nobody@', 'text 1', 'text 2', 'text 3', 'text 3', 'text 3, changed'];

/** A recipe at work. */
class Website {
  readonly recipe: Recipe;
  readonly site: Site;
  readonly organization: GivenOrganization;
  readonly statuses: number[] = [];
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

  async serve(): Promise<void> {
    const [command, ...args] = this.recipe.serve?.(this.site) ?? [];
    if (command === undefined) return;
    const server = spawn(command, args, { ...this.#options, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#server = server;
    let printed = '';
    server.stderr.on('data', (chunk) => {
      printed += chunk;
    });
    const address = `http://127.0.0.1:${this.site.port}/nothing`;
    const answers = async (): Promise<boolean> => {
      if (server.exitCode !== null) throw new Error(`${this.recipe.name} ended: ${printed}`);
      const head = fetch(address, { method: 'HEAD' });
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
  async submit(post: Post): Promise<string> {
    if (this.recipe.submit) {
      await this.recipe.submit(this.site, post);
      return '';
    }
    const body = new URLSearchParams(post);
    const response = await fetch(`http://127.0.0.1:${this.site.port}/`, { method: 'POST', body });
    this.statuses.push(response.status);
    return response.text();
  }

  async cron(): Promise<void> {
    const [command = '', ...args] = this.recipe.cron(this.site);
    await run(command, args, this.#options);
  }
}

const served = recipes.filter(({ name, missing }) => {
  if (missing !== undefined)
    process.stderr.write(
      `\nWARNING: the recipe for ${name} is not tested: install ${missing}.\n\n`,
    );
  return missing === undefined;
});
/** In any order: the service does not name refused fields in the order of the form. */
const linesOf = (notes: unknown): string[] => String(notes).split(/\n+/).sort();

const outcomes = new Map<string, Outcome>();
let folder: string;
let service: OwnService;
let websites: Website[] = [];

async function openWebsite(recipe: Recipe, clientPackage: string): Promise<Website> {
  const organization = await givenOrganization();
  const own = join(folder, recipe.name.replaceAll(' ', '-'));
  const outbox = join(own, 'outbox');
  const environment = {
    LEADS_URL: service.baseUrl,
    LEADS_API_KEY: organization.website,
    OUTBOX: outbox,
    CRON_SECRET: 'secret',
    SITE: 'https://www.example.com',
    PLUGIN: join(projectFolder, 'test', 'examples', 'wordpress', 'lead-service.php'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const site = { folder: own, outbox, port: await freePort(), environment };
  await mkdir(own, { recursive: true });
  await recipe.install?.(site, clientPackage);
  return new Website(recipe, site, organization);
}

async function each(work: (website: Website) => Promise<void>): Promise<void> {
  await Promise.all(websites.map(work));
}

/** What reached the lead service: the notes of every capture on every timeline. */
async function notesOf({ organization }: Website): Promise<unknown[]> {
  const leads = await storedLeads(organization);
  const entries = leads.flatMap(({ timeline }) => timeline) as { notes?: string }[];
  return entries.map(({ notes }) => notes).sort();
}

/** What a visitor is told is to be the service's answer: a cold function of a busy machine may take longer than a request waits. */
async function warmService(): Promise<void> {
  const { website: apiKey } = await givenOrganization();
  const { baseUrl } = service;
  const bodies = Array.from({ length: racingWorkers }, (_, index) => person(100_000 + index));
  const areAllCaptured = async (): Promise<boolean> => {
    const captured = bodies.map((body) => call('capture-lead', { apiKey, baseUrl, body }));
    return (await Promise.all(captured)).every(({ status }) => status < 300);
  };
  await vi.waitUntil(areAllCaptured, { timeout: 60_000 });
}

/** Two runs of cron meet a service that refuses everything with 429. */
async function reachTheLimit(): Promise<void> {
  const requests = new Map<string, number>();
  const limited = createServer(({ headers: { authorization = '' } }, response) => {
    requests.set(authorization, (requests.get(authorization) ?? 0) + 1);
    const error = { code: 'RATE_LIMITED', message: 'No.' };
    response.writeHead(429, { 'Retry-After': '1' }).end(JSON.stringify({ error }));
  });
  limited.listen(Number(new URL(service.baseUrl).port), '127.0.0.1');
  await once(limited, 'listening');
  await each(async (website) => {
    await website.cron();
    await website.cron();
    website.requestsAtLimit = requests.get(`Bearer ${website.organization.website}`) ?? 0;
  });
  limited.closeAllConnections();
  limited.close();
  await once(limited, 'close');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  const [clientPackage] = await Promise.all([
    buildClient(join(folder, 'dist')),
    startOwnService().then((started) => {
      service = started;
    }),
  ]);
  websites = await Promise.all(served.map((recipe) => openWebsite(recipe, clientPackage)));
  await warmService();
  await each(async (website) => {
    await website.serve();
    for (const post of beforeFaults) await website.submit(post);
    website.phoneSentence = await website.submit(wrongPhone);
    await website.cron();
  });

  await service.kill();
  await each(async (website) => {
    for (const post of whileDown) await website.submit(post);
    await website.kill();
    await website.serve();
  });

  await reachTheLimit();

  // Every write is carried out, and its response never arrives: then the service is killed again.
  const { proxy } = service;
  proxy.rule = ({ operation }) =>
    operation === 'TransactWriteItems' ? { kind: 'silence', applied: true } : undefined;
  await service.restart();
  const attempts = each((website) => website.cron());
  // An outbox sends what is due: not at once, when its website has just begun again.
  const cronSends = websites.filter(({ recipe }) => !recipe.hasOutbox);
  const isStalled = ({ organization }: Website): boolean =>
    proxy.calls
      .filter(({ fault }) => fault === 'silence')
      .some(({ items }) => items.some((item) => item.startsWith(`LEADS#${organization.id}|`)));
  await vi.waitUntil(() => cronSends.every(isStalled), { timeout: 60_000 });
  await service.kill();
  await attempts;
  proxy.rule = undefined;
  await service.restart();

  await each(async (website) => {
    const isDelivered = async (): Promise<boolean> => {
      await website.cron();
      return (await keptBy(website.site)).waiting === 0;
    };
    await vi.waitUntil(isDelivered, { timeout: 90_000, interval: 500 });
    const { refused } = await keptBy(website.site);
    const { statuses, phoneSentence, requestsAtLimit } = website;
    outcomes.set(website.recipe.name, {
      statuses,
      phoneSentence,
      refused,
      requestsAtLimit,
      notes: await notesOf(website),
    });
  });
}, 240_000);
afterAll(async () => {
  await each((website) => website.kill());
  await service?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe.each(served)('the recipe for $name', ({ name, hasOutbox }) => {
  const outcome = (): Outcome => outcomes.get(name) as Outcome;

  test('loses and doubles no enquiry, and a refused optional value goes to the notes', () => {
    const isForged = (note: unknown): boolean => String(note).includes('text 5');
    const notes = outcome().notes.filter((note) => !isForged(note));

    expect(outcome().notes.filter(isForged)).toHaveLength(1);
    expect(notes.slice(0, -1)).toEqual(expectedNotes);
    expect(linesOf(notes.at(-1))).toEqual(['course: knitting', 'email: nobody@', 'text 4']);
  });

  test('keeps an enquiry with a wrong phone for a person, and tells the visitor in a sentence of its own', () => {
    const { statuses, phoneSentence, refused } = outcome();

    expect(refused).toBe(1);
    if (statuses.length === 0) return; // nothing is served
    expect(statuses).toEqual([200, 422, 200, 200, 200, 200, 200, 200, 200, 200]);
    expect(phoneSentence).toMatch(/^Please check your phone number\./);
  });

  test.skipIf(hasOutbox)('tries one enquiry a run while the limit is reached', () => {
    expect(outcome().requestsAtLimit).toBe(2);
  });
});
