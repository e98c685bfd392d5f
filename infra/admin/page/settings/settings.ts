import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { completedFile } from '../../../../shared/organization/names-alone.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { parseSettingsFile, toSettingsFile } from '../../../../shared/organization/settings.ts';
import {
  type SettingsIssue,
  SettingsRejectedError,
} from '../../../../shared/organization/settings-shape.ts';
import {
  applySettings,
  previewSettings,
  SettingsChangedError,
} from '../../../../shared/store/organizations/apply-settings.ts';
import {
  readAuditLog,
  readKeptSettings,
} from '../../../../shared/store/organizations/audit-log.ts';
import {
  readSettings,
  type StoredSettings,
} from '../../../../shared/store/organizations/organizations.ts';
import { settingsWarnings } from '../../organization/settings-warnings.ts';
import { type Desk, type Form, NotFoundError, organizationAt, type View } from '../desk.ts';
import {
  doButton,
  type Html,
  jsonFile,
  listed,
  notice,
  type Part,
  page,
  readOnlyNote,
  timeText,
} from '../layout.ts';
import { changesInWords, placeInWords } from './change-words.ts';
import { inputOf, settingsForm, settingsText } from './form.ts';
import { changedDraft, type Draft, draftIn, draftOf, fileOf } from './rows.ts';

/** The settings: as lists to edit, as a file, and their history. */
export const settingsView: View = {
  path: '/o/:organization/settings',
  get: async (context, desk) => {
    const stored = await storedAt(context, desk);
    const { file, to, done } = context.req.query();
    if (file === 'settings') return settingsFile(context, stored);
    const back = await keptVersion(desk, stored, Number(to));
    const draft = draftOf(stored.settings, stored.version);
    const said =
      done === 'applied' &&
      html`Version ${stored.version} is in force. If you keep a file, keep <a href="?file=settings" download>this one</a>: it has all IDs.`;
    return settingsPage(context, desk, { stored, draft, said, back });
  },
  post: async (context, desk, form) => {
    const stored = await storedAt(context, desk);
    const what = form.text(':do');
    try {
      if (what === 'undo') return await undo(context, desk, stored, form);
      const draft =
        what === 'file' ? await draftFrom(form, stored) : draftIn(form, stored.settings.id);
      if (/^(add|up|down|remove):/.test(what)) {
        const changed = what.replace(/^\w+:/, '');
        return settingsPage(context, desk, { stored, draft: changedDraft(draft, what), changed });
      }
      const preview = await previewOf(desk, stored, draft);
      const isSeen = what === 'apply' && form.text(':seen') === digestOf(draft);
      if (!isSeen || preview.issues.length > 0)
        return settingsPage(context, desk, { stored, draft, preview });
      const { settings, names } = preview;
      const action = { who: await desk.who(), what: 'organization apply' };
      const expectedVersion = draft.version;
      await applySettings(desk.pacedTable, settings, { expectedVersion, names, action });
      return context.redirect(`${context.req.path}?done=applied`, 303);
    } catch (error) {
      if (!(error instanceof SettingsRejectedError || error instanceof SettingsChangedError))
        throw error;
      const issues = error instanceof SettingsRejectedError ? error.issues : [];
      const draft =
        what === 'file' || what === 'undo'
          ? draftOf(stored.settings, stored.version)
          : draftIn(form, stored.settings.id);
      return settingsPage(context, desk, { stored, draft, refused: error.message, issues });
    }
  },
};

/** @throws NotFoundError if the organization is unknown */
async function storedAt(context: Context, desk: Desk): Promise<StoredSettings> {
  const organization = await organizationAt(context, desk);
  const stored = await readSettings(desk.table, organization.id);
  if (stored) return stored;
  throw new NotFoundError('There is no such organization.');
}

/** The settings as `organization show` prints them. */
function settingsFile(context: Context, { settings, version }: StoredSettings): Response {
  const { id, ...rest } = toSettingsFile(settings);
  return jsonFile(context, `organization-${id}.json`, { id, version, ...rest });
}

/** Reads the chosen file, in which names alone are enough. @throws SettingsRejectedError */
async function draftFrom(form: Form, stored: StoredSettings): Promise<Draft> {
  const refuse = (path: string, message: string): never => {
    throw new SettingsRejectedError('The file was not applied.', [{ path, message }]);
  };
  const file = form.file('file') ?? refuse('$', 'is missing: choose a settings file');
  const bytes = await file.bytes();
  if (!isUtf8(bytes)) return refuse('$', 'is not UTF-8: save it in that encoding');
  const text = completedFile(new TextDecoder().decode(bytes), stored.settings);
  const { settings, keys, version = stored.version } = parseSettingsFile(text);
  if (settings.id !== stored.settings.id)
    return refuse('$.id', `is ${settings.id}: this page is of organization ${stored.settings.id}`);
  if (keys.length > 0) return refuse('$.keys', 'are created by npm start alone: remove them');
  return draftOf(settings, version);
}

const digestOf = (draft: Draft): string =>
  createHash('sha256')
    .update(JSON.stringify(fileOf(draft)))
    .digest('base64url');

type Preview = Pick<ReturnType<typeof parseSettingsFile>, 'settings' | 'names'> & {
  readonly issues: readonly SettingsIssue[];
  /** The changes in words. */
  readonly changes: readonly string[];
  readonly warnings: readonly string[];
};

