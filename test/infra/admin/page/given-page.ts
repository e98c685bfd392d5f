import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { failureText } from '../../../../infra/admin/failure.ts';
import type { Desk } from '../../../../infra/admin/page/desk.ts';
import { PageServer } from '../../../../infra/admin/page/server.ts';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { newLead } from '../../../../shared/leads/new-lead.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../../../shared/organization/settings.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../../shared/store/leads/leads.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import { readAuditLog } from '../../../../shared/store/organizations/audit-log.ts';
import { loadOrganization } from '../../../../shared/store/organizations/organizations.ts';
import { sendingThrough, type Table } from '../../../../shared/store/table/client.ts';
import { modelTable } from '../../../support/model-table.ts';
import { sampleSettings } from '../../../support/settings.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends a request as it is: a client of Node.js would correct its host. */
export function send(
  url: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const sent = request(
    url,
    { method, headers: { ...headers, ...length }, agent: false },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const { statusCode: status = 0, headers } = response;
      response.on('end', () => resolve({ status, headers, text }));
    },
  );
  sent.on('error', reject).end(body);
  return promise;
}

/** What a browser sends to the page that it opened. */
export interface Browser {
  readonly cookie: string;
  readonly get: (path: string) => Promise<Reply>;
  /** Sends a form, and follows its redirection. */
  readonly post: (path: string, values: readonly (readonly [string, string])[]) => Promise<Reply>;
  /** Sends files, and follows the redirection. */
  readonly upload: (path: string, files: Readonly<Record<string, File | string>>) => Promise<Reply>;
}

export interface GivenPage extends Browser {
  readonly table: Table;
  /** A test may change the rate of the imports that follow. */
  readonly desk: { importRate: number };
  readonly organization: Organization;
  /** Without a slash at its end. */
  readonly base: string;
  /** As printed, with the token, which is spent. */
  readonly url: string;
  /** Ends the page. @returns what it says of an import that it ended */
  readonly stop: () => Promise<readonly string[]>;
  /** What the audit log says, newest first. */
  readonly log: () => Promise<string[]>;
  /** The names of the calls to DynamoDB since the last call of this function. */
  readonly calls: () => string[];
}

/** Opens the page at the address that was printed. */
export async function openedIn(url: string): Promise<Browser> {
  const base = new URL(url).origin;
  const opened = await send(url);
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  const get = (path: string): Promise<Reply> => send(base + path, { headers: { cookie } });
  const sendForm = async (path: string, form: URLSearchParams | FormData): Promise<Reply> => {
    const encoded = new Response(form);
    const type = encoded.headers.get('Content-Type') ?? '';
    const headers = { cookie, Origin: base, 'Content-Type': type };
    const body = await encoded.bytes();
    const reply = await send(base + path, { method: 'POST', headers, body });
    return reply.status === 303 ? get(String(reply.headers.location)) : reply;
  };
  const post: Browser['post'] = (path, values) =>
    sendForm(
      path,
      new URLSearchParams(values.map(([name, value]): [string, string] => [name, value])),
    );
  const upload: Browser['upload'] = (path, files) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(files)) form.append(name, value);
    return sendForm(path, form);
  };
  return { cookie, get, post, upload };
}

/** A page that is not opened yet. */
export async function givenServer(table = modelTable(), desk: Partial<Desk> = {}) {
  const used = {
    table,
    pacedTable: table,
    who: async () => 'user tester',
    isReadOnly: false,
    importRate: Number.POSITIVE_INFINITY,
    commandEnd: '',
    baseUrl: 'http://127.0.0.1:4010',
    failureText: (error: unknown) => failureText(error, {}),
    ...desk,
  };
  const server = new PageServer(used);
  let stopped: Promise<readonly string[]> | undefined;
  const stop = () => {
    stopped ??= server.stop();
    return stopped;
  };
  onTestFinished(async () => void (await stop()));
  const url = await server.listen(0);
  return { table, desk: used, url, base: new URL(url).origin, stop };
}

/** The page of an organization on an empty table of the test's own, opened in a browser. */
export async function givenPage(
  settings: object = sampleSettings,
  desk: Partial<Desk> = {},
): Promise<GivenPage> {
  const calls: string[] = [];
  const table = sendingThrough(modelTable(), (sendCommand) => (command, options) => {
    calls.push(command.constructor.name);
    return sendCommand(command, options);
  });
  await applySettings(table, parseSettingsFile(JSON.stringify(settings)).settings);
  const organization = await loadOrganization(table, 1);
  if (!organization) throw new Error('The organization is missing.');
  const { url, base, stop, desk: used } = await givenServer(table, desk);
  const browser = await openedIn(url);
  const log = async () => (await readAuditLog(table, 1)).map(({ what }) => what);
  calls.length = 0;
  const own = { desk: used, table, organization, base, url, stop, log };
  return { ...browser, ...own, calls: () => calls.splice(0) };
}

