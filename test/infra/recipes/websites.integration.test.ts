import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildClient } from '../../../infra/openapi/client/build.ts';
import { chromium } from '../../support/browser.ts';
import { call } from '../../support/call.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { type OwnService, startOwnService } from '../../support/own-service.ts';
import { inherited, node24, racingWorkers, runProgram } from '../../support/service-process.ts';
import { type Shown, visitWithBrowser } from './hosts/browser-visit.ts';
import { withLimitedService } from './hosts/limited-service.ts';
import { misuse } from './hosts/misuse.ts';
import { copyRecipes, keptBy, makeLate, recipes } from './hosts/recipes.ts';
import {
  beforeFaults,
  constants,
  correctable,
  expectedNotes,
  late,
  person,
  settings,
  whileDown,
  wrongPhone,
} from './hosts/visitors.ts';
import { openWebsite, type Person, type Website } from './hosts/website.ts';

/**
 * Every recipe meets the same visitors and faults, at the same time and at one service. The service is killed, the website is killed, and
 * the database applies writes without a response.
 */

/** What a recipe did, for the tests below. */
interface Outcome {
  readonly website: Website;
  /** In a browser; nothing where none is installed or the recipe serves nothing. */
  readonly shown: Shown | undefined;
  readonly people: readonly Person[];
}

const served = recipes.filter(({ name, missing }) => {
  if (missing !== undefined)
    process.stderr.write(
      `\nWARNING: the recipe for ${name} is not tested: install ${missing}.\n\n`,
    );
  return missing === undefined;
});

const outcomes = new Map<string, Outcome>();
let folder: string;
let service: OwnService;
let websites: Website[] = [];

