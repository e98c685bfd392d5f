import type { Context } from 'hono';
import { html } from 'hono/html';
import { apiKeyScopes } from '../../../shared/contract/endpoints.ts';
import { apiKeyTypes, lifetimeDays, scopesFor } from '../../../shared/organization/api-key.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  type CreatedApiKey,
  type ListedApiKeyUse,
  listApiKeysWithUse,
  revokeApiKey,
} from '../../../shared/store/organizations/api-keys.ts';
import { CommandError } from '../../cli/command.ts';
import { dateOf } from '../../cli/format.ts';
import { parseLabel, rotateWithinDays } from '../key/key.ts';
import {
  canCapture,
  createKey,
  dayMs,
  daysIssue,
  isLive,
  type NewKey,
  successorOf,
} from '../key/make-key.ts';
import { type Desk, type Form, idIn, organizationAt, type View } from './desk.ts';
import {
  choicesOf,
  copyable,
  doButton,
  type Html,
  notice,
  options,
  type Part,
  page,
  readOnlyNote,
} from './layout.ts';

/** New keys that have not been shown yet, by ID. */
type NewKeys = Map<string, CreatedApiKey>;

/** A card for each API key: who uses it, when it was last used, and when it expires. */
export function keysView(): View {
  // Each key is shown once, and not again when the browser reloads the page.
  const newKeys: NewKeys = new Map();
  return {
    path: '/o/:organization/keys',
    get: async (context, desk) => {
      const organization = await organizationAt(context, desk);
      const { created = '' } = context.req.query();
      const newKey = newKeys.get(created);
      newKeys.delete(created);
      return keysPage(context, desk, { organization, newKey });
    },
    post: async (context, desk, form) => {
      const organization = await organizationAt(context, desk);
      try {
        const query = await change(desk, organization, form, newKeys);
        return context.redirect(`${context.req.path}?${query}`, 303);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        return keysPage(context, desk, {
          organization,
          refused: { sentence: error.message, form },
        });
      }
    },
  };
}

/** @returns the query of the page that reports the change @throws CommandError */
async function change(
  desk: Desk,
  organization: Organization,
  form: Form,
  newKeys: NewKeys,
): Promise<string> {
  const keyId = form.text('key');
  const who = await desk.who();
  if (form.text(':do') === 'revoke') {
    const action = { who, what: `key revoke ${keyId}` };
    if ((await revokeApiKey(desk.table, organization.id, keyId, { action })) === undefined)
      throw new CommandError('There is no such key: load the page again.');
    return `revoked=${keyId}`;
  }
  const { key } =
    form.text(':do') === 'rotate'
      ? await successorOf(desk.table, organization, keyId, idIn(form.text('createdBy')))
      : { key: newKeyIn(form) };
  const created = await createKey(desk.table, organization.id, key, who);
  newKeys.set(created.keyId, created);
  return `created=${created.keyId}`;
}

/** @throws CommandError if a key cannot have the form's values */
function newKeyIn(form: Form): NewKey {
  const type = apiKeyTypes.find((one) => one === form.text('type'));
  const scopes = apiKeyScopes.filter((scope) => form.all('scopes').includes(scope));
  const createdBy = idIn(form.text('createdBy'));
  const days = form.text('days') === '' ? undefined : idIn(form.text('days'));
  const label = labelIn(form);
  if (!type || createdBy === undefined)
    throw new CommandError('Choose what the key is for and whom it acts for.');
  if (form.text('days') !== '' && days === undefined)
    throw new CommandError('Days must be a number of days, such as 30.');
  const granted = scopesFor(type, type === 'application' ? scopes : undefined);
  if (typeof granted === 'string') throw new CommandError(`The scopes ${granted}.`);
  const issue = daysIssue(days, type);
  if (issue !== undefined) throw new CommandError(`Days ${issue}.`);
  return { type, scopes: granted, label, createdBy, expiresIn: days };
}

function labelIn(form: Form): string {
  try {
    return parseLabel(form.text('label'));
  } catch (error) {
    throw new CommandError('The label must have 1 to 200 characters.', { cause: error });
  }
}

interface Shown {
  readonly organization: Organization;
  readonly newKey?: CreatedApiKey | undefined;
  readonly refused?: { readonly sentence: string; readonly form: Form };
}

async function keysPage(
  context: Context,
  desk: Desk,
  { organization, newKey, refused }: Shown,
): Promise<Response> {
  const keys = await listApiKeysWithUse(desk.table, organization.id);
  const { revoked = '' } = context.req.query();
  const isRevoked = keys.some(({ keyId, revokedAt }) => keyId === revoked && revokedAt !== null);
  const live = keys.filter(isLive);
  const ended = keys.filter((key) => !isLive(key)).toReversed();
  const ofKey = (key: ListedApiKeyUse): Html => card(desk, organization, key, live);
  return page(context, { title: 'Keys', organization, status: refused ? 422 : 200 }, [
    notice(refused?.sentence, true),
    notice(isRevoked && `Key ${revoked} is revoked: requests with it are refused from now on.`),
    newKey && newKeyText(desk, newKey),
    notice(!live.some(canCapture) && 'No live key can send enquiries: create one.', true),
    readOnlyNote(desk),
    html`<div class="cards">${live.map(ofKey)}</div>`,
    !desk.isReadOnly && createForm(organization, refused?.form),
    ended.length > 0 &&
      html`<details><summary>Expired and revoked keys (${ended.length})</summary><div class="cards">${ended.map(ofKey)}</div></details>`,
  ]);
}

