import type { Random } from '../../../support/generated/random.ts';
import { createLeadTable } from '../../../support/model-table.ts';
import { type Plain, plainItem } from '../../../support/reference/plain.ts';
import type { CommandOptions } from '../administration.ts';
import { AdministratorProcess } from '../administrator-process.ts';
import type { History } from '../checker/history.ts';
import type { Program } from '../lambda/modules.ts';
import { callFaults, type Fault } from '../network.ts';
import { firstKeys, organizationIds } from '../organizations.ts';
import { Simulation } from '../simulation.ts';
import { isSameItems, restoreViolations } from './check-restore.ts';
import {
  type Backup,
  backupOf,
  enquiryTo,
  familyPhones,
  fill,
  type Items,
  itemsAfter,
  itemsOf,
  itemsUnder,
  lose,
  type TableWrite,
  type UsedLead,
} from './restored-table.ts';

const omitted = ['reset during', 'throttled inside', 'account throttled', 'slow commit'];
const faults = callFaults.filter((fault) => !omitted.includes(fault));
/** Attempts under faults; the next one meets none. */
const faultyAttempts = 8;
const hourMs = 3_600_000;

/**
 * Restores the table of a finished history to a moment in it, under faults and in as many attempts as necessary. Checks the result,
 * continues to work, and does the same with the restored table.
 * @returns what does not hold
 */
export async function restoreTwice(
  seed: string,
  { writes }: Pick<History, 'writes'>,
  bundles: RestoreBundles,
): Promise<string[]> {
  const restores = new Restores(seed, bundles);
  const [start, end] = [writes[0], writes.at(-1)];
  if (!start || !end) throw new Error('The history has no writes.');
  await restores.pass(end.at - start.at);
  const begun = writes.filter(({ at }) => at === start.at).length;
  const until = restores.random.between(begun, writes.length);
  const items = backupOf(itemsAfter(writes, begun), writes.slice(begun, until), restores.random);
  const backup = { items, writes: writes.slice(0, until) };
  const first = await restores.restore('leads', backup, itemsAfter(writes, writes.length));
  const between = await restores.work('restored-1');
  const second = await restores.restore('restored-1', between, undefined);
  return [...first, ...second.map((issue) => `At the second restore: ${issue}`)];
}

/** The code that restores, and the code that works with a table meanwhile. */
export interface RestoreBundles {
  readonly restoring: Program;
  readonly working: Program;
}

class Restores {
  readonly random: Random;
  readonly #using: Random;
  readonly #simulation: Simulation;
  readonly #bundles: RestoreBundles;
  readonly #named = new Map<number, string>();
  /** To any of the tables. */
  readonly #writes: TableWrite[] = [];
  #faultChance = 0;
  #processes = 0;