async function each(work: (website: Website) => Promise<unknown>): Promise<void> {
  await Promise.all(websites.map(work));
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

/** Two runs of cron meet a service that refuses everything: with 429, then without an answer. */
const reachTheLimit = (): Promise<void> =>
  withLimitedService(Number(new URL(service.baseUrl).port), (requests) =>
    each(async (website) => {
      website.printed.push(await website.cron());
      await website.cron();
      website.requestsAtLimit = requests.get(`Bearer ${website.organization.website}`) ?? 0;
    }),
  );

/** An enquiry waits for a day; then the service is back, and a person sends it again. */
async function sendLate(): Promise<void> {
  await service.kill();
  const ids = new Map<Website, string>();
  await each(async (website) => {
    await website.submit(late);
    await website.kill(); // an outbox that has read the entry would write it back
    ids.set(website, await makeLate(website.site));
    await website.serve();
    await website.cron();
    website.printed.push(await website.report());
  });
  await service.restart();
  await each(async (website) => {
    await website.again(ids.get(website) ?? '');
    await vi.waitUntil(() => website.isDelivered(), { timeout: 60_000, interval: 500 });
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recipes-'));
  const [clientPackage] = await Promise.all([
    buildClient(join(folder, 'dist')),
    startOwnService().then((started) => {
      service = started;
    }),
  ]);
  const examples = await copyRecipes(folder, clientPackage, constants);
  const host = { folder, examples, serviceUrl: service.baseUrl };
  const open = async (recipe: (typeof served)[number]): Promise<Website> =>
    openWebsite(recipe, await givenOrganization(settings), host);
  websites = await Promise.all(served.map(open));
  await warmService();
  await each((website) => website.serve());
  const withForm = websites.filter(({ recipe }) => recipe.serve);
  const shown = chromium === undefined ? [] : await visitWithBrowser(withForm);
  await each(async (website) => {
    for (const post of beforeFaults) await website.submit(post);
    website.phoneSentence = await website.submit(wrongPhone);
    await website.cron();
  });

  await service.kill();
  await each(async (website) => {
    if (website.recipe.serve) for (const post of correctable) await website.submit(post);
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
  const isStalled = ({ organization }: Website): boolean =>
    proxy.calls
      .filter(({ fault }) => fault === 'silence')
      .some(({ items }) => items.some((item) => item.startsWith(`LEADS#${organization.id}|`)));
  // A run ends at its first request without a response. A busy machine can cause that before the write is sent, so cron runs again.
  const giveUpAt = Date.now() + 240_000;
  const attempts = each(async (website) => {
    while (!isStalled(website) && Date.now() < giveUpAt) await website.cron();
  });
  const areStalled = vi.waitUntil(() => websites.every(isStalled), { timeout: 240_000 });
  await areStalled.finally(service.kill);
  await attempts;
  proxy.rule = undefined;
  await service.restart();

  await each((website) =>
    vi.waitUntil(() => website.isDelivered(), { timeout: 120_000, interval: 500 }),
  );
  await each(async (website) => {
    website.printed.push(await website.report());
  });
  await sendLate();
  await each(async (website) => {
    outcomes.set(website.recipe.name, {
      website,
      shown: shown[withForm.indexOf(website)],
      people: await website.people(),
    });
  });
}, 900_000); // on a busy machine: 84 s on a quiet one
afterAll(async () => {
  await each((website) => website.kill());
  await service?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe.each(served)('the recipe for $name', ({ name, hasOutbox, serve }) => {
  const isWordPress = name === 'the WordPress plugin';
  const outcome = (): Outcome => outcomes.get(name) as Outcome;
  const entries = () => outcome().people.flatMap(({ timeline }) => timeline);

  test('never loses or duplicates an enquiry, and moves a refused optional value to the notes', () => {
    const all = entries().map(({ notes }) => String(notes));
    const parts = ['in a browser', 'text 5', 'text 4'];
    const others = all.filter((notes) => !parts.some((part) => notes.includes(part)));

    expect(all.filter((notes) => notes.includes('text 5'))).toHaveLength(1);
    expect(others.sort()).toEqual(expectedNotes);
    // In any order: the service does not name refused fields in the order of the form.
    const lines = String(all.find((notes) => notes.includes('text 4'))).split(/\n+/);
    expect(lines.sort().join()).toBe('course: knitting,email: nobody@,intrest: Abroad,text 4');
  });

  test('reads a number with one leading 0 as a number of the country', () => {
    expect(outcome().people.map(({ lead }) => lead.fields?.phone)).toContain('+4915123456782');
  });

  test('names its website as the source, which lists and assignment rules tell apart', async () => {
    const { website } = outcome();
    const listed = await website.phonesBy('--source', ['Design site', 'Website', 'MBA site']);
    const owned = await website.phonesBy('--owner', ['Ravi Iyer', 'Kiran Nair', 'Asha Rao']);

    expect(listed.slice(0, 2)).toEqual([['+4915123456782'], [person(2).phone]]);
    expect(listed[2]).toEqual(expect.arrayContaining([person(1).phone, person(4).phone]));
    expect(owned).toEqual(listed);
  });

  test.runIf(serve)('tells the visitor what to correct, with or without the service', () => {
    const { website } = outcome();
    const thanked = Array(whileDown.length + 1).fill(200);

    expect(website.statuses).toEqual([200, 200, 422, 422, 422, 422, ...thanked]);
    expect(website.phoneSentence).toBe(
      'Please check your phone number. Begin with the country code, such as +49.',
    );
  });

  test('keeps for a person only problems that no visitor was told', async () => {
    expect((await keptBy(outcome().website.site)).refused).toBe(serve ? 1 : 2);
  });

  test.skipIf(name === 'Node.js')('says what is waiting and what awaits review, and why', () => {
    const [atLimit, refused, late] = outcome().website.printed;

    expect(atLimit?.text).toMatch(
      /\b8 enquiries waiting since [\d\-:TZ ]+: (LeadServiceError: 429|429|NoResponseError|no response)/,
    );
    expect(refused?.text).toMatch(
      serve ? /\b1 enquiry awaiting review since/ : /\b2 enquiries awaiting/,
    );
    expect(refused?.text).toMatch(/: .*422 VALIDATION_FAILED.* phone: invalid_phone/);
    expect(refused?.text).toMatch(/\bintrest is not a field that a form can fill: /);
    expect(late?.text).toMatch(
      serve ? /\b2 enquiries awaiting review since/ : /\b3 enquiries awaiting/,
    );
    if (!isWordPress) expect([atLimit, refused, late].every((run) => run?.status)).toBe(true);
  });

  test.skipIf(hasOutbox)('tries one enquiry per run at the limit, and without a response', () => {
    expect(outcome().website.requestsAtLimit).toBe(2);
  });

  test.runIf(/^plain|Django/.test(name))('stores and moves nothing if it is misused', async () => {
    const told = (text: RegExp) => ({ status: 2, text: expect.stringMatching(text) });

    expect(await misuse(outcome().website)).toEqual({
      posted: [500],
      bareAgain: told(/Set LEADS_URL, LEADS_API_KEY and OUTBOX, as in cron's line\.$/m),
      again: told(/nothing\.json has no refused enquiry in JSON: name a file of /),
      kept: { waiting: 0, refused: 1 },
    });
  });

  test.runIf(name === 'Next.js')('is imported without secrets, as its build does', async () => {
    const route = join(outcome().website.site.examples, 'nextjs', 'route.ts');
    const build = runProgram(node24, ['-e', 'import(process.argv[1])', route], {
      env: inherited(),
    });

    expect(await build).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test.runIf(name === 'curl')('sends nothing again if a named file is empty', async () => {
    const { website } = outcome();
    await writeFile(join(website.site.outbox, 'refused', 'empty.json'), '');

    expect((await website.again('empty')).status).toBe(2);
  });

  test.runIf(serve && chromium)('accepts form.html from a browser, with its origin', () => {
    const { shown, people } = outcome();
    const own = entries().filter(({ notes }) => notes === 'in a browser');
    const [wrong, thanks] = [expect.stringContaining('+49'), 'Thank you. We will call you.'];

    expect(shown).toEqual(['held back', wrong, thanks, 'held back', thanks, thanks]);
    expect(own).toHaveLength(2);
    expect(own[0]?.attribution).toEqual({
      pageUrl: expect.stringMatching(/\?utm_source=letter$/),
      referrer: expect.stringMatching(/^http:/),
      utmSource: 'letter',
    });
    expect(people.map(({ lead }) => lead.fields?.name)).not.toContain('A robot');
  });

  test.runIf(isWordPress)('accepts Contact Form 7, which shows what is wrong', async () => {
    const { website } = outcome();
    const asked = { 'your-message': 'by post', 'your-source': 'Design site' };
    const form = { 'your-name': 'Kiran Rao', 'your-phone': '12', ...asked };

    expect(await website.submit(form, 'cf7')).toMatch(/aborted.*Please check your phone number/);
    expect(await website.submit({ ...form, 'your-phone': '030 123456' }, 'cf7')).toMatch(
      /mail_sent/,
    );

    const people = await website.people();
    const { timeline } = people.find(({ lead }) => lead.fields?.phone === '+4930123456') ?? {};
    const attribution = { utmSource: 'letter' };
    expect(timeline).toMatchObject([{ notes: 'by post', source: 'Design site', attribution }]);
  });
});

if (!chromium)
  process.stderr.write('\nWARNING: Chromium is not installed: form.html is not tested.\n\n');
