import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { CommandError } from '../../../cli/command.ts';
import { countOf, printable } from '../../../cli/format.ts';
import { planBeside } from '../../import/run.ts';
import { type Desk, Form, NotFoundError, organizationAt, type View } from '../desk.ts';
import {
  copyable,
  doButton,
  download,
  type Html,
  jsonFile,
  listed,
  notice,
  type Part,
  page,
  readOnlyNote,
  timeText,
} from '../layout.ts';
import { planForm, planIn } from './plan-form.ts';
import { type Run, Upload } from './upload.ts';

const fileMaxBytes = 50_000_000;
const tooLarge = 'The file has more than 50 MB: import it with the command lead import.';
/** A run that ends this soon is shown with its end. */
const shownAtOnceMs = 700;

/** Imports a file of leads, and takes an import back. */
export function importView(): View {
  const uploads = new Uploads();
  return {
    path: '/o/:organization/import',
    bodyMax: { bytes: fileMaxBytes + 1_000_000, sentence: tooLarge },
    get: async (context, desk) => {
      const organization = await organizationAt(context, desk);
      const own = uploads.of(organization);
      const { file } = context.req.query();
      return file ? fileOf(context, own, file) : importPage(context, desk, { organization, own });
    },
    post: async (context, desk) => {
      const organization = await organizationAt(context, desk);
      const form = await Form.of(context);
      const own = uploads.of(organization);
      try {
        if (form.text(':do') === 'upload') await uploads.add(organization, form);
        else if (own?.state === form.text('state')) await act(desk, organization, own, form);
        return context.redirect(context.req.path, 303);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        return importPage(context, desk, { organization, own, refused: error.message });
      }
    },
    stop: () => uploads.stop(),
  };
}

/** The last file of each organization. The next one replaces it, and the end of the page removes them all. */
class Uploads {
  readonly #uploads = new Map<number, Upload>();
  /** Only the user of this process may read it: the files contain personal data. */
  #folder: ReturnType<typeof mkdtempDisposable> | undefined;

  of = ({ id }: Organization): Upload | undefined => this.#uploads.get(id);

  /** @throws CommandError for a file that cannot be used */
  async add(organization: Organization, form: Form): Promise<void> {
    const file = form.file('file');
    if (!file) throw new CommandError('Choose a file that is not empty.');
    if (file.size > fileMaxBytes) throw new CommandError(tooLarge);
    this.#folder ??= mkdtempDisposable(join(tmpdir(), 'lead-service-page-'));
    const { path } = await this.#folder;
    const text = (name: string): string | undefined => form.text(name).trim() || undefined;
    const options = { plan: form.file('plan'), encoding: text('encoding'), sheet: text('sheet') };
    const upload = await Upload.of(path, organization, file, options);
    const before = this.of(organization);
    if (before?.isRunning)
      throw new CommandError('An import is running: stop it, or wait for its end.');
    this.#uploads.set(organization.id, upload);
    await before?.remove();
  }