/** What would change, and why it would be refused. Reads every lead only if the draft removes items. @throws SettingsRejectedError */
async function previewOf(
  { pacedTable }: Desk,
  stored: StoredSettings,
  draft: Draft,
): Promise<Preview> {
  const file = completedFile(JSON.stringify(fileOf(draft)), stored.settings);
  const { settings, names } = parseSettingsFile(file);
  const { refusals } = await previewSettings(pacedTable, settings, names);
  const changes = changesInWords(stored.settings, settings);
  const isOutdated = draft.version !== stored.version && changes.length > 0;
  const outdated = {
    path: '$.version',
    message: `is ${draft.version}, but version ${stored.version} is in force: open the settings again and repeat the change`,
  };
  return {
    settings,
    names,
    changes,
    issues: isOutdated ? [outdated, ...refusals] : refusals,
    warnings: await settingsWarnings(pacedTable, stored.settings, settings),
  };
}

/** The settings of a kept earlier version; undefined for any other version. */
async function keptVersion({ table }: Desk, { settings }: StoredSettings, version: number) {
  const kept = version > 0 ? await readKeptSettings(table, settings.id, version) : undefined;
  return kept && { settings: kept, version };
}

async function undo(
  context: Context,
  desk: Desk,
  stored: StoredSettings,
  form: Form,
): Promise<Response> {
  const kept = await keptVersion(desk, stored, Number(form.text('to')));
  if (!kept) throw new NotFoundError(`Version ${form.text('to')} is not kept.`);
  const action = {
    who: await desk.who(),
    what: `organization undo, back to version ${kept.version}`,
  };
  const expectedVersion = Number(form.text('version'));
  await applySettings(desk.pacedTable, kept.settings, { expectedVersion, action });
  return context.redirect(`${context.req.path}?done=applied`, 303);
}

interface Shown {
  readonly stored: StoredSettings;
  readonly draft: Draft;
  readonly preview?: Preview;
  /** Why nothing was applied. */
  readonly refused?: string;
  readonly issues?: readonly SettingsIssue[];
  readonly said?: Part;
  /** The row or list that a button has just changed. */
  readonly changed?: string;
  /** A version to go back to. */
  readonly back?: { readonly settings: Settings; readonly version: number } | undefined;
}

async function settingsPage(context: Context, desk: Desk, shown: Shown): Promise<Response> {
  const {
    stored,
    draft,
    preview,
    refused,
    issues = preview?.issues ?? [],
    said,
    changed = '',
    back,
  } = shown;
  const organization = await organizationAt(context, desk);
  const entries = await readAuditLog(desk.table, organization.id, { limit: 500 });
  const status = refused !== undefined || issues.length > 0 ? 422 : 200;
  const { isReadOnly } = desk;
  return page(context, { title: 'Settings', organization, status }, [
    notice(said),
    notice(issues.length === 0 && refused, true),
    refusalList(draft, issues),
    readOnlyNote(desk),
    preview && previewPart(draft, preview),
    back && backPart(desk, stored, back),
    isReadOnly ? settingsText(draft) : settingsForm(draft, issues, changed),
    html`<h2>File</h2><p><a href="?file=settings" download>Download version ${stored.version}</a></p>`,
    !isReadOnly &&
      html`<form method="post" enctype="multipart/form-data"><label>Settings file <input type="file" name="file" accept=".json"></label>
<p>${doButton('file', 'Show what it would change')}</p></form>`,
    historyPart(entries, stored.version),
  ]);
}

/** Every refusal, with a link to its list. */
const refusalList = (draft: Draft, issues: readonly SettingsIssue[]): Part =>
  issues.length > 0 &&
  html`<div class="bad" role="alert"><p>Nothing was applied:</p><ul>${issues.map(
    (issue) =>
      html`<li><a href="#${inputOf(issue).split(/[.[]/)[0]}"><bdi>${placeInWords(issue.path, [fileOf(draft)])}</bdi></a> ${issue.message}</li>`,
  )}</ul></div>`;

function previewPart(draft: Draft, { changes, warnings, issues }: Preview): Html {
  const canApply = changes.length > 0 && issues.length === 0;
  return html`<section class="card" aria-labelledby="preview"><h2 id="preview">What would change</h2>
${changes.length === 0 ? html`<p>Nothing: these settings are in force.</p>` : listed(changes)}
${warnings.length > 0 && listed(warnings)}
${canApply && html`<input type="hidden" name=":seen" value="${digestOf(draft)}" form="settings"><p>${doButton('apply', 'Apply', html` form="settings"`)} What is removed takes about 15 seconds.</p>`}</section>`;
}

function backPart(
  { isReadOnly }: Desk,
  stored: StoredSettings,
  back: NonNullable<Shown['back']>,
): Html {
  return html`<section class="card" aria-labelledby="back"><h2 id="back">Back to version ${back.version}</h2>${listed(changesInWords(stored.settings, back.settings))}
${!isReadOnly && html`<form method="post"><input type="hidden" name="to" value="${back.version}"><input type="hidden" name="version" value="${stored.version}"><p>${doButton('undo', `Go back to version ${back.version}`)}</p></form>`}</section>`;
}

const historyPart = (entries: Awaited<ReturnType<typeof readAuditLog>>, inForce: number): Html =>
  html`<h2>History</h2><ul class="plain">${entries
    .filter(({ versionAfter, isBetween }) => versionAfter !== undefined && !isBetween)
    .map(
      ({ at, who, what, versionBefore, versionAfter }) =>
        html`<li>${timeText(at)} Version ${versionAfter}${versionAfter === inForce && ', in force'}: <bdi>${what}</bdi> by <bdi>${who}</bdi>${versionBefore !== undefined && html` <a href="?to=${versionBefore}">Back to version ${versionBefore}</a>`}</li>`,
    )}</ul>`;