/** A table without the rights for these commands. */
export const refusing = (table: Table, names: RegExp): Table =>
  sendingThrough(table, (sendCommand) => (command, options) => {
    const name = command.constructor.name.replace('Command', '');
    if (!names.test(name)) return sendCommand(command, options);
    const message = `User: x is not authorized to perform: dynamodb:${name}`;
    throw Object.assign(new Error(message), { name: 'AccessDeniedException' });
  });

/** Texts that a page which does not escape them would run or show as its own. */
export const markup = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onfocus=alert(1) autofocus x='",
  '</textarea><b>x</b>',
  '</title><b>x</b>',
];

let created = 0;
/** Stores a lead of a new person in the first stage. */
export async function givenLead(
  { table, organization }: Pick<GivenPage, 'table' | 'organization'>,
  fields: Readonly<Record<string, unknown>> = {},
  id = 1,
): Promise<Lead> {
  created += 1;
  const [stage] = organization.stages;
  if (!stage) throw new Error('The organization has no stage.');
  const phone = `+9198220${10000 + created}`;
  const { assigned_to: owner = 7, ...others } = fields;
  const values = { name: 'Rohan Kulkarni', phone, lead_type: 'student', ...others };
  const result = await createLead(table, (now) => ({
    lead: newLead({ id, organizationId: 1, fields: values, stage, owner: Number(owner), now }),
    opening: { type: 'lead_created', at: now, actorId: 7, via: 'api', keyId: '4fQ8LmZ2xA' },
  }));
  if (result.outcome !== 'created') throw new Error('The lead was not created.');
  return result.lead;
}

export const leadNow = async (
  { table }: Pick<GivenPage, 'table'>,
  id = 1,
): Promise<Lead | undefined> => readLead(table, 1, id);

/** The IDs of the leads that a page lists. */
export const leadsIn = ({ text }: Reply): number[] =>
  [...text.matchAll(/data-lead="(\d+)"/g)].map(([, id]) => Number(id));

/** The text of a page, without tags. */
export const plain = ({ text }: Reply): string =>
  text
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');

/** Why each input was refused, by the key of its field. */
export const refusedIn = ({ text }: Reply): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/data-refused="([^"]*)">(.*?)<\/p>/gs)].map(([, key, why = '']) => [
      key,
      why.replace(/<[^>]*>/g, ''),
    ]),
  );

const decoded = (value = ''): string =>
  value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/**
 * The inputs of a form as a browser would send them, with what a person typed over.
 * @param form its ID or class
 */
export function filled(
  { text }: Reply,
  form: string,
  typed: Readonly<Record<string, string | readonly string[]>>,
): [string, string][] {
  const [, own = ''] = new RegExp(`<form [^>]*"${form}">(.*?)</form>`, 's').exec(text) ?? [];
  const besides = [...text.matchAll(new RegExp(`<input [^>]* form="${form}">`, 'g'))].join('');
  const sent: [string, string][] = [];
  const inputs = /<input\b[^>]*>|<(select|textarea)\b.*?<\/\1>/gs;
  for (const [tag, kind] of `${besides}${own}`.matchAll(inputs)) {
    const name = decoded(/ name="([^"]*)"/.exec(tag)?.[1]);
    if (Object.hasOwn(typed, name)) continue;
    if (/type="checkbox"/.test(tag) && !/ checked/.test(tag)) continue;
    const value = / value="([^"]*)"/.exec(tag)?.[1];
    const selected = /value="([^"]*)" selected/.exec(tag)?.[1] ?? /value="([^"]*)"/.exec(tag)?.[1];
    const inside = />\n?([^<]*)<\/textarea>/.exec(tag)?.[1];
    // A browser drops the line breaks of a field that has one line.
    const line = /type="hidden"/.test(tag) ? value : value?.replaceAll('\n', '');
    sent.push([name, decoded(kind === 'select' ? selected : kind === 'textarea' ? inside : line)]);
  }
  for (const [name, values] of Object.entries(typed))
    for (const value of [values].flat()) sent.push([name, value]);
  return sent;
}