  async stop(): Promise<string[]> {
    const running = [...this.#uploads].filter(([, { isRunning }]) => isRunning);
    await Promise.all(running.map(([, upload]) => upload.stop()));
    await (await this.#folder)?.remove();
    return running.flatMap(([id, { name, run }]) =>
      !run || run.dryRun
        ? []
        : `The ${run.task} of ${printable(name)} in organization ${id} ended after a batch. ${run.progress || 'No row was read'}. To go on, open the page again, and upload the file with the same plan: rows that are done are skipped.`,
    );
  }
}

/** Does what a button says, if the last run allows it. */
async function act(desk: Desk, organization: Organization, own: Upload, form: Form): Promise<void> {
  const [what = '', dry] = form.text(':do').split(' ');
  if (what === 'stop') return own.stop();
  if (own.isRunning || (what !== 'import' && what !== 'undo')) return;
  const dryRun = dry === 'dry';
  if (dryRun) {
    own.updates = form.has('update');
    if (own.plan) own.plan = planIn(form, own);
    own.open = [];
  } else if (own.run?.task !== what || !mayFollow(own.run)) return;
  const ended = own.begin(desk, organization, what, dryRun);
  await Promise.race([ended, setTimeout(shownAtOnceMs)]);
}

/** Whether the task itself may be begun: it was shown before, or it did not come to its end. */
const mayFollow = ({ dryRun, end }: Run): boolean =>
  end !== undefined && (dryRun ? end.leads > 0 && !end.failure : end.failure !== undefined);

async function fileOf(context: Context, own: Upload | undefined, file: string): Promise<Response> {
  if (own?.plan && file === 'plan') return jsonFile(context, planBeside(own.name), own.plan);
  if (!own?.run?.end?.hasReport || file !== 'report')
    throw new NotFoundError('There is no such file.');
  const kind = own.run.dryRun ? 'would-be-refused' : 'refused';
  const name = own.name.replace(/\.[^.]+$/, (ending) => `.${kind}${ending}`);
  return download(context, name, await readFile(own.reportPath));
}

interface Shown {
  readonly organization: Organization;
  readonly own: Upload | undefined;
  /** Why nothing was done. */
  readonly refused?: string;
}

function importPage(
  context: Context,
  desk: Desk,
  { organization, own, refused }: Shown,
): Response | Promise<Response> {
  const command = `npm run admin -- lead import leads.xlsx --organization ${organization.id}${desk.commandEnd} --dry-run`;
  const isRunning = own?.isRunning === true;
  const status = refused === undefined ? 200 : 422;
  const frame = {
    title: 'Import',
    organization,
    status,
    ...(isRunning && { refreshAfter: 2 }),
  } as const;
  return page(context, frame, [
    notice(refused, true),
    readOnlyNote(desk),
    own?.run && runPart(own, own.run),
    own && !isRunning && ownPart(organization, own),
    !desk.isReadOnly && !isRunning && uploadForm(own),
    html`<p>The command does the same, and takes larger files:</p>`,
    copyable(command),
  ]);
}

const uploadForm = (own: Upload | undefined): Html =>
  html`<h2>${own ? 'Another file' : 'File'}</h2><form method="post" enctype="multipart/form-data">
<div class="grid"><label>Leads, as .xlsx, .csv or .jsonl <input type="file" name="file" accept=".xlsx,.csv,.jsonl,.ndjson"></label>
<label>Its plan, if you have one <input type="file" name="plan" accept=".json"></label>
<label>Sheet, if not the first <input name="sheet"></label>
<label>Encoding, if not UTF-8 (--encoding) <input name="encoding" placeholder="windows-1252"></label></div>
<p>${doButton('upload', 'Read the file')} Nothing is imported yet.</p></form>`;

const ownPart = (organization: Organization, own: Upload): Html =>
  html`<h2><bdi>${own.name}</bdi></h2><form method="post"><input type="hidden" name="state" value="${own.state}">
${planForm(organization, own)}
<p><label class="tick"><input type="checkbox" name="update" value="yes"${own.updates && html` checked`}> Update the leads that have the phone or email of a row (--update)</label></p>
<p>${doButton('import dry', 'Show what would be imported')} ${doButton('undo dry', 'Show what an undo would remove')}</p></form>
${own.plan && html`<p><a href="?file=plan" download>Download the plan</a>: next month's file needs the same.</p>`}`;

const titles = { import: 'Import', undo: 'Undo' } as const;

/** A run: its progress, or its end with what can follow. */
function runPart({ name, state }: Upload, run: Run): Html {
  const { task, dryRun, begunAt, progress, end } = run;
  const button = (label: string, what: string, more: Part = ''): Html =>
    html`<form method="post"><input type="hidden" name="state" value="${state}"><p>${doButton(what, label, more)}</p></form>`;
  const leads = countOf(end?.leads ?? 0, 'lead');
  const [label, more] =
    task === 'import'
      ? [`Import ${leads}`, '']
      : [`Remove ${leads} for good`, html` class="danger"`];
  return html`<section class="card" aria-labelledby="run"><h2 id="run">${titles[task]} of <bdi>${name}</bdi>${dryRun && ': what would be done'}</h2>
${
  end
    ? [
        notice(end.failure, true),
        end.failure && html`<p>${progress}</p>`,
        listed(end.lines.map((line) => line.trim())),
        end.hasReport &&
          html`<p><a href="?file=report" download>Download the refused rows and their reasons</a>. The file contains personal data: delete it when you no longer need it.</p>`,
        mayFollow(run) && button(dryRun ? label : 'Go on', task, more),
      ]
    : html`<p role="status">Running since ${timeText(begunAt)}. ${progress || 'Reading the file'}.</p>${button('Stop after this batch', 'stop')}`
}</section>`;
}
