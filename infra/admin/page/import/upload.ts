import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { exportedProperties } from '../../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { CommandError } from '../../../cli/command.ts';
import { currentOrganization } from '../../context.ts';
import type { ReadOptions } from '../../files/read-file.ts';
import { type OpenFile, openImportFile, type ReadList, readList } from '../../import/open.ts';
import { type PlanFile, type PlanOptions, planSchema } from '../../import/plan.ts';
import { importLines, importRowsOf, planBeside, remarksOf } from '../../import/run.ts';
import { undoLines, undoRowsOf } from '../../import/undo.ts';
import type { Desk } from '../desk.ts';

/** A task over the rows of a file. A dry run of it comes first. */
export type Task = 'import' | 'undo';

/** A run over the rows. It continues if the browser's tab is closed. */
export interface Run {
  readonly task: Task;
  readonly dryRun: boolean;
  readonly begunAt: string;
  progress: string;
  isStopped: boolean;
  /** Undefined until the run ends. */
  end?: RunEnd;
}

interface RunEnd {
  /** The report as text; of a dry run, what would be done. */
  readonly lines: readonly string[];
  /** How many leads were created, changed or removed; of a dry run, how many would be. */
  readonly leads: number;
  readonly hasReport: boolean;
  /** The values of a column for which rows were refused, and what each is probably to be read as. */
  readonly refusedValues?: (column: string) => Readonly<Record<string, string>>;
  /** Why the run ended early. */
  readonly failure?: string;
}

/** An uploaded file, the plan by which it is read, and the last run over its rows. */
export class Upload {
  /** The name of the file in the upload. */
  readonly name: string;
  readonly reportPath: string;
  /** The columns with their first values; empty for a file that needs no plan. */
  columns: ReadList['columns'] = [];
  open: OpenFile['open'] = [];
  plan: PlanFile | undefined;
  updates = false;
  run: Run | undefined;
  /** Changes with each run, so that a form of an earlier page is recognized as out of date. */
  state = randomUUID();
  #ended = Promise.resolve();
  /** What was chosen with the file. */
  #options: PlanOptions = {};
  readonly #folder: string;
  readonly #path: string;
  readonly #planPath: string;

  /** @param parent the folder of the page; the upload is in a folder of its own */
  constructor(parent: string, name: string) {
    // The name comes from a request, so the paths have only its ending, of at most 8 letters or digits.
    const [ending = ''] = /\.\w{1,8}$/.exec(name) ?? [];
    this.name = name;
    this.#folder = join(parent, randomUUID());
    this.#path = join(this.#folder, `file${ending}`);
    this.#planPath = join(this.#folder, 'plan.json');
    this.reportPath = join(this.#folder, `report${ending}`);
  }

  /** Keeps the file, and proposes how its columns are read. @throws CommandError for a file that cannot be used */
  async keep(
    organization: Organization,
    file: File,
    plan: File | undefined,
    options: ReadOptions,
  ): Promise<void> {
    const encoding = v.safeParse(planSchema.entries.encoding, options.encoding);
    if (!encoding.success) throw new CommandError(`--encoding ${encoding.issues[0].message}.`);
    await mkdir(this.#folder);
    await writeFile(this.#path, file.stream());
    if (plan) await writeFile(this.#planPath, plan.stream());
    this.#options = { ...options, ...(plan && { plan: this.#planPath }) };
    if (!plan && /\.(jsonl|ndjson)$/i.test(this.name)) return;
    await this.#propose(organization).catch((error: unknown) => {
      throw error instanceof CommandError ? new CommandError(this.#named(error)) : error;
    });
  }

  async #propose(organization: Organization): Promise<void> {
    const list = await readList(this.#path, this.#options);
    const { proposal, open } = list.planFor(organization);
    if (Object.values(proposal.columns).includes(exportedProperties.mark)) return;
    this.plan = proposal;
    this.open = open;
    this.columns = list.columns
      .filter(({ heading }) => heading !== '')
      .map(({ heading, values }) => ({ heading, values: [...new Set(values)].slice(0, 3) }));
  }

  /** The message of an error, with the uploaded names instead of the paths on the disk. */
  readonly #named = ({ message }: { readonly message: string }): string =>
    message
      .replaceAll(this.#planPath, () => planBeside(this.name))
      .replaceAll(this.#path, () => this.name);

  get isRunning(): boolean {
    return this.run !== undefined && !this.run.end;
  }

  /** Deletes the file, its plan and its report. */
  remove = (): Promise<void> => rm(this.#folder, { recursive: true, force: true });

  /** Begins a run. @returns a promise that resolves when the run ends; a caller need not await it */
  begin(desk: Desk, { id }: Organization, task: Task, dryRun: boolean): Promise<void> {
    const begunAt = new Date().toISOString();
    const run: Run = { task, dryRun, begunAt, progress: '', isStopped: false };
    this.run = run;
    this.state = randomUUID();
    this.#ended = this.#perform(desk, id, run).then(
      (end) => {
        run.end = end;
      },
      (error: unknown) => {
        const failure = this.#named({ message: desk.failureText(error) });
        run.end = { lines: [], leads: 0, hasReport: false, failure };
      },
    );
    return this.#ended;
  }

  /** Stops the run after its current batch, and waits for its end. */
  async stop(): Promise<void> {
    if (this.run) this.run.isStopped = true;
    await this.#ended;
  }

  async #perform(desk: Desk, organizationId: number, run: Run): Promise<RunEnd> {
    const { task, dryRun } = run;
    const { table, who, importRate: rate } = desk;
    const organization = currentOrganization(table, organizationId);
    const onProgress = (sentence: string): void => {
      run.progress = sentence;
    };
    const work = { table, organizationId, organization, who, rate, onProgress };
    if (this.plan) await writeFile(this.#planPath, JSON.stringify(this.plan));
    const plan = this.plan && { plan: this.#planPath };
    const options = {
      ...this.#options,
      ...plan,
      update: this.updates && task === 'import',
      dryRun,
    };
    const read = await openImportFile(this.#path, await organization(), options);
    if ('open' in read) throw new CommandError(`${this.name} needs a plan: upload it again.`);
    const file = { ...read, rows: untilStopped(read.rows, run) };
    const failure = 'It was stopped. What is done stays done: begin again to go on.';
    const stopped = () => run.isStopped && { failure };
    if (task === 'undo') {
      const undone = await undoRowsOf(file, work, dryRun);
      const lines = [...undoLines(this.name, undone, dryRun)];
      return { lines, leads: undone.removed, hasReport: false, ...stopped() };
    }
    const imported = await importRowsOf(file, work, options);
    const { imported: created, updated = 0, refused } = imported.counts;
    await imported.report.write(this.reportPath, file);
    const lines = [...importLines(file, work, imported, options), ...remarksOf(file, imported)];
    const refusedValues = (column: string) => imported.report.refusedValues(column);
    return { lines, leads: created + updated, hasReport: refused > 0, refusedValues, ...stopped() };
  }
}

/** Yields rows until the run is stopped. All rows of a batch are read at once, so a batch that has begun is complete. */
function* untilStopped<Row>(rows: Iterable<Row>, run: Run): Generator<Row> {
  for (const row of rows) {
    if (run.isStopped) return;
    yield row;
  }
}
