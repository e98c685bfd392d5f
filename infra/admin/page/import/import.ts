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
import { type Desk, type Form, NotFoundError, organizationAt, type View } from '../desk.ts';
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
/** The response waits this long for a run, so that a short run is shown with its result. */
const shownAtOnceMs = 700;

/** The view that imports a file of leads, and undoes an import. */
export function importView(): View {
  const uploads = new Uploads();
  return {
    path: '/o/:organization/import',
    bodyMax: { bytes: fileMaxBytes + 1_000_000, sentence: tooLarge },
    get: async (context, desk) => {
      const organization = await organizationAt(context, desk);
      const upload = uploads.of(organization);
      const { file } = context.req.query();
      return file
        ? fileOf(context, upload, file)
        : importPage(context, desk, { organization, upload });
    },
    post: async (context, desk, form) => {
      const organization = await organizationAt(context, desk);
      const upload = uploads.of(organization);
      try {
        if (form.text(':do') === 'upload') await uploads.add(organization, form);
        else if (upload?.state === form.text('state')) await act(desk, organization, upload, form);
        return context.redirect(context.req.path, 303);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        return importPage(context, desk, { organization, upload, refused: error.message });
      }
    },
    stop: () => uploads.stop(),
  };
}

/** The last uploaded file of each organization. The next upload replaces it, and all are deleted when the page ends. */
class Uploads {
  readonly #uploads = new Map<number, Upload>();
  /** Only the user of this process may read this folder: its files contain personal data. */
  #folder: ReturnType<typeof mkdtempDisposable> | undefined;

  of = ({ id }: Organization): Upload | undefined => this.#uploads.get(id);

  /** @throws CommandError for a file that cannot be used */
  async add(organization: Organization, form: Form): Promise<void> {
    const file = form.file('file');
    if (!file) throw new CommandError('Choose a file that is not empty.');
    if (file.size > fileMaxBytes) throw new CommandError(tooLarge);
    this.#folder ??= mkdtempDisposable(join(tmpdir(), 'lead-service-page-'));
    const { path } = await this.#folder;
    const [encoding, sheet] = [form.text('encoding').trim(), form.text('sheet').trim()];
    // An option overrides the plan even if it is undefined.
    const options = { ...(encoding && { encoding }), ...(sheet && { sheet }) };
    const upload = new Upload(path, file.name);
    try {
      await upload.keep(organization, file, form.file('plan'), options);
      // Only now, because a run may begin while the file is read.
      if (this.of(organization)?.isRunning)
        throw new CommandError('An import is running: stop it, or wait for its end.');
    } catch (error) {
      await upload.remove();
      throw error;
    }
    const before = this.of(organization);
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

/** Starts or stops the run that a button names, if the last run allows it. */
async function act(
  desk: Desk,
  organization: Organization,
  upload: Upload,
  form: Form,
): Promise<void> {
  const [what = '', dry] = form.text(':do').split(' ');
  if (what === 'stop') return upload.stop();
  if (upload.isRunning || (what !== 'import' && what !== 'undo')) return;
  const dryRun = dry === 'dry';
  if (dryRun) {
    upload.updates = form.has('update');
    if (upload.plan) upload.plan = planIn(form, upload);
    upload.open = [];
  } else if (upload.run?.task !== what || !mayFollow(upload.run)) return;
  const ended = upload.begin(desk, organization, what, dryRun);
  await Promise.race([ended, setTimeout(shownAtOnceMs)]);
}

/** Whether a run without `dryRun` may follow: its dry run found leads, or an earlier run failed before its end. */
const mayFollow = ({ dryRun, end }: Run): boolean =>
  end !== undefined && (dryRun ? end.leads > 0 && !end.failure : end.failure !== undefined);

async function fileOf(
  context: Context,
  upload: Upload | undefined,
  file: string,
): Promise<Response> {
  if (upload?.plan && file === 'plan')
    return jsonFile(context, planBeside(upload.name), upload.plan);
  if (!upload?.run?.end?.hasReport || file !== 'report')
    throw new NotFoundError('There is no such file.');
  const kind = upload.run.dryRun ? 'would-be-refused' : 'refused';
  const name = upload.name.replace(/\.[^.]+$/, (ending) => `.${kind}${ending}`);
  return download(context, name, await readFile(upload.reportPath));
}

interface Shown {
  readonly organization: Organization;
  readonly upload: Upload | undefined;
  /** Why the request was refused. */
  readonly refused?: string;
}

function importPage(
  context: Context,
  desk: Desk,
  { organization, upload, refused }: Shown,
): Response | Promise<Response> {
  const command = `npm run admin -- lead import leads.xlsx --organization ${organization.id}${desk.commandEnd} --dry-run`;
  const isRunning = upload?.isRunning === true;
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
    upload?.run && runPart(upload, upload.run),
    upload && !isRunning && uploadPart(organization, upload),
    !desk.isReadOnly && !isRunning && uploadForm(upload),
    html`<p>The command does the same, and takes larger files:</p>`,
    copyable(command),
  ]);
}

const uploadForm = (upload: Upload | undefined): Html =>
  html`<h2>${upload ? 'Another file' : 'File'}</h2><form method="post" enctype="multipart/form-data">
<div class="grid"><label>Leads, as .xlsx, .csv or .jsonl <input type="file" name="file" accept=".xlsx,.csv,.jsonl,.ndjson"></label>
<label>Its plan, if you have one <input type="file" name="plan" accept=".json"></label>
<label>Sheet, if not the first <input name="sheet"></label>
<label>Encoding, if not UTF-8 (--encoding) <input name="encoding" placeholder="windows-1252"></label></div>
<p>${doButton('upload', 'Read the file')} Nothing is imported yet.</p></form>`;

const uploadPart = (organization: Organization, upload: Upload): Html =>
  html`<h2><bdi>${upload.name}</bdi></h2><form method="post"><input type="hidden" name="state" value="${upload.state}">
${planForm(organization, upload)}
<p><label class="tick"><input type="checkbox" name="update" value="yes"${upload.updates && html` checked`}> Update the leads that have the phone or email of a row (--update)</label></p>
<p>${doButton('import dry', 'Show what would be imported')} ${doButton('undo dry', 'Show what an undo would remove')}</p></form>
${upload.plan && html`<p><a href="?file=plan" download>Download the plan</a>: next month's file needs the same.</p>`}`;

const titles = { import: 'Import', undo: 'Undo' } as const;

/** The progress of a run, or its result with the buttons that can follow. */
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