  constructor(seed: string, bundles: RestoreBundles) {
    this.#bundles = bundles;
    this.#simulation = new Simulation({
      seed: `restores ${seed}`,
      faultOf: ({ operation }) => this.#faultAt(operation),
      dynamodb: {
        staleChance: 0.5,
        unprocessedChance: 0.2,
        pageShare: 0.001,
        expiryChance: 0.5,
        onWrite: ({ key: { partition: pk, sort: sk }, after }) =>
          void this.#writes.push({ at: this.#now, pk, sk, after: after && plainItem(after) }),
      },
    });
    this.random = this.#simulation.scheduler.randomFor('restores');
    this.#using = this.#simulation.scheduler.randomFor('use of a restored table');
  }

  #faultAt(operation: string): Fault {
    const { choices } = this.#simulation.scheduler;
    const at = choices.choose(faults.length, `fault at ${operation}`, this.#faultChance);
    return this.#faultChance > 0 ? (faults[at] as Fault) : 'none';
  }

  get #now(): number {
    return this.#simulation.scheduler.now;
  }

  #items(name: string): Items {
    return itemsOf(this.#simulation.dynamodb.table(name));
  }

  #run<T>(main: () => Promise<T>): Promise<T> {
    return this.#simulation.scheduler.run(main);
  }

  /** Lets simulated time pass. */
  pass(ms: number): Promise<void> {
    return this.#run(() => this.#simulation.scheduler.sleep(ms));
  }

  /** @param inUse what is put into the table that was in use; undefined for what it holds */
  async restore(
    oldName: string,
    { items: backup, writes }: Backup,
    inUse: Items | undefined,
  ): Promise<string[]> {
    const { dynamodb } = this.#simulation;
    await this.pass(hourMs);
    const old = dynamodb.table(oldName);
    if (inUse) fill(old, inUse, this.#now);
    const loss = this.random.pick(['none', 'damaged', 'lost'] as const);
    const isLost = (key: string): boolean =>
      /^(LEADS|TIMELINE|PHONE|EMAIL)#/.test(key) && this.random.chance(0.3);
    if (loss === 'damaged') lose(old, isLost, this.#now);
    const name = oldName === 'leads' ? 'restored-1' : 'restored-2';
    createLeadTable(dynamodb, { name, isRestored: true });
    fill(dynamodb.table(name), backup, this.#now);

    const before = this.#items(oldName);
    const used = this.#using.chance(0.5) ? await this.#use(name, before) : [];
    const keptKeyIds = loss === 'lost' ? this.#someKeyIds(backup) : [];
    const from = { oldName: loss === 'lost' ? undefined : oldName, keptKeyIds };
    const issues = await this.#finish(name, from);
    const checked = await this.#run(() => this.#administrator(name).execute('check', 0, {}));
    return [
      ...issues,
      ...checked.violations.map((violation) => `check: ${violation}`),
      ...restoreViolations({
        backup,
        writes,
        old: loss === 'lost' ? undefined : { before, after: this.#items(oldName) },
        restored: this.#items(name),
        keptKeyIds,
        used,
      }),
    ].map((issue) => `${issue} (old table: ${loss})`);
  }

  /** Changes leads of a table that is not finished, some of them twice, whose unique email the backup lacks. @returns what was acknowledged */
  async #use(name: string, old: Items): Promise<readonly UsedLead[]> {
    const used = new Map<string, UsedLead>();
    for (const organizationId of organizationIds)
      for (let step = 0; step < 3; step += 1) {
        const leads = this.#leads(name, organizationId);
        if (leads.length === 0) continue;
        const behind = leads.filter(
          (lead) => Number(lead.version) < Number(old.get(`${lead.pk} ${lead.sk}`)?.version),
        );
        const { pk, sk } = this.#using.pick(behind.length > 0 ? behind : leads);
        const [leadId, city] = [Number(sk), `Used ${step}`];
        const isEmail = (key: string, item: Plain): boolean =>
          key.startsWith(`EMAIL#${organizationId}#`) && item.leadId === leadId;
        lose(this.#simulation.dynamodb.table(name), isEmail, this.#now);
        const edit = () =>
          this.#worker(name).execute('edit', organizationId, { leadId, row: { city } });
        if ((await this.#run(edit)) === 'updated')
          used.set(`${pk} ${sk}`, { pk, sk, city } as UsedLead);
      }
    return [...used.values()];
  }

  #someKeyIds(items: Items): string[] {
    const ids = itemsUnder(items, 'KEY#').flatMap(([, { keyId, revokedAt }]) =>
      revokedAt ? [] : [String(keyId)],
    );
    return this.random.shuffle(ids).slice(0, 2);
  }

  /** Finishes a restore by as many attempts as it takes, and once more. */
  async #finish(name: string, from: CommandOptions<'restore finish'>): Promise<string[]> {
    for (let attempt = 1; attempt <= faultyAttempts + 1; attempt += 1) {
      this.#faultChance = attempt > faultyAttempts ? 0 : this.random.pick([0, 0.02, 0.05, 0.1]);
      const ended = await this.#attempt(name, from);
      if (ended instanceof Error && ended.name === 'RestoreError')
        return [`The restore was refused: ${ended.message}`];
      if (ended === 'done') break;
      if (attempt > faultyAttempts) return [`The restore fails without a fault: ${String(ended)}`];
    }
    this.#faultChance = 0;
    // What an attempt without an answer has sent arrives, or never will.
    await this.pass(60_000);
    const before = this.#items(name);
    await this.#run(() => this.#administrator(name).execute('restore finish', 0, from));
    return isSameItems(before, this.#items(name)) ? [] : ['A repeat changed the restored table.'];
  }

  #attempt(name: string, from: CommandOptions<'restore finish'>): Promise<'done' | 'died' | Error> {
    return this.#run(
      () =>
        new Promise((resolve) => {
          const administrator = this.#administrator(name);
          administrator.onDeath(() => resolve('died'));
          administrator.execute('restore finish', 0, from).then(() => resolve('done'), resolve);
        }),
    );
  }

  /** Imports, captures, revokes and erases something in a table. @returns a backup of the table at a moment meanwhile */
  async work(name: string): Promise<Backup> {
    const steps = [
      this.#importFriend,
      this.#mintAndRevoke,
      this.#importNamed,
      this.#importRelative,
      this.#importRelative,
      ...Array.from({ length: 6 }, () => this.#enquire),
      this.#eraseOne,
      this.#eraseOne,
    ].flatMap((step) => organizationIds.map((id) => () => step.call(this, name, id)));
    const before = this.#items(name);
    this.#writes.length = 0;
    for (const step of steps) await this.#run<unknown>(step);
    const writes = this.#writes.slice(0, this.random.below(this.#writes.length + 1));
    const asWritten = [...before.values()].map((after) => {
      const { pk, sk } = after as { pk: string; sk: string };
      return { at: 0, pk, sk, after };
    });
    return { items: backupOf(before, writes, this.random), writes: [...asWritten, ...writes] };
  }

  /** A lead with a note that names somebody who is no lead so far. */
  async #importFriend(name: string, organizationId: number): Promise<void> {
    const named = this.#newPhone();
    this.#named.set(organizationId, named);
    const row = { name: 'A friend', phone: this.#newPhone(), note: `A friend of ${named}` };
    await this.#worker(name).execute('import', organizationId, { rows: [row] });
  }

  async #importNamed(name: string, organizationId: number): Promise<void> {
    const row = { name: 'Named in a note', phone: String(this.#named.get(organizationId)) };
    await this.#worker(name).execute('import', organizationId, { rows: [row] });
  }

  /** With a note about somebody of the family. */
  async #importRelative(name: string, organizationId: number): Promise<void> {
    const [phone, other] = this.random.shuffle(familyPhones);
    const row = { name: 'A relative', phone: String(phone), note: `Ask ${other} too` };
    await this.#worker(name).execute('import', organizationId, { rows: [row] });
  }

  async #enquire(name: string, organizationId: number): Promise<void> {
    const lead = this.random.pick(this.#newestLeads(name, organizationId));
    const entry = enquiryTo(lead, organizationId, this.random);
    if (!entry) return;
    fill(this.#simulation.dynamodb.table(name), new Map([['enquiry', entry]]), this.#now);
    this.#writes.push({ at: this.#now, pk: entry.pk, sk: entry.sk, after: entry });
  }

  #newPhone(): string {
    return `+9198111${String(this.random.below(100_000)).padStart(5, '0')}`;
  }

  /** One of the newest leads. */
  async #eraseOne(name: string, organizationId: number): Promise<void> {
    const { sk } = this.random.pick(this.#newestLeads(name, organizationId));
    await this.#worker(name).execute('erase', organizationId, { leadId: Number(sk) });
  }

  #leads(name: string, organizationId: number): Plain[] {
    return itemsUnder(this.#items(name), `LEADS#${organizationId} `).map(([, lead]) => lead);
  }

  #newestLeads(name: string, organizationId: number): Plain[] {
    return this.#leads(name, organizationId)
      .sort((a, b) => Number(b.sk) - Number(a.sk))
      .slice(0, 3);
  }

  async #mintAndRevoke(name: string, organizationId: number): Promise<void> {
    const administrator = this.#worker(name);
    const { keyId } = await administrator.execute('key create', organizationId, firstKeys.reader);
    if (this.random.chance(0.5))
      await administrator.execute('key revoke', organizationId, { keyId });
  }

  #worker(tableName: string): AdministratorProcess {
    return this.#administrator(tableName, this.#bundles.working);
  }

  #administrator(tableName: string, bundles = this.#bundles.restoring): AdministratorProcess {
    this.#processes += 1;
    const name = `administrator#${this.#processes}`;
    return new AdministratorProcess({ name, network: this.#simulation }, bundles, tableName);
  }
}