/** A new key: its text, and a request that uses it. */
function newKeyText({ baseUrl }: Desk, { key, scopes }: CreatedApiKey): Html {
  const curl = scopes.includes('leads.capture')
    ? `curl -i ${baseUrl}/api/v1/leads/capture -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"name":"Test","phone":"+91 98220 12345"}'`
    : `curl -i ${baseUrl}/api/v1/leads -H 'Authorization: Bearer ${key}'`;
  return html`<section class="good" aria-labelledby="new-key"><h2 id="new-key">The new key</h2>
<p>Copy it now: it is not shown again.</p>${copyable(key, html` data-new-key`)}
<p>Try it:</p>${copyable(curl)}</section>`;
}

function card(
  desk: Desk,
  organization: Organization,
  key: ListedApiKeyUse,
  live: readonly ListedApiKeyUse[],
): Html {
  const { keyId, label, type, scopes, createdBy, createdAt, expiresAt } = key;
  const user = organization.userById.get(createdBy);
  return html`<section class="card" data-key="${keyId}"><h2><bdi>${label}</bdi></h2>
<p class="use">${useOf(key)}</p>
<dl><dt>For</dt><dd>${type === 'website-form' ? 'a website form' : 'an application'}: ${scopes.join(', ')}</dd>
<dt>Acts for</dt><dd><bdi>${user?.name ?? createdBy}</bdi>${user?.active === false && ' (inactive)'}</dd>
<dt>Created</dt><dd>${dateOf(createdAt)}</dd><dt>Expires</dt><dd>${expiryOf(expiresAt)}</dd>
<dt>ID</dt><dd><code>${keyId}</code></dd></dl>
${!desk.isReadOnly && isLive(key) && keyForms(organization, key, live)}</section>`;
}

function keyForms(
  organization: Organization,
  key: ListedApiKeyUse,
  live: readonly ListedApiKeyUse[],
): Html {
  const hidden = html`<input type="hidden" name="key" value="${key.keyId}">`;
  const isLastCapturing = canCapture(key) && !live.some((one) => one !== key && canCapture(one));
  const users = options(choicesOf(organization.users, key.createdBy), key.createdBy);
  return html`<details><summary>Rotate</summary><form method="post">${hidden}
<p>Creates a successor that may do the same. This key works until you revoke it: give its server the new key first.</p>
<label>Acts for <select name="createdBy">${users}</select></label>
<p>${doButton('rotate', 'Create the successor')}</p></form></details>
<details><summary>Revoke</summary><form method="post">${hidden}
<p>Every request with this key is refused at once, for good. ${useOf(key)}.${isLastCapturing && ' It is the last live key that can send enquiries: without another, no website delivers any.'}</p>
<p>${doButton('revoke', 'Revoke the key for good', html` class="danger"`)}</p></form></details>`;
}

/** When the key was last used, to the hour. */
function useOf({ lastUsedAt, revokedAt }: ListedApiKeyUse): string {
  if (revokedAt !== null) return `Revoked on ${dateOf(revokedAt)}`;
  if (lastUsedAt === null) return 'Never used';
  const at = new Date(lastUsedAt);
  const hours = Math.floor((Date.now() - at.getTime()) / 3_600_000);
  if (hours < 2) return 'In use: a request within the last two hours';
  if (hours < 24) return `Last used ${hours} hours ago`;
  const weekday = at.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  return hours < 7 * 24
    ? `Silent since ${weekday}, ${dateOf(lastUsedAt)}`
    : `Silent since ${dateOf(lastUsedAt)}`;
}

function expiryOf(expiresAt: string): Part {
  const days = Math.floor((Date.parse(expiresAt) - Date.now()) / dayMs);
  const isSoon = days < rotateWithinDays;
  return [dateOf(expiresAt), days >= 0 && ` (${days} days left${isSoon ? ': rotate it' : ''})`];
}

function createForm({ users }: Organization, form: Form | undefined): Html {
  const types = [
    { value: 'website-form', label: `Website form (${lifetimeDays['website-form']} days)` },
    { value: 'application', label: `Application (${lifetimeDays.application} days)` },
  ];
  return html`<details${form && html` open`}><summary>Create a key</summary><form method="post">
<div class="grid"><label>Label <input name="label" value="${form?.text('label') ?? ''}" placeholder="MBA site"></label>
<label>For <select name="type">${options(types, form?.text('type'))}</select></label>
<label>Acts for <select name="createdBy">${options(choicesOf(users.filter(({ active }) => active)), form?.text('createdBy'))}</select></label>
<label>Days, if fewer <input name="days" inputmode="numeric" value="${form?.text('days') ?? ''}"></label></div>
<fieldset><legend>Scopes of an application</legend>${apiKeyScopes.map(
    (scope) =>
      html`<label class="tick"><input type="checkbox" name="scopes" value="${scope}"${form?.all('scopes').includes(scope) && html` checked`}> ${scope}</label>`,
  )}</fieldset>
<p>${doButton('create', 'Create the key')}</p></form></details>`;
}
